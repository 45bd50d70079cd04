// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncJSON

/// A request to the client API, independent of its transport.
struct APIRequest {
  var method: String
  /// The path without the query.
  var path: String
  /// Whether the query has `link=true`, so that the credentials are linked to the user of the token.
  var isLinking = false
  /// The value of the `Host` header.
  var host: String
  var requester: Requester
  /// The token of an `Authorization: Bearer` header, or of the URL if the request is for a stream.
  var bearerToken: String?
  /// The call in the URL of a request for a stream.
  var encodedCall: String?
  var body: [UInt8]
}

/// A response of the client API. The body is JSON or empty.
struct APIResponse {
  var status: Int
  var body: JSON?
  /// The number of seconds after which the client may retry; nil if unspecified.
  var retryAfter: Int64?

  static let noContent = APIResponse(status: 204, body: nil)
}

extension APIError {
  var response: APIResponse {
    APIResponse(
      status: status,
      body: ["error": .string(message), "error_code": .string(code), "link": ""],
      retryAfter: retryAfter
    )
  }
}
