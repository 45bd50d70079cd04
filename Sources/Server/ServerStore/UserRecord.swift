// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// A user of an app. The user's identities determine how the user logs in.
public struct UserRecord: Hashable, Sendable {
  /// 24 hexadecimal digits.
  public var id: String
  /// Whether the user represents a server API key.
  public var isServer: Bool
  /// Seconds since 1970.
  public var created: Int64
  /// Seconds since 1970; nil before the first log-in.
  public var lastLogin: Int64?
  public var isDisabled = false
  /// Whether a command is about to delete the user, who is disabled until then.
  public private(set) var isBeingDeleted = false

  public init(id: String, isServer: Bool = false, created: Int64) {
    self.id = id
    self.isServer = isServer
    self.created = created
  }
}

extension UserRecord {
  /// The value of the column `disabled` for a user who is about to be deleted.
  fileprivate static let deletion: Int64 = 2

  fileprivate static let columns = "id, server, created, last_login, disabled"

  fileprivate init(_ row: Statement) {
    id = row.text(0)
    isServer = row.flag(1)
    created = row.int(2)
    lastLogin = row.optionalInt(3)
    isDisabled = row.flag(4)
    isBeingDeleted = row.int(4) == UserRecord.deletion
  }
}

extension ServerStore {
  /// Adds a user.
  public func insert(_ user: UserRecord) throws {
    let sql = "INSERT INTO flx_users (\(UserRecord.columns)) VALUES (?1, ?2, ?3, ?4, ?5)"
    try write {
      try database.run(sql, [user.id, user.isServer, user.created, user.lastLogin, user.isDisabled])
    }
  }

  /// Returns the user with an identifier.
  public func user(id: String) throws -> UserRecord? {
    let sql = "SELECT \(UserRecord.columns) FROM flx_users WHERE id = ?1"
    return try database.firstRow(sql, [id], read: UserRecord.init)
  }

  /// Returns users in the order of their identifiers.
  ///
  /// - Parameters:
  ///   - id: The identifier after which to begin; empty to begin with the first user.
  ///   - limit: The maximum number of users.
  public func users(after id: String = "", limit: Int) throws -> [UserRecord] {
    let sql = "SELECT \(UserRecord.columns) FROM flx_users WHERE id > ?1 ORDER BY id LIMIT ?2"
    return try database.rows(sql, [id, limit], read: UserRecord.init)
  }

  /// Returns users who can never return, because their only identity is an anonymous one whose log-in has ended. Must
  /// be called inside a write.
  ///
  /// - Parameters:
  ///   - provider: The type of the anonymous provider.
  ///   - time: Only users who last logged in before this time, in seconds since 1970, are returned.
  public func lostUsers(provider: String, before time: Int64, limit: Int) throws -> [String] {
    let sql = """
      SELECT id FROM flx_users AS u WHERE last_login < ?2
        AND NOT EXISTS (SELECT 1 FROM flx_logins WHERE user_id = u.id)
        AND NOT EXISTS (SELECT 1 FROM flx_identities WHERE user_id = u.id AND provider <> ?1)
        AND NOT EXISTS (SELECT 1 FROM flx_api_keys WHERE user_id = u.id)
      LIMIT ?3
      """
    return try database.rows(sql, [provider, time, limit]) { $0.text(0) }
  }

  /// Returns the number of users.
  public func userCount() throws -> Int64 { try database.integer("SELECT count(*) FROM flx_users") }

  /// Records that a user has logged in. Must be called inside a write.
  ///
  /// - Parameter time: Seconds since 1970.
  public func noteLogin(userID: String, time: Int64) throws {
    try database.run("UPDATE flx_users SET last_login = ?2 WHERE id = ?1", [userID, time])
  }

  /// Enables or disables a user. Must be called inside a write.
  public func setDisabled(_ isDisabled: Bool, userID: String) throws {
    try database.run("UPDATE flx_users SET disabled = ?2 WHERE id = ?1", [userID, isDisabled])
  }

  /// Disables a user who is about to be deleted. Must be called inside a write.
  public func beginDeletion(userID: String) throws {
    try database.run("UPDATE flx_users SET disabled = ?2 WHERE id = ?1", [userID, UserRecord.deletion])
  }

  /// Deletes a user with identities, keys, log-ins, stored custom data and client files. The objects remain, because
  /// they belong to the app.
  public func deleteUser(id: String) throws {
    try write {
      for ident in try fileIdents(of: id) { try deleteFile(ident: ident) }
      for table in ["flx_logins", "flx_identities", "flx_api_keys", "flx_custom_data"] {
        try database.run("DELETE FROM \(table) WHERE user_id = ?1", [id])
      }
      try database.run("DELETE FROM flx_users WHERE id = ?1", [id])
    }
  }
}
