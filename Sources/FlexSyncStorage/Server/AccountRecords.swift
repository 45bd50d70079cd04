// SPDX-License-Identifier: Apache-2.0

/// One user of an app.
public struct UserRecord: Hashable, Sendable {
  /// 24 hexadecimal digits.
  public var id: String
  /// The provider's type, such as `local-userpass`.
  public var provider: String
  /// In lower case; nil for anonymous users.
  public var email: String?
  /// A line of `PasswordHash`; nil for anonymous users.
  public var passwordHash: String?
  /// Seconds since 1970.
  public var created: Int64
  public var isDisabled: Bool

  public init(
    id: String,
    provider: String,
    email: String? = nil,
    passwordHash: String? = nil,
    created: Int64,
    isDisabled: Bool = false
  ) {
    self.id = id
    self.provider = provider
    self.email = email
    self.passwordHash = passwordHash
    self.created = created
    self.isDisabled = isDisabled
  }
}

/// A log-in that has not been logged out.
public struct LoginRecord: Hashable, Sendable {
  public var id: String
  public var userID: String
  public var deviceID: String
  /// Seconds since 1970.
  public var expires: Int64

  public init(id: String, userID: String, deviceID: String, expires: Int64) {
    self.id = id
    self.userID = userID
    self.deviceID = deviceID
    self.expires = expires
  }
}

extension ServerStore {
  /// Adds a user. False if another one has the e-mail address.
  public func insert(_ user: UserRecord) throws -> Bool {
    let sql = "INSERT OR IGNORE INTO flx_users VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id"
    return try write {
      try database.withStatement(sql) { statement in
        statement.bind(user.id, at: 1)
        statement.bind(user.provider, at: 2)
        statement.bind(user.email, at: 3)
        statement.bind(user.passwordHash, at: 4)
        statement.bind(user.created, at: 5)
        statement.bind(user.isDisabled ? 1 : 0 as Int64, at: 6)
        let isNew = try statement.step()
        while try statement.step() {}
        return isNew
      }
    }
  }

  /// The user with an identifier.
  public func user(id: String) throws -> UserRecord? { try user(where: "id", is: id) }

  /// The user with an e-mail address in lower case.
  public func user(email: String) throws -> UserRecord? { try user(where: "email", is: email) }

  private func user(where column: String, is value: String) throws -> UserRecord? {
    let sql = """
      SELECT id, provider, email, password_hash, created, disabled FROM flx_users WHERE \(column) = ?1
      """
    return try database.withStatement(sql) { statement in
      statement.bind(value, at: 1)
      guard try statement.step() else { return nil }
      return UserRecord(
        id: statement.text(0),
        provider: statement.text(1),
        email: statement.optionalText(2),
        passwordHash: statement.optionalText(3),
        created: statement.int(4),
        isDisabled: statement.int(5) != 0
      )
    }
  }

  /// Removes a user with the user's log-ins and client files. The objects stay: they are the app's.
  public func deleteUser(id: String) throws {
    try write {
      let files = try database.withStatement("SELECT ident FROM flx_files WHERE user_id = ?1") { statement in
        statement.bind(id, at: 1)
        var idents: [UInt64] = []
        while try statement.step() { idents.append(statement.unsigned(0)) }
        return idents
      }
      for ident in files { try deleteFile(ident: ident) }
      for sql in ["DELETE FROM flx_logins WHERE user_id = ?1", "DELETE FROM flx_users WHERE id = ?1"] {
        try database.withStatement(sql) { statement in
          statement.bind(id, at: 1)
          try statement.run()
        }
      }
    }
  }

  /// Adds a log-in and forgets those that have expired.
  ///
  /// - Parameter now: Seconds since 1970.
  public func insert(_ login: LoginRecord, now: Int64) throws {
    try write {
      try database.withStatement("DELETE FROM flx_logins WHERE user_id = ?1 AND expires <= ?2") { statement in
        statement.bind(login.userID, at: 1)
        statement.bind(now, at: 2)
        try statement.run()
      }
      try database.withStatement("INSERT INTO flx_logins VALUES (?1, ?2, ?3, ?4)") { statement in
        statement.bind(login.id, at: 1)
        statement.bind(login.userID, at: 2)
        statement.bind(login.deviceID, at: 3)
        statement.bind(login.expires, at: 4)
        try statement.run()
      }
    }
  }

  /// Forgets the log-ins of all users that have expired.
  ///
  /// - Parameter now: Seconds since 1970.
  public func deleteLogins(expiredAt now: Int64) throws {
    try database.withStatement("DELETE FROM flx_logins WHERE expires <= ?1") { statement in
      statement.bind(now, at: 1)
      try statement.run()
    }
  }

  /// The log-in with an identifier, if nobody has logged it out.
  public func login(id: String) throws -> LoginRecord? {
    let sql = "SELECT id, user_id, device_id, expires FROM flx_logins WHERE id = ?1"
    return try database.withStatement(sql) { statement in
      statement.bind(id, at: 1)
      guard try statement.step() else { return nil }
      return LoginRecord(
        id: statement.text(0),
        userID: statement.text(1),
        deviceID: statement.text(2),
        expires: statement.int(3)
      )
    }
  }

  /// Logs out.
  public func deleteLogin(id: String) throws {
    try write {
      try database.withStatement("DELETE FROM flx_logins WHERE id = ?1") { statement in
        statement.bind(id, at: 1)
        try statement.run()
      }
    }
  }
}
