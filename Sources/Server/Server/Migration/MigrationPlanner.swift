// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncDocuments
import FlexSyncServerStore

/// Decides what has to be written for users to be here as they were on another server. Reads and writes nothing else; a
/// second run with the same file finds nothing to do.
struct MigrationPlanner {
  /// The records to write for a user.
  struct Plan {
    var user: MigratedUser
    /// Whether the user is not here yet.
    var isNew: Bool
    /// The identities that are not here yet.
    var missing: [MigratedUser.Identity] = []
    /// The secret to keep for the e-mail addresses of the user, in place of the hash of a password.
    var secrets: [String: String] = [:]
    /// Secrets of keys that the user has, with the identifiers of their identities.
    var apiKeys: [(id: String, key: String)] = []
    /// Whether the user was anonymous and gets a key to log in with.
    var needsAnonymousKey = false
    /// Where a mail goes with which the user can set a password.
    var mailAddresses: [String] = []
    /// Whether the user can log in afterwards.
    var hasWayBack = false

    var isEmpty: Bool {
      !isNew && missing.isEmpty && secrets.isEmpty && apiKeys.isEmpty && !needsAnonymousKey
        && mailAddresses.isEmpty
    }
  }

  /// Nil if there is none yet: nobody is there.
  let store: ServerStore?
  let ways: WaysBack
  private var seenUsers: [String: String] = [:]
  private var seenIdentities: [String: String] = [:]

  init(store: ServerStore?, ways: WaysBack) {
    self.store = store
    self.ways = ways
  }

  /// - Throws: `DocumentError` if the user cannot be taken, with the reason and what can be done.
  mutating func plan(_ user: MigratedUser, at place: String) throws -> Plan {
    try noteSeen(user, place)
    var plan = Plan(user: user, isNew: try store?.user(id: user.id) == nil)
    for identity in user.identities where try !isHere(identity, of: user) { plan.missing.append(identity) }
    try ways.complete(&plan, store)
    return plan
  }

  private mutating func noteSeen(_ user: MigratedUser, _ place: String) throws(DocumentError) {
    if let other = seenUsers[user.id] {
      throw DocumentError(
        description: "the user \(user.id) is in \(other) already; put all identities of a user together"
      )
    }
    for identity in user.identities {
      guard let other = seenIdentities["\(identity.provider):\(identity.subject)"] else { continue }
      throw DocumentError(
        description: "\(identity.shown) is that of the user in \(other), too; decide whose it is"
      )
    }
    seenUsers[user.id] = place
    for identity in user.identities { seenIdentities["\(identity.provider):\(identity.subject)"] = place }
  }

  private func isHere(_ identity: MigratedUser.Identity, of user: MigratedUser) throws -> Bool {
    guard let other = try store?.identity(provider: identity.provider, subject: identity.subject) else {
      return false
    }
    guard other.userID != user.id else { return true }
    guard let otherID = other.userID else {
      throw DocumentError(
        description:
          "\(identity.shown) was registered here meanwhile, and nobody has logged in with it; remove it "
          + "(flexsyncd users delete), or the identity from the file"
      )
    }
    throw DocumentError(
      description:
        "\(identity.shown) is that of the user \(otherID) here; delete that user (flexsyncd users delete), "
        + "whose objects stay, or remove the identity from the file"
    )
  }
}

extension MigratedUser.Identity {
  /// For messages.
  var shown: String {
    provider == Provider.emailPassword
      ? "the e-mail address \(subject)" : "the identity \(subject) of \(provider)"
  }
}
