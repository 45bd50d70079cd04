// SPDX-License-Identifier: Apache-2.0

/// A log-in that has not been logged out or revoked.
public struct LoginRecord: Hashable, Sendable {
  public var id: String
  public var userID: String
  public var deviceID: String
  /// Seconds since 1970.
  public var expires: Int64
  /// The identifier of the API key used to log in; nil if none was used.
  public var apiKeyID: String?

  public init(id: String, userID: String, deviceID: String, expires: Int64, apiKeyID: String? = nil) {
    self.id = id
    self.userID = userID
    self.deviceID = deviceID
    self.expires = expires
    self.apiKeyID = apiKeyID
  }
}

extension ServerStore {
  /// Adds a log-in and deletes the user's expired ones.
  ///
  /// - Parameter now: Seconds since 1970.
  public func insert(_ login: LoginRecord, now: Int64) throws {
    try write {
      try database.withStatement("DELETE FROM flx_logins WHERE user_id = ?1 AND expires <= ?2") { statement in
        statement.bind(login.userID, at: 1)
        statement.bind(now, at: 2)
        try statement.run()
      }
      let sql =
        "INSERT INTO flx_logins (id, user_id, device_id, expires, api_key) VALUES (?1, ?2, ?3, ?4, ?5)"
      try database.withStatement(sql) { statement in
        statement.bind(login.id, at: 1)
        statement.bind(login.userID, at: 2)
        statement.bind(login.deviceID, at: 3)
        statement.bind(login.expires, at: 4)
        statement.bind(login.apiKeyID, at: 5)
        try statement.run()
      }
    }
  }

  /// Deletes the expired log-ins of all users.
  ///
  /// - Parameter now: Seconds since 1970.
  public func deleteLogins(expiredAt now: Int64) throws {
    try database.withStatement("DELETE FROM flx_logins WHERE expires <= ?1") { statement in
      statement.bind(now, at: 1)
      try statement.run()
    }
  }

  /// Returns the log-in with an identifier; nil if it has been logged out or revoked.
  public func login(id: String) throws -> LoginRecord? { try logins(where: "id", is: id).first }

  /// Returns the log-ins of a user that have not been logged out or revoked, including expired ones.
  public func logins(userID: String) throws -> [LoginRecord] { try logins(where: "user_id", is: userID) }

  private func logins(where column: String, is value: String) throws -> [LoginRecord] {
    let sql = """
      SELECT id, user_id, device_id, expires, api_key FROM flx_logins WHERE \(column) = ?1 ORDER BY expires
      """
    return try database.withStatement(sql) { statement in
      statement.bind(value, at: 1)
      var logins: [LoginRecord] = []
      while try statement.step() {
        logins.append(
          LoginRecord(
            id: statement.text(0),
            userID: statement.text(1),
            deviceID: statement.text(2),
            expires: statement.int(3),
            apiKeyID: statement.optionalText(4)
          )
        )
      }
      return logins
    }
  }

  /// Deletes a log-in.
  public func deleteLogin(id: String) throws {
    try write { try delete("DELETE FROM flx_logins WHERE id = ?1", id) }
  }

  /// Revokes all log-ins of a user. Must be called inside a write.
  public func deleteLogins(userID: String) throws {
    try delete("DELETE FROM flx_logins WHERE user_id = ?1", userID)
  }

  /// Revokes the log-ins made with an API key of a user. Must be called inside a write.
  public func deleteLogins(userID: String, apiKeyID: String) throws {
    try database.withStatement("DELETE FROM flx_logins WHERE user_id = ?1 AND api_key = ?2") { statement in
      statement.bind(userID, at: 1)
      statement.bind(apiKeyID, at: 2)
      try statement.run()
    }
  }

  private func delete(_ sql: String, _ value: String) throws {
    try database.withStatement(sql) { statement in
      statement.bind(value, at: 1)
      try statement.run()
    }
  }
}
