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
    try database.run(
      "INSERT INTO flx_mail_tokens VALUES (?1, ?2, ?3, ?4, ?5)",
      [token.id, token.purpose.rawValue, token.email, token.digest, token.expires]
    )
  }

  /// Returns the token with an identifier.
  public func mailToken(id: String) throws -> MailTokenRecord? {
    let sql = "SELECT purpose, email, hash, expires FROM flx_mail_tokens WHERE id = ?1"
    return try database.firstRow(sql, [id]) { row in
      MailTokenRecord.Purpose(rawValue: row.text(0)).map { purpose in
        MailTokenRecord(
          id: id,
          purpose: purpose,
          email: row.text(1),
          digest: row.blob(2),
          expires: row.int(3)
        )
      }
    } ?? nil
  }

  /// Returns whether a token sent to an e-mail address is still valid.
  ///
  /// - Parameter time: Seconds since 1970.
  public func hasMailToken(email: String, purpose: MailTokenRecord.Purpose, at time: Int64) throws -> Bool {
    let sql = "SELECT 1 FROM flx_mail_tokens WHERE email = ?1 AND purpose = ?2 AND expires > ?3 LIMIT 1"
    return try database.firstRow(sql, [email, purpose.rawValue, time]) { _ in true } ?? false
  }

  /// Deletes the tokens sent to an e-mail address. Must be called inside a write.
  public func deleteMailTokens(email: String) throws {
    try database.run("DELETE FROM flx_mail_tokens WHERE email = ?1", [email])
  }

  /// Deletes the expired tokens. Must be called inside a write.
  ///
  /// - Parameter now: Seconds since 1970.
  public func deleteMailTokens(expiredAt now: Int64) throws {
    try database.run("DELETE FROM flx_mail_tokens WHERE expires <= ?1", [now])
  }
}
