// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto

/// The substitute for the password of an e-mail account: a hash of this server or of another system, or for a time
/// nothing but the promise to take the first password for the right one.
package enum AccountSecret: Hashable {
  case hash(String)
  case bcrypt(String)
  /// In seconds since 1970.
  case firstPassword(until: Int64)
  /// Nobody can log in.
  case none

  private static let firstPasswordPrefix = "$first-password$until="

  /// - Parameter text: as it is stored.
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

  /// As it is stored.
  package var text: String? {
    switch self {
    case .hash(let text), .bcrypt(let text): text
    case .firstPassword(let time): "\(AccountSecret.firstPasswordPrefix)\(time)"
    case .none: nil
    }
  }

  /// Whether there is a password already.
  package var isHash: Bool {
    switch self {
    case .hash, .bcrypt: true
    case .firstPassword, .none: false
    }
  }

  /// Why nobody could log in with a hash of another system; nil if somebody can.
  package static func problem(ofHash text: String) -> String? {
    if BcryptHash.isMeant(by: text) { return BcryptHash.problem(text) }
    do {
      try PasswordHash.check(hash: text)
      return nil
    } catch {
      return "\(error); hashes of bcrypt and scrypt can be used. Give others a reset mail"
    }
  }

  /// A password that is right.
  struct Match {
    /// The stored secret that the password was compared with.
    let secret: String
    /// The secret to store in its place, if any.
    let replacement: String?
  }

  /// Compares a password; takes its time in any case, so that nobody learns which accounts there are.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: nil for a wrong one.
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

  /// A hash that no password fits, with the cost of a real one.
  private static let hashOfNobody =
    "$scrypt$ln=15,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
}

extension PasswordRules {
  fileprivate static func areMet(by password: String) -> Bool { (try? check(password)) != nil }
}
