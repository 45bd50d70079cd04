// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncRules

/// Reads the roles of `rules.json` and `default_rule.json`.
struct RoleReader {
  /// The maximum length of a role's name in characters, as documented by App Services.
  private static let maximumNameLength = 100

  /// Reads a list of roles; returns an empty array if there is none. Reports the problems it finds.
  static func roles(_ list: ConfigurationNode?) -> [Role] {
    guard let list else { return [] }
    guard let elements = list.elements() else {
      list.error("must be a list of roles")
      return []
    }
    var names: Set<String> = []
    var roleOfAll: String?
    return elements.compactMap { element in
      guard let role = role(element) else { return nil }
      if let roleOfAll {
        element.warning(
          "nobody gets the role \"\(role.name)\", because the role \"\(roleOfAll)\" before it applies to everybody. Move "
            + "it before that one, or remove it"
        )
      } else if role.applyWhen == .constant(true) {
        roleOfAll = role.name
      }
      if !names.insert(role.name).inserted {
        element.member("name")?.error("another role is also named \"\(role.name)\"")
      }
      return role
    }
  }

  private static func role(_ node: ConfigurationNode) -> Role? {
    guard node.value.objectValue != nil else { return node.reject("must be an object") }
    guard let name = node.string("name"), !name.isEmpty else { return node.reject("name is missing") }
    if name.count > maximumNameLength {
      node.member("name")?.error("is longer than \(maximumNameLength) characters")
    }
    node.reportUnknownKeys(known: knownKeys)
    return Role(name: name, applyWhen: applyWhen(node, name), grants: grants(node, name))
  }

  private static let knownKeys = [
    "name", "apply_when", "document_filters", "read", "write", "insert", "delete", "search", "fields",
    "additional_fields",
  ]

  /// Returns the `apply_when` of a role. If it cannot be evaluated, it counts as true: the role then denies
  /// everything, as it must, and no later role grants access instead.
  private static func applyWhen(_ node: ConfigurationNode, _ role: String) -> RuleExpression {
    guard let expression = node.member("apply_when") else {
      node.error("apply_when is missing; use {} to apply the role to everybody")
      return .constant(true)
    }
    do throws(RuleSyntaxError) {
      var parser = RuleExpressionParser(allowsFields: false)
      return try parser.expression(expression)
    } catch {
      report(error, role, node.problems)
      return .constant(true)
    }
  }

  /// Returns nil for a role that is not sync-compatible.
  private static func grants(_ node: ConfigurationNode, _ role: String) -> RoleGrants? {
    do throws(RuleSyntaxError) {
      // `applyWhen` has already reported an expression that cannot be evaluated.
      var parser = RuleExpressionParser(allowsFields: false)
      if let expression = node.member("apply_when"), (try? parser.expression(expression)) == nil {
        return nil
      }
      return try SyncCompatibleRole(node: node).grants()
    } catch {
      report(error, role, node.problems)
      return nil
    }
  }

  private static func report(_ error: RuleSyntaxError, _ role: String, _ problems: ProblemCollector) {
    switch error.kind {
    case .malformed: problems.error(error.file, key: error.key, error.message)
    case .notSyncCompatible:
      problems.warning(
        error.file,
        key: error.key,
        "\(error.message). The role \"\(role)\" is not sync-compatible: users with this role have no access"
      )
    }
  }
}

/// The requirements for a sync-compatible role (App Services, "Sync-Compatible Roles").
private struct SyncCompatibleRole {
  let node: ConfigurationNode

  func grants() throws(RuleSyntaxError) -> RoleGrants {
    guard let filters = node.member("document_filters") else {
      throw .notSyncCompatible(node, "document_filters is missing; sync needs its read and write filters")
    }
    guard filters.value.objectValue != nil else { throw .malformed(filters, "must be an object") }
    var grants = RoleGrants()
    grants.readFilter = try filter("read", filters)
    grants.writeFilter = try filter("write", filters)
    grants.insert = try expression("insert") ?? .constant(true)
    grants.delete = try expression("delete") ?? .constant(true)
    let fields = try FieldRules(role: node)
    grants.readableFields = try fields.access("read", document: try literal("read", of: node))
    grants.writableFields = try fields.access("write", document: try literal("write", of: node))
    grants.impliedReadableFields = try fields.impliedReadableFields(
      readable: grants.readableFields,
      writable: grants.writableFields
    )
    if grants.writableFields != .none, !grants.hasUnreadableWrites { fields.warnOfUnusedDenials() }
    return grants
  }

  private func filter(_ name: String, _ filters: ConfigurationNode) throws(RuleSyntaxError) -> RuleExpression
  {
    guard let filter = filters.member(name) else {
      throw .notSyncCompatible(filters, "\(name) is missing; sync needs both read and write")
    }
    var parser = RuleExpressionParser(allowsFields: true)
    return try parser.expression(filter)
  }

  private func expression(_ name: String) throws(RuleSyntaxError) -> RuleExpression? {
    guard let member = node.member(name) else { return nil }
    var parser = RuleExpressionParser(allowsFields: true)
    return try parser.expression(member)
  }

