// SPDX-License-Identifier: Apache-2.0

/// How long log-ins last and how much anybody may try. Docs/Authentication.md lists the defaults.
public struct AccountPolicy: Hashable, Sendable {
  /// How long an access token is good for, in seconds.
  public var accessTokenSeconds = TokenSigner.accessLifetime
  /// How long somebody stays logged in, in seconds.
  public var sessionSeconds = TokenSigner.refreshLifetime
  /// How long the tokens of confirmation and reset mails are good for, in seconds.
  public var mailTokenSeconds: Int64 = 30 * 60
  /// The time over which attempts are counted, in seconds.
  public var attemptWindowSeconds: Int64 = 15 * 60
  /// How often one account's password may be wrong in that time, whether there is such an account or not.
  public var failuresPerAccount = 10
  /// How often one address may fail to log in, or to redeem a token, in that time.
  public var failuresPerAddress = 100
  /// How many accounts one address may register in that time.
  public var registrationsPerAddress = 500
  /// How many mails to one e-mail address may be asked for in that time.
  public var mailsPerAccount = 5
  /// How many mails one address may ask for in that time.
  public var mailsPerAddress = 50
  /// How many keys a user may have.
  public var apiKeysPerUser = 20
  /// Whether the address of a client is the last one in `X-Forwarded-For`. Only behind a proxy that sets it.
  public var trustsForwardedAddress = false

  public init() {}
}
