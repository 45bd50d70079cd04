// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// A log-in that has not been logged out or revoked.
public struct LoginRecord: Hashable, Sendable {
  public var id: String
  public var userID: String
  public var deviceID: String
  /// Seconds since 1970.
  public var expires: Int64
  /// The identifier of the API key used to log in; nil if none was used.
  public var apiKeyID: String?

  public init(id: String, userID: String, deviceID: String, expires: Int64) {
    self.id = id
    self.userID = userID
    self.deviceID = deviceID
    self.expires = expires
  }
}

extension ServerStore {
  /// Adds a log-in and deletes the user's expired ones.
  ///
  /// - Parameter now: Seconds since 1970.
  public func insert(_ login: LoginRecord, now: Int64) throws {
    try write {
      try database.run("DELETE FROM flx_logins WHERE user_id = ?1 AND expires <= ?2", [login.userID, now])
      try database.run(
        "INSERT INTO flx_logins (id, user_id, device_id, expires, api_key) VALUES (?1, ?2, ?3, ?4, ?5)",
        [login.id, login.userID, login.deviceID, login.expires, login.apiKeyID]
      )
    }
  }

  /// Deletes the expired log-ins of all users.
  ///
  /// - Parameter now: Seconds since 1970.
  public func deleteLogins(expiredAt now: Int64) throws {
    try database.run("DELETE FROM flx_logins WHERE expires <= ?1", [now])
  }

  /// Whether any user is logged in.
  public var hasLogins: Bool {
    get throws { try database.integer("SELECT EXISTS (SELECT 1 FROM flx_logins)") != 0 }
  }

  /// Returns the log-in with an identifier; nil if it has been logged out or revoked.
  public func login(id: String) throws -> LoginRecord? { try logins(where: "id", is: id).first }

  /// Returns the log-ins of a user that have not been logged out or revoked, including expired ones.
  public func logins(userID: String) throws -> [LoginRecord] { try logins(where: "user_id", is: userID) }

  private func logins(where column: String, is value: String) throws -> [LoginRecord] {
    let sql = """
      SELECT id, user_id, device_id, expires, api_key FROM flx_logins WHERE \(column) = ?1 ORDER BY expires
      """
    return try database.rows(sql, [value]) {
      var login = LoginRecord(id: $0.text(0), userID: $0.text(1), deviceID: $0.text(2), expires: $0.int(3))
      login.apiKeyID = $0.optionalText(4)
      return login
    }
  }

  /// Deletes a log-in.
  public func deleteLogin(id: String) throws {
    try write { try database.run("DELETE FROM flx_logins WHERE id = ?1", [id]) }
  }

  /// Revokes all log-ins of a user. Must be called inside a write.
  public func deleteLogins(userID: String) throws {
    try database.run("DELETE FROM flx_logins WHERE user_id = ?1", [userID])
  }

  /// Revokes the log-ins made with an API key of a user. Must be called inside a write.
  public func deleteLogins(userID: String, apiKeyID: String) throws {
    try database.run("DELETE FROM flx_logins WHERE user_id = ?1 AND api_key = ?2", [userID, apiKeyID])
  }
}
