// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto

/// The stored secret of an e-mail account: a password hash made by this server or another system or, for a limited
/// time, only the promise to accept the first password as the right one.
package enum AccountSecret: Hashable {
  case hash(String)
  case bcrypt(String)
  /// Seconds since 1970.
  case firstPassword(until: Int64)
  /// No password matches; the user cannot log in.
  case none

  private static let firstPasswordPrefix = "$first-password$until="

  /// - Parameter text: The secret in its stored form.
  package init(_ text: String?) {
    guard let text else {
      self = .none
      return
    }
    if BcryptHash.isMeant(by: text) {
      self = .bcrypt(text)
    } else if text.hasPrefix(AccountSecret.firstPasswordPrefix) {
      self = .firstPassword(until: Int64(text.dropFirst(AccountSecret.firstPasswordPrefix.count)) ?? 0)
    } else {
      self = .hash(text)
    }
  }

  /// The stored form.
  package var text: String? {
    switch self {
    case .hash(let text), .bcrypt(let text): text
    case .firstPassword(let time): "\(AccountSecret.firstPasswordPrefix)\(time)"
    case .none: nil
    }
  }

  /// Whether the account has a password.
  package var isHash: Bool {
    switch self {
    case .hash, .bcrypt: true
    case .firstPassword, .none: false
    }
  }

  /// The reason a hash from another system is unusable; nil if it can be used.
  package static func problem(ofHash text: String) -> String? {
    if BcryptHash.isMeant(by: text) { return BcryptHash.problem(text) }
    do {
      try PasswordHash.check(hash: text)
      return nil
    } catch {
      return "\(error); only bcrypt and scrypt hashes can be used. Send the other users a password-reset mail"
    }
  }

  /// The result of a successful comparison.
  struct Match {
    /// The stored secret that the password was compared with.
    let secret: String
    /// The secret to store instead, if any.
    let replacement: String?
  }

  /// Compares a password. Takes as long when there is no hash, so timing does not reveal which accounts exist.
  ///
  /// - Parameter now: Seconds since 1970.
  /// - Returns: nil if the password is wrong.
  func match(_ password: String, now: Int64) throws -> Match? {
    switch self {
    case .bcrypt(let hash):
      return BcryptHash.verify(password: password, hash: hash) ? Match(secret: hash, replacement: nil) : nil
    case .firstPassword(let time) where now < time && PasswordRules.areMet(by: password):
      return Match(secret: text ?? "", replacement: try PasswordHash.hash(password: password))
    case .hash(let hash):
      return try PasswordHash.verify(password: password, hash: hash)
        ? Match(secret: hash, replacement: nil) : nil
    case .firstPassword, .none:
      _ = try PasswordHash.verify(password: password, hash: AccountSecret.hashOfNobody)
      return nil
    }
  }

  /// A hash that matches no password but costs as much to verify as a real one.
  private static let hashOfNobody =
    "$scrypt$ln=15,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
}

extension PasswordRules {
  fileprivate static func areMet(by password: String) -> Bool { (try? check(password)) != nil }
}
