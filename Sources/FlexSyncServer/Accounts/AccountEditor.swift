// SPDX-License-Identifier: Apache-2.0

import FlexSyncStorage

/// Changes of accounts that both users and the operator make. All inside a write of the caller.
struct AccountEditor {
  let store: ServerStore
  let clock: WallClock

  /// The account of an e-mail address.
  ///
  /// - Throws: `APIError.userNotFound` if there is none.
  func account(email: String) throws -> IdentityRecord {
    guard let identity = try store.identity(provider: Provider.emailPassword, subject: email) else {
      throw APIError.userNotFound
    }
    return identity
  }

  /// Lets an account log in whose e-mail address had to be confirmed.
  func confirm(email: String) throws {
    var identity = try account(email: email)
    identity.isPending = false
    try store.update(identity)
    try store.deleteMailTokens(email: email)
  }

  /// Replaces a password and revokes the user's log-ins. The account counts as confirmed: whoever sets a password has
  /// read a mail, or is the operator, or has logged in before.
  func setPasswordHash(_ hash: String, email: String) throws {
    var identity = try account(email: email)
    identity.passwordHash = hash
    identity.isPending = false
    try store.update(identity)
    try store.deleteMailTokens(email: email)
    if let userID = identity.userID { try revokeLogins(userID) }
  }

  /// Logs a user out everywhere.
  func revokeLogins(_ userID: String) throws {
    try store.deleteLogins(userID: userID)
    try store.noteAccountChange(userID: userID, time: clock.seconds)
  }

  /// Lets a user in, or logs the user out everywhere and keeps the user out.
  func setDisabled(_ isDisabled: Bool, _ userID: String) throws {
    try store.setDisabled(isDisabled, userID: userID)
    if isDisabled { try store.deleteLogins(userID: userID) }
    try store.noteAccountChange(userID: userID, time: clock.seconds)
  }

  /// Makes a token for an e-mail address.
  ///
  /// - Parameter lifetime: in seconds.
  /// - Returns: What is kept, and the token itself, which is not.
  func makeMailToken(_ purpose: MailTokenRecord.Purpose, email: String, lifetime: Int64) throws
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
