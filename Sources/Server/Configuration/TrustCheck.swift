// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules

/// Warns of settings that may give users more access than the author of the rules intended, and suggests remedies.
struct TrustCheck {
  let book: RuleBook
  let database: DatabaseSchema
  let sync: SyncConfiguration
  let providers: AuthenticationProviders
  let customUserData: CustomUserDataConfiguration?
  let problems: ProblemCollector

  private static let syncFile = "sync/config.json"

  func warn() {
    warnOfSettings()
    if let className = customUserData?.className { warnOfSelfMadePermissions(className) }
    for (file, roles) in rolesByFile {
      for role in roles {
        if customUserData == nil { warnOfMissingCustomData(role, file) }
        if providers.emailPassword?.confirmsAutomatically == true { warnOfUnconfirmedAddresses(role, file) }
      }
    }
  }

  private var rolesByFile: [(file: String, roles: [Role])] {
    let own = book.rolesByClass.sorted { $0.key < $1.key }.map { name, roles in
      (file: database.ruleFile(of: name, book, sync), roles: roles)
    }
    return own + [(file: sync.defaultRuleFile, roles: book.defaultRoles)]
  }

  // MARK: Settings

  private func warnOfSettings() {
    if sync.isDevelopmentMode, providers.allowsAnonymous {
      problems.warning(
        TrustCheck.syncFile,
        key: "development_mode_enabled",
        "with anonymous log-in, anybody can add classes and fields, which the server sends to all clients. "
          + "Before others can reach the server, turn off development mode, or anon-user in auth/providers.json"
      )
    }
    if sync.isRecoveryModeDisabled {
      problems.warning(
        TrustCheck.syncFile,
        key: "is_recovery_mode_disabled",
        "in a client reset, devices discard changes that they have not uploaded, and every device resets once "
          + "when its app moves from another server. Set it to false until all devices have moved"
      )
    }
  }

  // MARK: Custom data

  /// Warns if users can edit the custom data their permissions depend on, which App Services' documentation rules
  /// out.
  private func warnOfSelfMadePermissions(_ className: String) {
    let fields = customDataFields
    guard !fields.isEmpty else { return }
    for role in book.roles(of: className) {
      guard let grants = role.grants, role.applyWhen.isPossibleWithoutCustomData,
        grants.writeFilter.isPossibleWithoutCustomData,
        fields.contains(where: { $0.isEmpty || grants.writableFields.includes($0) })
      else { continue }
      problems.warning(
        database.ruleFile(of: className, book, sync),
        "role \"\(role.name)\": users may write their own custom user data, on which rules depend, and so "
          + "grant themselves permissions. Restrict write, or the fields that users may write"
      )
    }
  }

  /// The fields of custom data that rules refer to; "" for all of them.
  private var customDataFields: Set<String> {
    let expansions = book.roles.flatMap(\.expressions).flatMap(\.expansions)
    let paths = expansions.filter(\.isCustomData).map(\.path)
    return Set(paths.map { $0.count > 1 ? $0[1] : "" })
  }

  private func warnOfMissingCustomData(_ role: Role, _ file: String) {
    for expression in role.expressions where expression.usesCustomData {
      let advice = "Configure it in auth/custom_user_data.json, or remove the condition"
      problems.warning(
        file,
        expression.isPossibleWithoutCustomData
          ? "role \"\(role.name)\": the app has no custom user data, so a comparison with %%user.custom_data holds for "
            + "nobody, and its negation ($ne, $exists: false) for everybody. \(advice)"
          : "role \"\(role.name)\": the app has no custom user data, so a condition on %%user.custom_data is never "
            + "true. \(advice)"
      )
    }
  }

  private func warnOfUnconfirmedAddresses(_ role: Role, _ file: String) {
    let usesAddress = role.expressions.contains { expression in
      expression.expansions.contains { $0.root == .user && $0.path == ["data", "email"] }
    }
    guard usesAddress else { return }
    problems.warning(
      file,
      "role \"\(role.name)\" depends on %%user.data.email, but with autoConfirm anybody can register any "
        + "e-mail address that is still free. Turn off autoConfirm in auth/providers.json, or use %%user.id"
    )
  }
}

extension RuleExpression {
  /// Whether the expression may be true for an ordinary user without custom data. Makes no assumptions about objects
  /// and values.
  fileprivate var isPossibleWithoutCustomData: Bool { canBe(true) }

  private func canBe(_ value: Bool) -> Bool {
    switch self {
    case .constant(let constant): constant == value
    case .all(let parts): value ? parts.allSatisfy { $0.canBe(true) } : parts.contains { $0.canBe(false) }
    case .any(let parts): value ? parts.contains { $0.canBe(true) } : parts.allSatisfy { $0.canBe(false) }
    case .not(let part): part.canBe(!value)
    case .test(let test): test.canBe(value)
    }
  }
}

extension RuleTest {
  fileprivate func canBe(_ value: Bool) -> Bool {
    switch subject {
    case .constant: true
    case .field, .element: value ? !comparesWithCustomData : true
    case .expansion(let expansion) where expansion.isCustomData:
      // A missing value equals at most null.
      condition == .compare(.equal, .literal(.null)) ? value : !value
    case .expansion(let expansion) where expansion.root == .user && expansion.path == ["type"]:
      typeCondition.map { $0 == value } ?? true
    case .expansion: value ? !comparesWithCustomData : true
    }
  }

  /// Whether the condition holds for the type of an ordinary user; nil if that depends on more than the type.
  private var typeCondition: Bool? {
    let normal = RuleOperand.literal(.string("normal"))
    switch condition {
    case .compare(.equal, let operand): return operand == normal
    case .oneOf(.list(let operands)): return operands.contains(normal)
    default: return nil
    }
  }

  private var comparesWithCustomData: Bool {
    var found = false
    RuleExpression.test(self).forEachTest { test in
      test.condition.operand?.forEachExpansion { if $0.isCustomData { found = true } }
    }
    return found
  }
}
