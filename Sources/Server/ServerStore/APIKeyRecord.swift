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
  public var isServer: Bool
  /// Seconds since 1970.
  public var created: Int64
  public var isDisabled: Bool

  public init(
    id: String,
    userID: String,
    name: String,
    digest: [UInt8],
    isServer: Bool,
    created: Int64,
    isDisabled: Bool = false
  ) {
    self.id = id
    self.userID = userID
    self.name = name
    self.digest = digest
    self.isServer = isServer
    self.created = created
    self.isDisabled = isDisabled
  }
}

extension ServerStore {
  /// Adds a key. Returns false if the user has another one with that name.
  public func insert(_ key: APIKeyRecord) throws -> Bool {
    let sql = """
      INSERT OR IGNORE INTO flx_api_keys (id, user_id, name, hash, server, created, disabled)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id
      """
    return try write {
      try database.withStatement(sql) { statement in
        statement.bind(key.id, at: 1)
        statement.bind(key.userID, at: 2)
        statement.bind(key.name, at: 3)
        statement.bind(key.digest, at: 4)
        statement.bind(key.isServer ? 1 : 0 as Int64, at: 5)
        statement.bind(key.created, at: 6)
        statement.bind(key.isDisabled ? 1 : 0 as Int64, at: 7)
        let isNew = try statement.step()
        while try statement.step() {}
        return isNew
      }
    }
  }

  /// Returns the key with a digest.
  public func apiKey(digest: [UInt8]) throws -> APIKeyRecord? {
    try apiKeys(where: "hash = ?1") { $0.bind(digest, at: 1) }.first
  }

  /// Returns the key with an identifier.
  public func apiKey(id: String) throws -> APIKeyRecord? {
    try apiKeys(where: "id = ?1") { $0.bind(id, at: 1) }.first
  }

  /// Returns the keys of a user, in the order of their creation.
  public func apiKeys(userID: String) throws -> [APIKeyRecord] {
    try apiKeys(where: "user_id = ?1 ORDER BY rowid") { $0.bind(userID, at: 1) }
  }

  /// Returns the keys that the operator has created, in the order of their creation.
  public func serverAPIKeys() throws -> [APIKeyRecord] {
    try apiKeys(where: "server = 1 ORDER BY rowid") { _ in }
  }

  private func apiKeys(where condition: String, _ bind: (Statement) -> Void) throws -> [APIKeyRecord] {
    let sql = "SELECT id, user_id, name, hash, server, created, disabled FROM flx_api_keys WHERE \(condition)"
    return try database.withStatement(sql) { statement in
      bind(statement)
      var keys: [APIKeyRecord] = []
      while try statement.step() {
        keys.append(
          APIKeyRecord(
            id: statement.text(0),
            userID: statement.text(1),
            name: statement.text(2),
            digest: statement.blob(3),
            isServer: statement.int(4) != 0,
            created: statement.int(5),
            isDisabled: statement.int(6) != 0
          )
        )
      }
      return keys
    }
  }

  /// Disables all keys of a user, except those that the operator created. Must be called inside a write.
  public func disableAPIKeys(userID: String) throws {
    try database.withStatement("UPDATE flx_api_keys SET disabled = 1 WHERE user_id = ?1 AND server = 0") {
      statement in
      statement.bind(userID, at: 1)
      try statement.run()
    }
  }

  /// Enables or disables a key. Must be called inside a write.
  public func setDisabled(_ isDisabled: Bool, apiKeyID: String) throws {
    try database.withStatement("UPDATE flx_api_keys SET disabled = ?2 WHERE id = ?1") { statement in
      statement.bind(apiKeyID, at: 1)
      statement.bind(isDisabled ? 1 : 0 as Int64, at: 2)
      try statement.run()
    }
  }

  /// Deletes a key. Must be called inside a write.
  public func deleteAPIKey(id: String) throws {
    try database.withStatement("DELETE FROM flx_api_keys WHERE id = ?1") { statement in
      statement.bind(id, at: 1)
      try statement.run()
    }
  }
}
