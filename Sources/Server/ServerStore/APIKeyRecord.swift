// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// An API key, with which programs log in. Only the digest of the key is stored.
public struct APIKeyRecord: Hashable, Sendable {
  /// 24 hexadecimal digits.
  public var id: String
  /// The user that logs in with the key.
  public var userID: String
  public var name: String
  /// The SHA-256 of the key. The key is random and long, so guessing is infeasible even with a fast digest.
  public var digest: [UInt8]
  /// Whether the operator created the key, for a user of its own.
  public var isServer = false
  /// Seconds since 1970.
  public var created: Int64
  public var isDisabled = false

  public init(id: String, userID: String, name: String, digest: [UInt8], created: Int64) {
    self.id = id
    self.userID = userID
    self.name = name
    self.digest = digest
    self.created = created
  }
}

extension APIKeyRecord {
  fileprivate static let columns = "id, user_id, name, hash, server, created, disabled"

  fileprivate init(_ row: Statement) {
    id = row.text(0)
    userID = row.text(1)
    name = row.text(2)
    digest = row.blob(3)
    isServer = row.flag(4)
    created = row.int(5)
    isDisabled = row.flag(6)
  }
}

extension ServerStore {
  /// Adds a key. Returns false if the user has another one with that name.
  public func insert(_ key: APIKeyRecord) throws -> Bool {
    let sql = """
      INSERT OR IGNORE INTO flx_api_keys (\(APIKeyRecord.columns))
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id
      """
    return try write {
      try !database.rows(
        sql,
        [key.id, key.userID, key.name, key.digest, key.isServer, key.created, key.isDisabled]
      ) { $0.text(0) }.isEmpty
    }
  }

  /// Returns the key with a digest.
  public func apiKey(digest: [UInt8]) throws -> APIKeyRecord? {
    try apiKeys(where: "hash = ?1", [digest]).first
  }

  /// Returns the key with an identifier.
  public func apiKey(id: String) throws -> APIKeyRecord? { try apiKeys(where: "id = ?1", [id]).first }

  /// Returns the keys of a user, in the order of their creation.
  public func apiKeys(userID: String) throws -> [APIKeyRecord] {
    try apiKeys(where: "user_id = ?1 ORDER BY rowid", [userID])
  }

  /// Returns the keys that the operator has created, in the order of their creation.
  public func serverAPIKeys() throws -> [APIKeyRecord] {
    try apiKeys(where: "server = 1 ORDER BY rowid", [])
  }

  private func apiKeys(where condition: String, _ values: [any StatementValue]) throws -> [APIKeyRecord] {
    let sql = "SELECT \(APIKeyRecord.columns) FROM flx_api_keys WHERE \(condition)"
    return try database.rows(sql, values, read: APIKeyRecord.init)
  }

  /// Disables all keys of a user, except those that the operator created. Must be called inside a write.
  public func disableAPIKeys(userID: String) throws {
    try database.run("UPDATE flx_api_keys SET disabled = 1 WHERE user_id = ?1 AND server = 0", [userID])
  }

  /// Enables or disables a key. Must be called inside a write.
  public func setDisabled(_ isDisabled: Bool, apiKeyID: String) throws {
    try database.run("UPDATE flx_api_keys SET disabled = ?2 WHERE id = ?1", [apiKeyID, isDisabled])
  }

  /// Deletes a key. Must be called inside a write.
  public func deleteAPIKey(id: String) throws {
    try database.run("DELETE FROM flx_api_keys WHERE id = ?1", [id])
  }
}
