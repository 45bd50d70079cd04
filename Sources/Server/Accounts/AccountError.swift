// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncServerStore

/// The reason the server refuses a request that concerns an app's accounts.
///
/// Where App Services has an equivalent error, the message is the one that App Services sends: some SDKs
/// distinguish errors by their messages (RealmClients §1, "Error answers").
package enum AccountError: Error, Hashable, Sendable {
  // MARK: Requests

  /// The request is malformed or asks for too much.
  case badRequest(reason: String)
  case invalidAPIKeyName
  case tooManyAttempts(seconds: Int64)
  /// Too many passwords are waiting to be hashed.
  case busy
  /// Too many passwords from a single network address are waiting to be hashed.
  case crowdedAddress
  case stopping

  // MARK: Providers and credentials

  case providerNotFound(name: String)
  /// App Services has this provider, and this server does not.
  case providerNotCarriedOver(name: String)
  case invalidCredentials
  case confirmationRequired
  case alreadyConfirmed
  case invalidMailToken
  case nameInUse
  case invalidAPIKey
  case apiKeyNotFound
  case apiKeyExists
  /// The server refuses a JSON web token that another system has issued.
  case badToken(reason: String)

  // MARK: Users and sessions

  case invalidSession
  case userDisabled
  /// The session is valid, and its user was deleted.
  case userDeleted
  case userNotFound

  // MARK: Linking identities

  case identityInUse
  case linkingAnonymous
  case linkingAPIKey
  /// A session that began with an API key cannot link identities, because they would outlive the key.
  case linkingByKey
  /// A session that began with an API key cannot create or enable API keys, because they would outlive it.
  case keyByKey
  /// The user already has an identity of this provider.
  case linkingSecond(provider: String)

  /// The error for a disabled user.
  package init(refusing user: UserRecord) { self = user.isBeingDeleted ? .userDeleted : .userDisabled }

  /// The part of the request that failed and, where the client can act on it, how to.
  package var message: String {
    switch self {
    case .badRequest(let reason): reason
    case .invalidAPIKeyName: APIKeyName.rule
    case .tooManyAttempts(let seconds): "too many attempts; try again in \(seconds) seconds"
    case .busy: "too many requests are waiting for a password check; try again in a minute"
    case .crowdedAddress:
      "too many requests from this network address are waiting for a password check; try again in a minute"
    case .stopping: "the server is stopping; try again in a minute"
    case .providerNotFound(let provider):
      "the authentication provider '\(provider)' is not enabled for this app"
    case .providerNotCarriedOver(let provider):
      "this server does not support the authentication provider '\(provider)'; use custom-token instead, with "
        + (AuthenticationProviders.issuingTokens.contains(provider)
          ? "the provider's own tokens" : "JSON Web Tokens that a system of yours issues")
    case .invalidCredentials: "invalid username/password"
    case .confirmationRequired: "confirmation required"
    case .alreadyConfirmed: "already confirmed"
    case .invalidMailToken: "invalid token data"
    case .nameInUse: "name already in use"
    case .invalidAPIKey: "invalid API key"
    case .apiKeyNotFound: "API key not found"
    case .apiKeyExists: "API key with that name already exists"
    case .badToken(let reason): "the token was rejected: \(reason)"
    case .invalidSession: "invalid session"
    case .userDisabled: "this user is disabled"
    case .userDeleted, .userNotFound: "user not found"
    case .identityInUse: "a user already exists with the specified provider"
    case .linkingAnonymous: "linking an anonymous identity is not allowed"
    case .linkingAPIKey: "linking an api-key identity is not allowed"
    case .linkingByKey:
      "a user logged in with an API key cannot link identities; log in with another provider"
    case .keyByKey:
      "a user logged in with an API key cannot create or enable API keys; log in with another provider"
    case .linkingSecond(let provider):
      "linking a \(provider) identity is not allowed when one is already linked"
    }
  }
}
