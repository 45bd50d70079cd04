// SPDX-License-Identifier: Apache-2.0
// The names of the methods are those of the Realm SDK.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// The method of an HTTP request.
public enum RLMHTTPMethod: Int32, Sendable {
  case GET = 0
  case POST = 1
  case PATCH = 2
  case PUT = 3
  case DELETE = 4
}

/// An HTTP request of an app.
public final class RLMRequest {
  public var method = RLMHTTPMethod.GET
  public var url = ""
  /// The time for the entire request, in seconds.
  public var timeout: TimeInterval = 60
  public var headers: [String: String] = [:]
  public var body = ""
  /// The app whose request this is.
  let app: AppHandle

  init(of app: AppHandle) { self.app = app }
}

/// The response to an HTTP request of an app.
public final class RLMResponse {
  /// The HTTP status; 0 if there is no response.
  public var httpStatusCode = 0
  /// An error code of the transport: any number but 0 means that the request failed, and `body` says why.
  public var customStatusCode = 0
  public var headers: [String: String] = [:]
  public var body = ""

  public init() {}
}

/// Receives the response to a request. It must be called exactly once, on any thread.
public typealias RLMNetworkTransportCompletionBlock = @Sendable (RLMResponse) -> Void

/// Performs the HTTP requests of an app: log-ins, tokens, functions. A subclass can change requests and responses, or
/// perform the requests by other means. Sync connections and `MongoCollection.watch` do not use it.
///
/// Requests come on a background thread, which must not be blocked. A subclass must be safe to use from any thread.
open class RLMNetworkTransport: @unchecked Sendable {
  // It has no state; `Sendable` cannot be checked, because subclasses may have some.

  public init() {}

  /// Performs a request with the library's own HTTP client.
  open func sendRequest(
    toServer request: RLMRequest,
    completion: @escaping RLMNetworkTransportCompletionBlock
  ) {
    request.app.perform(request, completion)
  }
}
