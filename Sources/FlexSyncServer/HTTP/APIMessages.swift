// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// A request to the client API, freed of its transport.
struct APIRequest {
  var method: String
  /// The path without the query.
  var path: String
  /// The value of the `Host` header.
  var host: String
  /// The token of an `Authorization: Bearer` header.
  var bearerToken: String?
  var body: [UInt8]
}

/// An answer of the client API. The body is JSON, or empty.
struct APIResponse {
  var status: Int
  var body: JSON?

  static let noContent = APIResponse(status: 204, body: nil)
}

/// A refusal, in the form that clients understand (peer-client §1, "Error answers").
struct APIError: Error, Hashable {
  var status: Int
  /// The name by which clients know the error.
  var code: String
  var message: String

  var response: APIResponse {
    APIResponse(
      status: status,
      body: ["error": .string(message), "error_code": .string(code), "link": ""]
    )
  }

  static let invalidCredentials = APIError(
    status: 401,
    code: "InvalidPassword",
    message: "invalid username/password"
  )
  static let invalidSession = APIError(status: 401, code: "InvalidSession", message: "invalid session")
  static let nameInUse = APIError(status: 409, code: "AccountNameInUse", message: "name already in use")
  static let userDisabled = APIError(status: 401, code: "UserDisabled", message: "this user is disabled")
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

  static func providerNotFound(_ provider: String) -> APIError {
    APIError(
      status: 404,
      code: "AuthProviderNotFound",
      message: "the authentication provider '\(provider)' is not enabled for this app"
    )
  }

  static func noSuchEndpoint(_ request: APIRequest) -> APIError {
    APIError(
      status: 404,
      code: "NotFound",
      message: "this server has no endpoint \(request.method) \(request.path)"
    )
  }
}
