// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncServerStore

/// Changes of accounts that both users and the operator make. All inside a write of the caller.
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

  /// Lets an account log in whose e-mail address had to be confirmed.
  package func confirm(email: String) throws {
    var identity = try account(email: email)
    identity.isPending = false
    identity.isConfirmed = true
    try store.update(identity)
    try store.deleteMailTokens(email: email)
    if let userID = identity.userID { try store.noteAccountChange(userID: userID, time: clock.seconds) }
  }

  /// Replaces a password, and revokes the user's log-ins and API keys: whoever knew the old password may have them.
  ///
  /// - Parameter isConfirmed: whether that shows whose address it is: a mail was read, or the operator does it.
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

  /// Makes a key usable, or not; then what logged in with it is logged out.
  package func setDisabled(_ isDisabled: Bool, _ key: APIKeyRecord) throws {
    try store.setDisabled(isDisabled, apiKeyID: key.id)
    if isDisabled { try revokeLogins(of: key) }
  }

  /// Deletes a key, and logs out what logged in with it.
  package func delete(_ key: APIKeyRecord) throws {
    try store.deleteAPIKey(id: key.id)
    try revokeLogins(of: key)
  }

  private func revokeLogins(of key: APIKeyRecord) throws {
    // The user of a server key logs in with nothing else.
    if key.isServer { return try revokeLogins(key.userID) }
    try store.deleteLogins(userID: key.userID, apiKeyID: key.id)
    try store.noteAccountChange(userID: key.userID, time: clock.seconds)
  }

  /// Logs a user out everywhere.
  package func revokeLogins(_ userID: String) throws {
    try store.deleteLogins(userID: userID)
    try store.noteAccountChange(userID: userID, time: clock.seconds)
  }

  /// Lets a user in, or logs the user out everywhere and keeps the user out.
  package func setDisabled(_ isDisabled: Bool, _ userID: String) throws {
    try store.setDisabled(isDisabled, userID: userID)
    if isDisabled { try store.deleteLogins(userID: userID) }
    try store.noteAccountChange(userID: userID, time: clock.seconds)
  }

  /// Makes a token for an e-mail address.
  ///
  /// - Parameter lifetime: in seconds.
  /// - Returns: What is kept, and the token itself, which is not.
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
