// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncServerStore

/// Account changes that both users and the operator can make. Every call must run inside a write of the caller.
package struct AccountEditor {
  let store: ServerStore
  let clock: WallClock

  package init(store: ServerStore, clock: WallClock) {
    self.store = store
    self.clock = clock
  }

  /// The account of an e-mail address.
  ///
  /// - Throws: `AccountError.userNotFound` if there is none.
  package func account(email: String) throws -> IdentityRecord {
    guard let identity = try store.identity(provider: Provider.emailPassword, subject: email) else {
      throw AccountError.userNotFound
    }
    return identity
  }

  /// Confirms an account's e-mail address, so that its user can log in.
  package func confirm(email: String) throws {
    var identity = try account(email: email)
    identity.isPending = false
    identity.isConfirmed = true
    try store.update(identity)
    try store.deleteMailTokens(email: email)
    if let userID = identity.userID { try store.noteAccountChange(userID: userID, time: clock.seconds) }
  }

  /// Replaces a password, revokes the user's log-ins and disables the user's API keys: anyone who knew the old
  /// password may hold them.
  ///
  /// - Parameter isConfirmed: Whether this proves who owns the address: the user has received an e-mail there, or
  ///   the operator makes the change.
  package func setPasswordHash(_ hash: String, email: String, isConfirmed: Bool) throws {
    var identity = try account(email: email)
    identity.passwordHash = hash
    if isConfirmed {
      identity.isPending = false
      identity.isConfirmed = true
    }
    try store.update(identity)
    try store.deleteMailTokens(email: email)
    guard let userID = identity.userID else { return }
    try store.disableAPIKeys(userID: userID)
    try revokeLogins(userID)
  }

  /// Enables or disables a key. Disabling it also revokes the log-ins made with it.
  package func setDisabled(_ isDisabled: Bool, _ key: APIKeyRecord) throws {
    try store.setDisabled(isDisabled, apiKeyID: key.id)
    if isDisabled { try revokeLogins(of: key) }
  }

  /// Deletes a key and revokes the log-ins made with it.
  package func delete(_ key: APIKeyRecord) throws {
    try store.deleteAPIKey(id: key.id)
    try revokeLogins(of: key)
  }

  private func revokeLogins(of key: APIKeyRecord) throws {
    // The user of a server key has no other credentials.
    if key.isServer { return try revokeLogins(key.userID) }
    try store.deleteLogins(userID: key.userID, apiKeyID: key.id)
    try store.noteAccountChange(userID: key.userID, time: clock.seconds)
  }

  /// Revokes all log-ins of a user.
  package func revokeLogins(_ userID: String) throws {
    try store.deleteLogins(userID: userID)
    try store.noteAccountChange(userID: userID, time: clock.seconds)
  }

  /// Enables a user, or disables the user and revokes all log-ins.
  package func setDisabled(_ isDisabled: Bool, _ userID: String) throws {
    try store.setDisabled(isDisabled, userID: userID)
    if isDisabled { try store.deleteLogins(userID: userID) }
    try store.noteAccountChange(userID: userID, time: clock.seconds)
  }

  /// Lets a running server end the connections of a user who is about to be deleted, because they use the files that
  /// are deleted as well.
  package func beginDeletion(_ userID: String) throws {
    try store.beginDeletion(userID: userID)
    try revokeLogins(userID)
  }

  /// Creates a token for an e-mail address.
  ///
  /// - Parameter lifetime: The lifetime in seconds.
  /// - Returns: The stored record, and the token itself, which is not stored.
  package func makeMailToken(_ purpose: MailTokenRecord.Purpose, email: String, lifetime: Int64) throws
    -> (record: MailTokenRecord, token: String)
  {
    let token = Identifiers.makeSecret()
    let record = MailTokenRecord(
      id: Identifiers.make(),
      purpose: purpose,
      email: email,
      digest: Identifiers.digest(token),
      expires: clock.seconds + lifetime
    )
    try store.insert(record)
    return (record, token)
  }
}
