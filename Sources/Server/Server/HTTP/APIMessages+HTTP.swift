// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncJSON
import FlexSyncTransport

/// Conversions between requests and responses of the client API and those of HTTP.
extension APIRequest {
  /// - Parameters:
  ///   - host: The server's host as the client sees it.
  ///   - address: The address under which the client's attempts are counted.
  init(_ request: HTTPRequest, host: String, address: String) {
    self.init(
      method: request.method,
      path: request.path,
      isLinking: request.queryValue("link") == "true",
      host: host,
      requester: Requester(address: address),
      bearerToken: request.bearerToken ?? (request.isStreamedCall ? request.queryValue("baas_at") : nil),
      encodedCall: request.isStreamedCall ? request.queryValue("baas_request") : nil,
      body: request.body
    )
  }
}

extension HTTPRequest {
  /// Whether this is a call of a function whose answer is a stream of events.
  fileprivate var isStreamedCall: Bool { method == "GET" && path.hasSuffix("/functions/call") }

  /// The token of an `Authorization: Bearer` header.
  var bearerToken: String? {
    let prefix = "Bearer "
    guard let header = headers["Authorization"], header.hasPrefix(prefix) else { return nil }
    return String(header.dropFirst(prefix.count))
  }

  /// The token of a request for a sync connection: in the query, or in a header, where old clients send it (protocol
  /// §1.2).
  var syncToken: String? { queryValue("baas_at") ?? bearerToken }
}

extension APIResponse {
  /// The HTTP response to send.
  var http: HTTPResponse {
    guard let body else { return HTTPResponse(status: status) }
    // Tokens and user data must not be cached. Realm's client parses an error only if the content type is exactly
    // this (RealmClients §1).
    var result = HTTPResponse(
      status: status,
      contentType: "application/json",
      body: Array(body.serialized.utf8)
    )
    result.headers.append("Cache-Control", "no-store")
    if let retryAfter { result.headers.append("Retry-After", "\(retryAfter)") }
    return result
  }
}
