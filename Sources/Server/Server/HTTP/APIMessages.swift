// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncJSON

/// A request to the client API, freed of its transport.
struct APIRequest {
  var method: String
  /// The path without the query.
  var path: String
  /// Whether the query has `link=true`: credentials are for the user of the token.
  var isLinking = false
  /// The value of the `Host` header.
  var host: String
  /// What the client's attempts are counted by, see `ClientAddress`.
  var address: String
  /// The token of an `Authorization: Bearer` header.
  var bearerToken: String?
  var body: [UInt8]
  /// Tells when the client has gone.
  var cancellation = RequestCancellation()
}

/// An answer of the client API. The body is JSON, or empty.
struct APIResponse {
  var status: Int
  var body: JSON?
  /// After how many seconds the client may try again; nil if that does not matter.
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
