// SPDX-License-Identifier: Apache-2.0

/// A secret sent to an e-mail address, to verify that its owner receives mail there.
public struct MailTokenRecord: Hashable, Sendable {
  /// The purpose of a token.
  public enum Purpose: String, Sendable {
    case confirmation
    case passwordReset
  }

  /// 24 hexadecimal digits; not secret.
  public var id: String
  public var purpose: Purpose
  /// The e-mail address, in lower case.
  public var email: String
  /// The SHA-256 of the token.
  public var digest: [UInt8]
  /// Seconds since 1970.
  public var expires: Int64

  public init(id: String, purpose: Purpose, email: String, digest: [UInt8], expires: Int64) {
    self.id = id
    self.purpose = purpose
    self.email = email
    self.digest = digest
    self.expires = expires
  }
}

extension ServerStore {
  /// Adds a token. Must be called inside a write.
  public func insert(_ token: MailTokenRecord) throws {
    try database.withStatement("INSERT INTO flx_mail_tokens VALUES (?1, ?2, ?3, ?4, ?5)") { statement in
      statement.bind(token.id, at: 1)
      statement.bind(token.purpose.rawValue, at: 2)
      statement.bind(token.email, at: 3)
      statement.bind(token.digest, at: 4)
      statement.bind(token.expires, at: 5)
      try statement.run()
    }
  }

  /// Returns the token with an identifier.
  public func mailToken(id: String) throws -> MailTokenRecord? {
    let sql = "SELECT id, purpose, email, hash, expires FROM flx_mail_tokens WHERE id = ?1"
    return try database.withStatement(sql) { statement in
      statement.bind(id, at: 1)
      guard try statement.step(), let purpose = MailTokenRecord.Purpose(rawValue: statement.text(1)) else {
        return nil
      }
      return MailTokenRecord(
        id: statement.text(0),
        purpose: purpose,
        email: statement.text(2),
        digest: statement.blob(3),
        expires: statement.int(4)
      )
    }
  }

  /// Returns whether a token sent to an e-mail address is still valid.
  ///
  /// - Parameter time: Seconds since 1970.
  public func hasMailToken(email: String, purpose: MailTokenRecord.Purpose, at time: Int64) throws -> Bool {
    let sql = "SELECT 1 FROM flx_mail_tokens WHERE email = ?1 AND purpose = ?2 AND expires > ?3 LIMIT 1"
    return try database.withStatement(sql) { statement in
      statement.bind(email, at: 1)
      statement.bind(purpose.rawValue, at: 2)
      statement.bind(time, at: 3)
      return try statement.step()
    }
  }

  /// Deletes the tokens sent to an e-mail address. Must be called inside a write.
  public func deleteMailTokens(email: String) throws {
    try database.withStatement("DELETE FROM flx_mail_tokens WHERE email = ?1") { statement in
      statement.bind(email, at: 1)
      try statement.run()
    }
  }

  /// Deletes the expired tokens. Must be called inside a write.
  ///
  /// - Parameter now: Seconds since 1970.
  public func deleteMailTokens(expiredAt now: Int64) throws {
    try database.withStatement("DELETE FROM flx_mail_tokens WHERE expires <= ?1") { statement in
      statement.bind(now, at: 1)
      try statement.run()
    }
  }
}
