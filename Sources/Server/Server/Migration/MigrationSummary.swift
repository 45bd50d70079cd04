// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncDocuments

/// The outcome of a migration of users, or of a dry run.
public struct MigrationSummary: Sendable {
  /// The number of users in the file that could be read.
  public var userCount = 0
  public var disabledCount = 0
  /// The number of identities by provider type.
  public var identityCounts: [String: Int] = [:]
  /// The number of users who did not exist here.
  public var newCount = 0
  /// The number of existing users for whom something missing was added.
  public var completedCount = 0
  /// The number of existing users who were already complete.
  public var presentCount = 0
  /// The number of entries that could not be migrated.
  public var refusedCount = 0
  /// Whether the run was a rehearsal of one that would migrate nobody, because of the entries that are refused.
  public var isPrevented = false
  /// The number of users who are not disabled but cannot log in, by the provider they used before.
  public var lostCounts: [String: Int] = [:]
  /// The number of formerly anonymous users who get a key.
  public var anonymousKeyCount = 0
  /// The number of accounts that get a hash from another system, or accept the first password.
  public var secretCount = 0
  /// The number of e-mails that were handed over, or would be.
  public var mailCount = 0
  /// The reasons why e-mails were not handed over.
  public var mailErrors: [String] = []
  /// Warnings for the operator.
  public var warnings: [String] = []

  mutating func count(_ plan: MigrationPlanner.Plan) {
    userCount += 1
    if plan.user.isDisabled { disabledCount += 1 }
    if plan.needsAnonymousKey { anonymousKeyCount += 1 }
    secretCount += plan.secrets.count
    mailCount += plan.mailAddresses.count
    for identity in plan.user.identities { identityCounts[identity.provider, default: 0] += 1 }
    if plan.isNew {
      newCount += 1
    } else if plan.isEmpty {
      presentCount += 1
    } else {
      completedCount += 1
    }
    guard !plan.user.isDisabled, !plan.hasWayBack else { return }
    lostCounts[MigrationSummary.mainProvider(plan.user), default: 0] += 1
  }

  private static func mainProvider(_ user: MigratedUser) -> String {
    let order = [Provider.emailPassword, Provider.customToken, Provider.apiKey]
    let names = user.identities.map(\.provider)
    return order.first(where: names.contains) ?? names.first { $0 != Provider.anonymous } ?? names.first
      ?? "no provider"
  }

  // MARK: Text

  /// Returns a short, human-readable summary.
  ///
  /// - Parameter isDryRun: Whether the run made no changes.
  public func text(isDryRun: Bool) -> String {
    let providers = identityCounts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    let identities = providers.joined(separator: ", ")
    let note = isDryRun ? " (dry run)" : ""
    var lines = [
      "users in the file: \(userCount) (identities: \(identities)), \(disabledCount) of them disabled",
      "new\(note): \(newCount)",
      "completed\(note): \(completedCount)",
      "already present: \(presentCount)",
      "refused: \(refusedCount)",
    ]
    for (count, what) in [
      (secretCount, "accounts given a password or accepting the first one"),
      (anonymousKeyCount, "API keys for anonymous users"), (mailCount, "password-reset mails"),
    ] where count > 0 { lines.append("\(what): \(count)") }
    for error in mailErrors.prefix(Refusals.shownCount) { lines.append("  could not mail \(error)") }
    if !mailErrors.isEmpty {
      lines.append("mails not delivered: \(mailErrors.count); run the command again to send them")
    }
    let lost = lostCounts.values.reduce(0, +)
    lines.append("users who cannot log in: \(lost) (disabled users are not counted)")
    for (provider, count) in lostCounts.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(count) \(provider): \(MigrationSummary.advice(provider))")
    }
    return lines.joined(separator: "\n")
  }

  private static func advice(_ provider: String) -> String {
    switch provider {
    case Provider.emailPassword:
      "they have no password on this server, or local-userpass is off in auth/providers.json. See --passwords, "
        + "--reset-mails and --first-password-until"
    case Provider.customToken: "custom-token is off in auth/providers.json, or its keys are missing"
    case Provider.apiKey: "App Services does not export the keys themselves. See --api-keys"
    case Provider.anonymous:
      "anonymous users are lost, along with data that is only on their devices. See --anonymous-keys"
    case "no provider": "they have no identity"
    default:
      "this server does not support the provider. If your own service can sign tokens with the same sub, set "
        + "provider_type (with --csv, the column provider) to custom-token in the file"
    }
  }
}
