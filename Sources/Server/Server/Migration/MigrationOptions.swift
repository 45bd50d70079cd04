// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncServerSupport

/// How users of another server are to log in here.
public struct MigrationOptions: Sendable {
  /// A file with e-mail addresses and hashes of bcrypt or scrypt.
  public var passwordFile: String?
  /// A file with the identifiers of API keys and the keys.
  public var apiKeyFile: String?
  /// A file that is made, with a key for each anonymous user.
  public var anonymousKeyFile: String?
  /// Until when an account without a password takes the first one, in seconds since 1970. Until then whoever knows the
  /// address can be first.
  public var firstPasswordEnd: Int64?
  /// Sends a mail for a new password to those who have none; nil to send none.
  public var mailDelivery: MailDelivery?
  /// How long these mails are good for, in seconds.
  public var mailSeconds: Int64 = 7 * 86_400

  public init() {}

  /// The shortest key that nobody can guess: keys are found by a digest that is quick to make.
  private static let minimumKeyByteCount = 20

  /// Reads the files.
  ///
  /// - Throws: `ServerError` for a file with lines that cannot be used, or a way that the app does not have; `FileError`.
  func ways(_ providers: AuthenticationProviders, now: Int64) throws -> WaysBack {
    var ways = WaysBack(providers: providers, now: now)
    if let passwordFile {
      ways.passwords = try PairFile(
        path: passwordFile,
        header: "email,hash",
        key: EmailAddress.normalized,
        problem: { AccountSecret.problem(ofHash: $1) }
      ).values
    }
    if let apiKeyFile {
      ways.apiKeys = try PairFile(
        path: apiKeyFile,
        header: "id,key",
        problem: { MigrationOptions.problem(ofKey: $1) }
      ).values
    }
    guard (anonymousKeyFile == nil && apiKeyFile == nil) || providers.allowsAPIKeys else {
      throw ServerError(
        "nobody could log in with these keys: turn api-key on in auth/providers.json, or leave out --anonymous-keys and "
          + "--api-keys"
      )
    }
    if let firstPasswordEnd, firstPasswordEnd <= now {
      throw ServerError("--first-password-until is over already; give a time in the future")
    }
    ways.firstPasswordEnd = firstPasswordEnd
    ways.sendsMails = mailDelivery != nil
    ways.givesAnonymousKeys = anonymousKeyFile != nil
    return ways
  }

  private static func problem(ofKey key: String) -> String? {
    guard key.utf8.count < minimumKeyByteCount else { return nil }
    return "the key has less than \(minimumKeyByteCount) bytes and could be guessed"
  }

  /// Warnings for the operator about the ways in.
  func warnings(_ providers: AuthenticationProviders) -> [String] {
    var warnings: [String] = []
    if mailDelivery != nil, providers.emailPassword?.resetURL == nil {
      warnings.append(
        "auth/providers.json has no resetPasswordUrl: the mails have a token and no link, and your app has to ask for it"
      )
    }
    if firstPasswordEnd != nil {
      warnings.append(
        "until the end of --first-password-until, whoever knows the address of an account can take it by logging in first"
      )
    }
    return warnings
  }
}
