// SPDX-License-Identifier: Apache-2.0

/// The lifetimes of log-ins and tokens, and the limits on attempts. Docs/Authentication.md lists the defaults.
public struct AccountPolicy: Hashable, Sendable {
  /// The lifetime of an access token, in seconds.
  public var accessTokenSeconds = TokenSigner.accessLifetime
  /// The lifetime of a log-in, in seconds.
  public var sessionSeconds = TokenSigner.refreshLifetime
  /// The lifetime of the tokens in confirmation and reset mails, in seconds.
  public var mailTokenSeconds: Int64 = 30 * 60
  /// The window over which attempts are counted, in seconds.
  public var attemptWindowSeconds: Int64 = 15 * 60
  /// The number of wrong passwords allowed per account in that window, whether or not the account exists.
  public var failuresPerAccount = 10
  /// The number of failed log-ins and failed token redemptions allowed per address in that window.
  public var failuresPerAddress = 100
  /// The number of accounts that one address may register in that window.
  public var registrationsPerAddress = 500
  /// The number of e-mails that may be requested for one e-mail address in that window.
  public var mailsPerAccount = 5
  /// The number of e-mails that one address may request in that window.
  public var mailsPerAddress = 50
  /// The maximum number of keys per user.
  public var apiKeysPerUser = 20
  /// Whether the client address is taken from the last entry in `X-Forwarded-For`. Safe only behind a proxy that
  /// sets it.
  public var trustsForwardedAddress = false

  public init() {}
}
