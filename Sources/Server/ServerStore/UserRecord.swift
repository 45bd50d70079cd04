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
  public var isDisabled: Bool

  public init(
    id: String,
    isServer: Bool = false,
    created: Int64,
    lastLogin: Int64? = nil,
    isDisabled: Bool = false
  ) {
    self.id = id
    self.isServer = isServer
    self.created = created
    self.lastLogin = lastLogin
    self.isDisabled = isDisabled
  }
}

extension ServerStore {
  private static let userColumns = "id, server, created, last_login, disabled"

  /// Adds a user.
  public func insert(_ user: UserRecord) throws {
    let sql = "INSERT INTO flx_users (\(ServerStore.userColumns)) VALUES (?1, ?2, ?3, ?4, ?5)"
    try write {
      try database.withStatement(sql) { statement in
        statement.bind(user.id, at: 1)
        statement.bind(user.isServer ? 1 : 0 as Int64, at: 2)
        statement.bind(user.created, at: 3)
        if let time = user.lastLogin { statement.bind(time, at: 4) } else { statement.bindNull(at: 4) }
        statement.bind(user.isDisabled ? 1 : 0 as Int64, at: 5)
        try statement.run()
      }
    }
  }

  /// Returns the user with an identifier.
  public func user(id: String) throws -> UserRecord? {
    let sql = "SELECT \(ServerStore.userColumns) FROM flx_users WHERE id = ?1"
    return try database.withStatement(sql) { statement in
      statement.bind(id, at: 1)
      return try statement.step() ? ServerStore.user(statement) : nil
    }
  }

  /// Returns users in the order of their identifiers.
  ///
  /// - Parameters:
  ///   - id: The identifier after which to begin; empty to begin with the first user.
  ///   - limit: The maximum number of users.
  public func users(after id: String = "", limit: Int) throws -> [UserRecord] {
    let sql = "SELECT \(ServerStore.userColumns) FROM flx_users WHERE id > ?1 ORDER BY id LIMIT ?2"
    return try database.withStatement(sql) { statement in
      statement.bind(id, at: 1)
      statement.bind(Int64(limit), at: 2)
      var users: [UserRecord] = []
      while try statement.step() { users.append(ServerStore.user(statement)) }
      return users
    }
  }

  private static func user(_ statement: Statement) -> UserRecord {
    UserRecord(
      id: statement.text(0),
      isServer: statement.int(1) != 0,
      created: statement.int(2),
      lastLogin: statement.isNull(3) ? nil : statement.int(3),
      isDisabled: statement.int(4) != 0
    )
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
    return try database.withStatement(sql) { statement in
      statement.bind(provider, at: 1)
      statement.bind(time, at: 2)
      statement.bind(Int64(limit), at: 3)
      var users: [String] = []
      while try statement.step() { users.append(statement.text(0)) }
      return users
    }
  }

  /// Returns the number of users.
  public func userCount() throws -> Int64 { try database.integer("SELECT count(*) FROM flx_users") }

  /// Records that a user has logged in. Must be called inside a write.
  ///
  /// - Parameter time: Seconds since 1970.
  public func noteLogin(userID: String, time: Int64) throws {
    try run("UPDATE flx_users SET last_login = ?2 WHERE id = ?1", userID, time)
  }

  /// Enables or disables a user. Must be called inside a write.
  public func setDisabled(_ isDisabled: Bool, userID: String) throws {
    try run("UPDATE flx_users SET disabled = ?2 WHERE id = ?1", userID, isDisabled ? 1 : 0)
  }

  private func run(_ sql: String, _ userID: String, _ number: Int64) throws {
    try database.withStatement(sql) { statement in
      statement.bind(userID, at: 1)
      statement.bind(number, at: 2)
      try statement.run()
    }
  }

  /// Deletes a user with identities, keys, log-ins, stored custom data and client files. The objects remain, because
  /// they belong to the app.
  public func deleteUser(id: String) throws {
    try write {
      let files = try database.withStatement("SELECT ident FROM flx_files WHERE user_id = ?1") { statement in
        statement.bind(id, at: 1)
        var idents: [UInt64] = []
        while try statement.step() { idents.append(statement.unsigned(0)) }
        return idents
      }
      for ident in files { try deleteFile(ident: ident) }
      let tables = ["flx_logins", "flx_identities", "flx_api_keys", "flx_custom_data"]
      for sql in tables.map({ "DELETE FROM \($0) WHERE user_id = ?1" }) + [
        "DELETE FROM flx_users WHERE id = ?1"
      ] {
        try database.withStatement(sql) { statement in
          statement.bind(id, at: 1)
          try statement.run()
        }
      }
    }
  }
}
