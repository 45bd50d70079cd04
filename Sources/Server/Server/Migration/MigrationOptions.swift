// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncServerSupport

/// The ways in which users of another server can log in here.
public struct MigrationOptions: Sendable {
  /// A file with e-mail addresses and their bcrypt or scrypt hashes.
  public var passwordFile: String?
  /// A file with the identifiers of API keys and the keys themselves.
  public var apiKeyFile: String?
  /// A file to create, with a key for each anonymous user.
  public var anonymousKeyFile: String?
  /// The time until which an account without a password accepts the first one, in seconds since 1970. Until then,
  /// anyone who knows the address can be first.
  public var firstPasswordEnd: Int64?
  /// Sends an e-mail for setting a password to users without one; nil to send none.
  public var mailDelivery: MailDelivery?
  /// The lifetime of these e-mails' tokens, in seconds.
  public var mailSeconds: Int64 = 7 * 86_400

  public init() {}

  /// The minimum length of a key that cannot be guessed: keys are looked up by a digest that is fast to compute.
  private static let minimumKeyByteCount = 20

  /// Reads the files.
  ///
  /// - Throws: `ServerError` for a file with invalid lines, or a log-in method that the app does not have;
  ///   `FileError`.
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
        "nobody could log in with these keys: turn on api-key in auth/providers.json, or omit --anonymous-keys "
          + "and --api-keys"
      )
    }
    if let firstPasswordEnd, firstPasswordEnd <= now {
      throw ServerError("--first-password-until is in the past; give a time in the future")
    }
    ways.firstPasswordEnd = firstPasswordEnd
    ways.sendsMails = mailDelivery != nil
    ways.givesAnonymousKeys = anonymousKeyFile != nil
    return ways
  }

  private static func problem(ofKey key: String) -> String? {
    guard key.utf8.count < minimumKeyByteCount else { return nil }
    return "the key has fewer than \(minimumKeyByteCount) bytes and could be guessed"
  }

  /// Returns warnings for the operator about the chosen log-in methods.
  func warnings(_ providers: AuthenticationProviders) -> [String] {
    var warnings: [String] = []
    if mailDelivery != nil, providers.emailPassword?.resetURL == nil {
      warnings.append(
        "auth/providers.json has no resetPasswordUrl: the mails contain a token but no link, so your app must "
          + "ask for the token"
      )
    }
    if firstPasswordEnd != nil {
      warnings.append(
        "until the date of --first-password-until, anybody who knows an account's e-mail address can take over "
          + "the account by logging in first"
      )
    }
    return warnings
  }
}
