// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// One identity of a user: an e-mail address, the subject of a provider's tokens, or a key.
public struct IdentityRecord: Hashable, Sendable {
  /// The type of the provider, such as `local-userpass`.
  public var provider: String
  /// The user's name at the provider: the e-mail address in normalized form, or a token's `sub`.
  public var subject: String
  /// The identifier sent to clients.
  public var id: String
  /// The user who logs in with the identity; nil until the first log-in.
  public var userID: String?
  /// A line of `PasswordHash`, for e-mail addresses.
  public var passwordHash: String?
  /// Whether the e-mail address still needs to be confirmed.
  public var isPending = false
  /// Whether the e-mail address has been proven to be the user's: the user has received a mail there, or the operator
  /// vouches for it.
  public var isConfirmed = false
  /// The data that the provider supplies about the user, as a JSON object.
  public var data = "{}"
  /// Seconds since 1970.
  public var created: Int64

  public init(provider: String, subject: String, id: String, created: Int64) {
    self.provider = provider
    self.subject = subject
    self.id = id
    self.created = created
  }
}

extension IdentityRecord {
  fileprivate static let columns =
    "provider, subject, id, user_id, secret, pending, data, confirmed, created"

  fileprivate init(_ row: Statement) {
    provider = row.text(0)
    subject = row.text(1)
    id = row.text(2)
    userID = row.optionalText(3)
    passwordHash = row.optionalText(4)
    isPending = row.flag(5)
    data = row.text(6)
    isConfirmed = row.flag(7)
    created = row.int(8)
  }
}

extension ServerStore {
  /// Adds an identity. Returns false if the provider already has one with this subject.
  public func insert(_ identity: IdentityRecord) throws -> Bool {
    let sql = """
      INSERT OR IGNORE INTO flx_identities (\(IdentityRecord.columns), position)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, \(ServerStore.nextPosition)) RETURNING id
      """
    return try write { try !database.rows(sql, ServerStore.values(identity)) { $0.text(0) }.isEmpty }
  }

  /// Identities are listed in the order in which the user acquired them.
  private static let nextPosition =
    "(SELECT 1 + coalesce(max(position), 0) FROM flx_identities WHERE user_id = ?4)"

  /// Stores the changes to an identity. Must be called inside a write.
  public func update(_ identity: IdentityRecord) throws {
    let sql = """
      UPDATE flx_identities SET id = ?3, secret = ?5, pending = ?6, data = ?7, confirmed = ?8, user_id = ?4,
        position = CASE WHEN user_id IS ?4 THEN position ELSE \(ServerStore.nextPosition) END
      WHERE provider = ?1 AND subject = ?2
      """
    try database.run(sql, ServerStore.values(identity).dropLast())
  }

  /// The values of `IdentityRecord.columns`.
  private static func values(_ identity: IdentityRecord) -> [any StatementValue] {
    [
      identity.provider, identity.subject, identity.id, identity.userID, identity.passwordHash,
      identity.isPending,
      identity.data, identity.isConfirmed, identity.created,
    ]
  }

  /// Returns the identity with a subject at a provider.
  public func identity(provider: String, subject: String) throws -> IdentityRecord? {
    try identities(where: "provider = ?1 AND subject = ?2", provider, subject).first
  }

  /// Returns the identities of a user, in the order in which the user acquired them.
  public func identities(userID: String) throws -> [IdentityRecord] {
    try identities(where: "user_id = ?1 ORDER BY position", userID)
  }

  /// Returns the identities of a provider that have never been used to log in, by subject.
  public func unusedIdentities(provider: String) throws -> [IdentityRecord] {
    try identities(where: "provider = ?1 AND user_id IS NULL ORDER BY subject", provider)
  }

  private func identities(where condition: String, _ values: String...) throws -> [IdentityRecord] {
    let sql = "SELECT \(IdentityRecord.columns) FROM flx_identities WHERE \(condition)"
    return try database.rows(sql, values, read: IdentityRecord.init)
  }

  /// Deletes an identity that belongs to no user, with its mail tokens. Must be called inside a write.
  public func deleteUnusedIdentity(provider: String, subject: String) throws {
    let sql = "DELETE FROM flx_identities WHERE provider = ?1 AND subject = ?2 AND user_id IS NULL"
    try database.run(sql, [provider, subject])
    try deleteMailTokens(email: subject)
  }
}