  private func literal(_ name: String, of node: ConfigurationNode) throws(RuleSyntaxError) -> Bool? {
    try FieldRules.literal(name, of: node)
  }
}

/// The `fields` and `additional_fields` of a role.
private struct FieldRules {
  private let role: ConfigurationNode
  private var fields: [(name: String, node: ConfigurationNode)] = []

  init(role: ConfigurationNode) throws(RuleSyntaxError) {
    self.role = role
    guard let node = role.member("fields") else { return }
    guard node.value.objectValue != nil else { throw .malformed(node, "must be an object") }
    fields = try FieldRules.members(node)
    for (name, field) in fields where name == "_id" {
      throw .notSyncCompatible(field, "_id is part of every object and cannot have its own permissions")
    }
  }

  /// Returns the fields that an operation may access. A permission of the document applies to all of its fields and
  /// overrides `fields`.
  func access(_ operation: String, document: Bool?) throws(RuleSyntaxError) -> FieldAccess {
    if let document {
      warnOfUnusedFields(operation)
      return document ? .all : .none
    }
    return try FieldRules.access([operation], fields, of: role)
  }

  /// Returns the fields that may be read, including those readable because they may be written. With permissions of
  /// the document, all writable fields are readable; a field with permissions of its own can deny reading.
  func impliedReadableFields(readable: FieldAccess, writable: FieldAccess) throws(RuleSyntaxError)
    -> FieldAccess
  {
    guard !hasPermissionsOfDocument else { return readable.union(writable) }
    return try FieldRules.access(["read", "write"], fields, of: role)
  }

  /// Returns the fields to which access is granted. The first of `operations` that a field specifies decides.
  ///
  /// - Parameter owner: The node that contains the fields and may have `additional_fields`.
  private static func access(
    _ operations: [String],
    _ fields: [(name: String, node: ConfigurationNode)],
    of owner: ConfigurationNode
  ) throws(RuleSyntaxError) -> FieldAccess {
    var isRestGranted = false
    if let node = owner.member("additional_fields") {
      guard node.value.objectValue != nil else { throw .malformed(node, "must be an object") }
      isRestGranted = try firstLiteral(operations, of: node) ?? false
    }
    var access: FieldAccess = isRestGranted ? .all : .none
    for (name, field) in fields { access.set(name, to: try inner(operations, field)) }
    return access
  }

  /// Returns the access to one field. The field's own permission applies to all of it and overrides those of nested
  /// fields.
  private static func inner(_ operations: [String], _ field: ConfigurationNode) throws(RuleSyntaxError)
    -> FieldAccess
  {
    if let own = try firstLiteral(operations, of: field) { return own ? .all : .none }
    guard let inner = field.member("fields") else { return .none }
    guard inner.value.objectValue != nil else { throw .malformed(inner, "must be an object") }
    return try access(operations, try members(inner), of: field)
  }

  private static func firstLiteral(_ names: [String], of node: ConfigurationNode) throws(RuleSyntaxError)
    -> Bool?
  {
    for name in names {
      if let value = try literal(name, of: node) { return value }
    }
    return nil
  }

  private static func members(_ node: ConfigurationNode) throws(RuleSyntaxError)
    -> [(name: String, node: ConfigurationNode)]
  {
    let members = node.members()
    for (_, field) in members where field.value.objectValue == nil {
      throw .malformed(field, "must be an object")
    }
    return members
  }

  private func warnOfUnusedFields(_ operation: String) {
    for (_, field) in fields {
      if let own = field.member(operation), own.value != role.member(operation)?.value {
        own.warning(
          "has no effect, because the role's own \(operation) overrides it; remove that to set permissions of fields"
        )
      }
    }
  }

  private var hasPermissionsOfDocument: Bool { role.member("read") != nil || role.member("write") != nil }

  /// Warns of fields that may be read because they may be written, although that is denied.
  func warnOfUnusedDenials() {
    guard hasPermissionsOfDocument else { return }
    for denial in role.member("read").map({ [$0] }) ?? FieldRules.denials(in: role)
    where denial.value.boolValue == false {
      denial.warning(
        "does not keep users from reading what they may write, because this role has a read or write of its own. To "
          + "accept fields and show them to nobody, remove those two, give each such field \"read\": false and "
          + "\"write\": true, and grant the others with additional_fields"
      )
    }
  }

  /// Returns the permissions to read of a role's or a field's own, of the fields inside, and of the rest of them.
  private static func denials(in node: ConfigurationNode) -> [ConfigurationNode] {
    let inner = node.member("fields")?.members().map(\.node) ?? []
    let rest = [node.member("additional_fields")].compactMap(\.self)
    return [node.member("read")].compactMap(\.self) + (inner + rest).flatMap(denials)
  }

  static func literal(_ name: String, of node: ConfigurationNode) throws(RuleSyntaxError) -> Bool? {
    guard let member = node.member(name) else { return nil }
    guard let value = member.value.boolValue else {
      throw .notSyncCompatible(member, "must be true or false")
    }
    return value
  }
}
