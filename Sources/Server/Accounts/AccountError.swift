// SPDX-License-Identifier: Apache-2.0

/// Why the accounts of an app refuse a request.
///
/// The messages are App Services' own where it has one: some SDKs tell errors apart by them (peer-client §1, "Error
/// answers").
package enum AccountError: Error, Hashable, Sendable {
  // MARK: Requests

  /// The request is malformed, or asks for too much; the text says why.
  case badRequest(String)
  case invalidAPIKeyName
  case tooManyAttempts(seconds: Int64)
  /// More passwords wait for being hashed than the server takes.
  case busy
  case crowdedAddress
  case stopping

  // MARK: Providers and credentials

  case providerNotFound(String)
  case providerNotCarriedOver(String)
  case invalidCredentials
  case confirmationRequired
  case alreadyConfirmed
  case invalidMailToken
  case nameInUse
  case invalidAPIKey
  case apiKeyNotFound
  case apiKeyExists
  /// A token of another system is refused; the text says why.
  case badToken(String)

  // MARK: Users and sessions

  case invalidSession
  case userDisabled
  /// The user of a session is gone.
  case userDeleted
  case userNotFound

  // MARK: Linking identities

  case identityInUse
  case linkingAnonymous
  case linkingAPIKey
  /// A key must not live on in an identity that was linked with it.
  case linkingByKey
  /// A key must not live on in a key that was made with it.
  case keyByKey
  case linkingSecond(String)

  /// What happened, and what to do, for the person who sees it.
  package var message: String {
    switch self {
    case .badRequest(let reason): reason
    case .invalidAPIKeyName: APIKeyName.rule
    case .tooManyAttempts(let seconds): "too many attempts; try again in \(seconds) seconds"
    case .busy: "too many passwords wait for being checked; try again in a minute"
    case .crowdedAddress:
      "too many passwords from this network address wait for being checked; try again in a minute"
    case .stopping: "the server is stopping; try again in a minute"
    case .providerNotFound(let provider):
      "the authentication provider '\(provider)' is not enabled for this app"
    case .providerNotCarriedOver(let provider):
      "the authentication provider '\(provider)' is not carried over to this server; "
        + "use custom-token with the provider's own tokens instead"
    case .invalidCredentials: "invalid username/password"
    case .confirmationRequired: "confirmation required"
    case .alreadyConfirmed: "already confirmed"
    case .invalidMailToken: "invalid token data"
    case .nameInUse: "name already in use"
    case .invalidAPIKey: "invalid API key"
    case .apiKeyNotFound: "API key not found"
    case .apiKeyExists: "API key with that name already exists"
    case .badToken(let reason): "the token is refused: \(reason)"
    case .invalidSession: "invalid session"
    case .userDisabled: "this user is disabled"
    case .userDeleted, .userNotFound: "user not found"
    case .identityInUse: "a user already exists with the specified provider"
    case .linkingAnonymous: "linking an anonymous identity is not allowed"
    case .linkingAPIKey: "linking an api-key identity is not allowed"
    case .linkingByKey: "a log-in by API key cannot link identities; log in in another way"
    case .keyByKey: "a log-in by API key cannot make or enable API keys; log in in another way"
    case .linkingSecond(let provider):
      "linking a \(provider) identity is not allowed when one is already linked"
    }
  }
}
