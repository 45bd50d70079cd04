// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts

/// A refusal in the form that clients understand (RealmClients §1, "Error answers"). The codes are those that Realm's
/// clients recognise.
package struct APIError: Error, Hashable {
  var status: Int
  /// The error code that clients recognise.
  var code: String
  var message: String
  /// The number of seconds after which the client may retry.
  var retryAfter: Int64?

  static let internalError = APIError(
    status: 500,
    code: "InternalServerError",
    message: "the server failed; see its log"
  )
  static let missingToken = APIError(
    status: 401,
    code: "InvalidSession",
    message: "must authenticate first"
  )
  static let crowdedApp = APIError(
    status: 503,
    code: "LimitExceeded",
    message: "too many requests are waiting for the app; try again in a minute",
    retryAfter: 60
  )
  static let stopping = APIError(.stopping)
  static let invalidSession = APIError(.invalidSession)

  static func badRequest(_ message: String) -> APIError { APIError(.badRequest(reason: message)) }

  static func appNotFound(_ appID: String) -> APIError {
    notFound("AppNotFound", "cannot find app using Client App ID '\(appID)'")
  }

  static func noSuchEndpoint(_ request: APIRequest) -> APIError {
    notFound("NotFound", "this server has no endpoint \(request.method) \(request.path)")
  }

  static func functionNotFound(_ name: String) -> APIError {
    notFound("FunctionNotFound", "function not found: '\(name)'")
  }

  static func serviceNotFound(_ name: String) -> APIError {
    notFound("ServiceNotFound", "service not found: '\(name)'")
  }

  /// An app's server-side code does not run on this server.
  static func functionsNotCarriedOver(_ what: String) -> APIError {
    notFound(
      "FunctionNotFound",
      "\(what) requires a function of the app, and this server does not run functions"
    )
  }

  private static func notFound(_ code: String, _ message: String) -> APIError {
    APIError(status: 404, code: code, message: message)
  }
}

extension APIError {
  /// Converts an error of the accounts to the client API's form.
  init(_ error: AccountError) {
    let (status, code) = Self.form(of: error)
    self.init(status: status, code: code, message: error.message, retryAfter: Self.retryAfter(error))
  }

  private static func form(of error: AccountError) -> (status: Int, code: String) {
    switch error {
    case .badRequest: (400, "BadRequest")
    case .invalidAPIKeyName: (400, "InvalidParameter")
    case .tooManyAttempts, .crowdedAddress: (429, "LimitExceeded")
    case .busy: (503, "LimitExceeded")
    case .stopping: (503, "ServiceUnavailable")
    case .providerNotFound, .providerNotCarriedOver: (404, "AuthProviderNotFound")
    case .invalidCredentials: (401, "InvalidPassword")
    case .confirmationRequired, .invalidAPIKey, .badToken: (401, "AuthError")
    case .alreadyConfirmed: (400, "UserAlreadyConfirmed")
    case .invalidMailToken: (400, "UserpassTokenInvalid")
    case .nameInUse: (409, "AccountNameInUse")
    case .apiKeyNotFound: (404, "APIKeyNotFound")
    case .apiKeyExists: (409, "APIKeyAlreadyExists")
    case .invalidSession, .identityInUse: (401, "InvalidSession")
    case .userDisabled: (401, "UserDisabled")
    // The status that makes clients log the user out.
    case .userDeleted: (401, "UserNotFound")
    case .userNotFound: (404, "UserNotFound")
    // SDKs recognise refused links by this code.
    case .linkingAnonymous, .linkingAPIKey, .linkingSecond: (400, "InternalServerError")
    case .linkingByKey, .keyByKey: (403, "AuthError")
    }
  }

  private static func retryAfter(_ error: AccountError) -> Int64? {
    switch error {
    case .tooManyAttempts(let seconds): seconds
    case .busy, .crowdedAddress, .stopping: 60
    default: nil
    }
  }
}
