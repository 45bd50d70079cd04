// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncDocuments
import FlexSyncServerStore

/// Determines the records to write so that users exist here as they did on another server. Only reads the store; a
/// second run with the same file finds nothing to do.
struct MigrationPlanner {
  /// The records to write for a user.
  struct Plan {
    var user: MigratedUser
    /// Whether the user does not exist here yet.
    var isNew: Bool
    /// The identities that do not exist here yet.
    var missing: [MigratedUser.Identity] = []
    /// The secrets to store for the user's e-mail addresses in place of password hashes.
    var secrets: [String: String] = [:]
    /// The secrets of the user's keys, with the identifiers of their identities.
    var apiKeys: [(id: String, key: String)] = []
    /// Whether the user was anonymous and gets a key for logging in.
    var needsAnonymousKey = false
    /// The addresses to which e-mails for setting a password are sent.
    var mailAddresses: [String] = []
    /// Whether the user will be able to log in.
    var hasWayBack = false

    var isEmpty: Bool {
      !isNew && missing.isEmpty && secrets.isEmpty && apiKeys.isEmpty && !needsAnonymousKey
        && mailAddresses.isEmpty
    }
  }

  /// Nil if there is no store yet, and therefore no users.
  let store: ServerStore?
  let ways: WaysBack
  private var seenUsers: [String: String] = [:]
  private var seenIdentities: [String: String] = [:]

  init(store: ServerStore?, ways: WaysBack) {
    self.store = store
    self.ways = ways
  }

  /// - Throws: `DocumentError` if the user cannot be migrated, with the reason and a remedy.
  mutating func plan(_ user: MigratedUser, at place: String) throws -> Plan {
    try noteSeen(user, place)
    var plan = Plan(user: user, isNew: try store?.user(id: user.id) == nil)
    for identity in user.identities where try !isHere(identity, of: user) {
      try checkIsOnly(identity, of: user)
      plan.missing.append(identity)
    }
    try ways.complete(&plan, store)
    return plan
  }

  private mutating func noteSeen(_ user: MigratedUser, _ place: String) throws(DocumentError) {
    if let other = seenUsers[user.id] {
      throw DocumentError(
        description: "the user \(user.id) already appears in \(other); list all identities of a user together"
      )
    }
    for identity in user.identities {
      guard let other = seenIdentities["\(identity.provider):\(identity.subject)"] else { continue }
      throw DocumentError(
        description: "\(identity.shown) also belongs to the user in \(other); keep it for only one of them"
      )
    }
    seenUsers[user.id] = place
    for identity in user.identities { seenIdentities["\(identity.provider):\(identity.subject)"] = place }
  }

  /// Checks that a user who is here already does not get a second identity of a provider. Only keys can be several.
  private func checkIsOnly(_ identity: MigratedUser.Identity, of user: MigratedUser) throws {
    guard identity.provider != Provider.apiKey,
      let other = try store?.identities(userID: user.id).first(where: { $0.provider == identity.provider })
    else { return }
    throw DocumentError(
      description:
        "the user \(user.id) has another \(identity.provider) identity on this server (\(other.subject)); remove "
        + "\(identity.shown) from the file, or delete the user there first (flexsyncd users delete keeps the objects)"
    )
  }

  private func isHere(_ identity: MigratedUser.Identity, of user: MigratedUser) throws -> Bool {
    guard let other = try store?.identity(provider: identity.provider, subject: identity.subject) else {
      return false
    }
    guard other.userID != user.id else { return true }
    guard let otherID = other.userID else {
      throw DocumentError(
        description:
          "\(identity.shown) has since been registered on this server, but nobody has logged in with it; "
          + "delete it there (flexsyncd users delete), or remove the identity from the file"
      )
    }
    throw DocumentError(
      description:
        "\(identity.shown) belongs to the user \(otherID) on this server; delete that user (flexsyncd users "
        + "delete keeps the objects), or remove the identity from the file"
    )
  }
}

extension MigratedUser.Identity {
  /// The identity as described in messages.
  var shown: String {
    provider == Provider.emailPassword
      ? "the e-mail address \(subject)" : "the \(provider) identity \(subject)"
  }
}
