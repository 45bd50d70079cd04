// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport
import Synchronization

/// The settings of an app's requests and connections that the program may change at any time.
struct RequestSettings: Sendable {
  /// Sent with every request, after the client's own headers.
  var headers: [HTTPHeaders.Field] = []
  /// The name of the header that carries the user's token.
  var authorizationHeader = RequestSettings.standardAuthorizationHeader
  /// A text that is appended to the `User-Agent` of sync connections.
  var userAgent = ""
  var timeouts = ConnectionTimeouts()
  /// Performs the HTTP requests instead of the client's own HTTP client.
  var transport: (any RequestTransport)?

  static let standardAuthorizationHeader = "Authorization"

  /// The headers of an HTTP request.
  func headers(for request: ServiceRequest) -> HTTPHeaders {
    var headers: HTTPHeaders = [
      "Content-Type": "application/json;charset=utf-8", "Accept": request.accepts,
    ]
    if let token = request.token { headers[authorizationHeader] = "Bearer \(token)" }
    add(to: &headers)
    return headers
  }

  /// The headers of the upgrade request of a sync connection, whose URL has the token as well.
  func upgradeHeaders(token: String) -> HTTPHeaders {
    let version = "FlexSync/\(LibraryVersion.text) (\(Device.platform))"
    var headers: HTTPHeaders = ["User-Agent": userAgent.isEmpty ? version : "\(version) \(userAgent)"]
    if authorizationHeader != Self.standardAuthorizationHeader {
      headers[authorizationHeader] = "Bearer \(token)"
    }
    add(to: &headers)
    return headers
  }

  private func add(to headers: inout HTTPHeaders) {
    for field in self.headers { headers[field.name] = field.value }
  }
}

/// The settings of an app, which change while it is in use. Any thread.
final class SharedRequestSettings: Sendable {
  private let settings: Mutex<RequestSettings>

  init(_ settings: RequestSettings) { self.settings = Mutex(settings) }

  var current: RequestSettings { settings.withLock { $0 } }

  func update(_ change: (inout RequestSettings) -> Void) {
    // What is replaced is released outside the lock.
    let old = settings.withLock { settings in
      let old = settings
      change(&settings)
      return old
    }
    withExtendedLifetime(old) {}
  }
}

/// Performs HTTP requests for an app. Any thread.
protocol RequestTransport: Sendable {
  /// Performs a request.
  ///
  /// - Parameter completion: called once, on any thread.
  func send(
    _ request: HTTPClientRequest,
    timeoutMilliseconds: UInt64,
    completion: @escaping @Sendable (Result<HTTPResponse, CoreError>) -> Void
  )
}
