// SPDX-License-Identifier: Apache-2.0

/// A refusal, in the form that clients understand (peer-client §1, "Error answers"). Codes are those that Realm's clients
/// know by name; some SDKs tell errors apart by their messages, which are therefore App Services' own.
struct APIError: Error, Hashable {
  var status: Int
  /// The name by which clients know the error.
  var code: String
  var message: String
  /// In seconds.
  var retryAfter: Int64?

  init(status: Int, code: String, message: String, retryAfter: Int64? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
  }

  static let internalError = APIError(
    status: 500,
    code: "InternalServerError",
    message: "the server failed; see its log"
  )

  static func badRequest(_ message: String) -> APIError {
    APIError(status: 400, code: "BadRequest", message: message)
  }

  static func appNotFound(_ appID: String) -> APIError {
    APIError(status: 404, code: "AppNotFound", message: "cannot find app using Client App ID '\(appID)'")
  }

  static func noSuchEndpoint(_ request: APIRequest) -> APIError {
    APIError(
      status: 404,
      code: "NotFound",
      message: "this server has no endpoint \(request.method) \(request.path)"
    )
  }

  /// Server-side code of an app does not run here.
  static func functionsNotCarriedOver(_ what: String) -> APIError {
    APIError(
      status: 404,
      code: "FunctionNotFound",
      message: "\(what) is a function of the app, and functions are not carried over to this server"
    )
  }

  // MARK: Limits

  static func tooManyAttempts(seconds: Int64) -> APIError {
    APIError(
      status: 429,
      code: "LimitExceeded",
      message: "too many attempts; try again in \(seconds) seconds",
      retryAfter: seconds
    )
  }

  static let busy = APIError(
    status: 503,
    code: "LimitExceeded",
    message: "too many passwords wait for being checked; try again in a minute",
    retryAfter: 60
  )
  static let crowdedAddress = APIError(
    status: 429,
    code: "LimitExceeded",
    message: "too many passwords from this network address wait for being checked; try again in a minute",
    retryAfter: 60
  )
  static let stopping = APIError(
    status: 503,
    code: "ServiceUnavailable",
    message: "the server is stopping; try again in a minute",
    retryAfter: 60
  )
  static let crowdedApp = APIError(
    status: 503,
    code: "LimitExceeded",
    message: "too many requests wait for the app; try again in a minute",
    retryAfter: 60
  )
}

/// Providers and credentials.
extension APIError {
  static func providerNotFound(_ provider: String) -> APIError {
    APIError(
      status: 404,
      code: "AuthProviderNotFound",
      message: "the authentication provider '\(provider)' is not enabled for this app"
    )
  }

  static func providerNotCarriedOver(_ provider: String) -> APIError {
    APIError(
      status: 404,
      code: "AuthProviderNotFound",
      message: "the authentication provider '\(provider)' is not carried over to this server; "
        + "use custom-token with the provider's own tokens instead"
    )
  }

  static let invalidCredentials = APIError(
    status: 401,
    code: "InvalidPassword",
    message: "invalid username/password"
  )
  static let confirmationRequired = APIError(
    status: 401,
    code: "AuthError",
    message: "confirmation required"
  )
  static let alreadyConfirmed = APIError(
    status: 400,
    code: "UserAlreadyConfirmed",
    message: "already confirmed"
  )
  static let invalidMailToken = APIError(
    status: 400,
    code: "UserpassTokenInvalid",
    message: "invalid token data"
  )
  static let nameInUse = APIError(status: 409, code: "AccountNameInUse", message: "name already in use")
  static let invalidAPIKey = APIError(status: 401, code: "AuthError", message: "invalid API key")
  static let apiKeyNotFound = APIError(status: 404, code: "APIKeyNotFound", message: "API key not found")
  static let apiKeyExists = APIError(
    status: 409,
    code: "APIKeyAlreadyExists",
    message: "API key with that name already exists"
  )

  /// - Parameter reason: what is wrong with a token of another system.
  static func badToken(_ reason: String) -> APIError {
    APIError(status: 401, code: "AuthError", message: "the token is refused: \(reason)")
  }
}

/// Users and sessions.
extension APIError {
  static let missingToken = APIError(
    status: 401,
    code: "InvalidSession",
    message: "must authenticate first"
  )
  static let invalidSession = APIError(status: 401, code: "InvalidSession", message: "invalid session")
  static let userDisabled = APIError(status: 401, code: "UserDisabled", message: "this user is disabled")
  /// With the status upon which clients log the user out.
  static let userDeleted = APIError(status: 401, code: "UserNotFound", message: "user not found")
  static let userNotFound = APIError(status: 404, code: "UserNotFound", message: "user not found")

  static let identityInUse = APIError(
    status: 401,
    code: "InvalidSession",
    message: "a user already exists with the specified provider"
  )
  /// SDKs know the refusals to link by this code.
  static let linkingAnonymous = APIError(
    status: 400,
    code: "InternalServerError",
    message: "linking an anonymous identity is not allowed"
  )
  static let linkingAPIKey = APIError(
    status: 400,
    code: "InternalServerError",
    message: "linking an api-key identity is not allowed"
  )

  /// A key must not live on in an identity that was linked with it.
  static let linkingByKey = APIError(
    status: 403,
    code: "AuthError",
    message: "a log-in by API key cannot link identities; log in in another way"
  )

  static func linkingSecond(_ provider: String) -> APIError {
    APIError(
      status: 400,
      code: "InternalServerError",
      message: "linking a \(provider) identity is not allowed when one is already linked"
    )
  }
}
