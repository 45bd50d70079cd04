// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// A request sent by a client.
public struct HTTPClientRequest: Sendable {
  /// `GET`, `POST`, …; letters only.
  public var method: String
  /// The URL, with scheme `http` or `https`.
  public var url: WebURL
  /// The header fields. `Host`, `Content-Length` and `Connection` are added automatically.
  public var headers: HTTPHeaders
  /// The content.
  public var body: [UInt8]

  /// Creates a request.
  public init(method: String, url: WebURL, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// An HTTP/1.1 client on one event loop. Confined to the loop's thread.
///
/// Each request uses a separate connection. Redirects are not followed: a `3xx` is a response like any other.
public final class HTTPClient {
  private let loop: EventLoop
  private let tls: ClientTLS

  /// Creates a client.
  /// - Parameter tls: The settings for `https`; nil for the system's certificate authorities, which are read on first
  ///   use.
  public init(loop: EventLoop, tls: TLSContext? = nil) {
    self.loop = loop
    self.tls = ClientTLS(tls)
  }

  /// Sends a request.
  /// - Parameters:
  ///   - timeoutMilliseconds: The time limit for the entire request, from name resolution to the last byte of the
  ///     response.
  ///   - maximumResponseBytes: The maximum size of the content. A larger response fails with `tooLarge`.
  ///   - completion: Called once on the loop, never during this call. Any status counts as success.
  /// - Returns: A handle for cancelling the request.
  @discardableResult
  public func send(
    _ request: HTTPClientRequest,
    timeoutMilliseconds: UInt64 = 60_000,
    maximumResponseBytes: Int = 16 * 1024 * 1024,
    completion: @escaping (Result<HTTPResponse, TransportError>) -> Void
  ) -> PendingOperation {
    var request = request
    request.headers["Connection"] = "close"
    let isValid = !request.url.scheme.isWebSocket && Self.isToken(request.method)
    return exchange(
      request,
      problem: isValid ? nil : "cannot send \(request.method) to \(request.url) over HTTP",
      timeoutMilliseconds: timeoutMilliseconds,
      maximumResponseBytes: maximumResponseBytes
    ) { completion($0.flatMap(Self.response)) }
  }

  /// Sends a request whose response, if its status is 200, is a stream without a known end.
  ///
  /// - Parameters:
  ///   - timeoutMilliseconds: The time limit for everything up to the head of the response.
  ///   - onOpen: Called on the loop when the head of the response has arrived.
  ///   - onData: Called on the loop with each part of the content.
  ///   - completion: Called once on the loop, never during this call, when the response has ended. The content of a
  ///     stream is not part of it.
  /// - Returns: A handle for ending the request without calling the completion.
  public func stream(
    _ request: HTTPClientRequest,
    timeoutMilliseconds: UInt64 = 60_000,
    onOpen: @escaping () -> Void,
    onData: @escaping ([UInt8]) -> Void,
    completion: @escaping (Result<HTTPResponse, TransportError>) -> Void
  ) -> PendingOperation {
    exchange(
      request,
      problem: request.url.scheme.isWebSocket ? "cannot read a stream from \(request.url)" : nil,
      timeoutMilliseconds: timeoutMilliseconds,
      maximumResponseBytes: 16 * 1024 * 1024,
      stream: HTTPExchange.Stream(onOpen: onOpen, onData: onData)
    ) { completion($0.flatMap(Self.response)) }
  }

  /// Sends a request whose response may switch protocols.
  ///
  /// - Parameter problem: The reason the request cannot be sent; nil if there is none.
  func exchange(
    _ request: HTTPClientRequest,
    problem: String?,
    timeoutMilliseconds: UInt64,
    maximumResponseBytes: Int,
    stream: HTTPExchange.Stream? = nil,
    completion: @escaping (Result<HTTPExchange.Outcome, TransportError>) -> Void
  ) -> PendingOperation {
    loop.assertInLoop()
    let exchange = HTTPExchange(
      request,
      loop,
      maximumBodyBytes: maximumResponseBytes,
      stream: stream,
      completion: completion
    )
    return exchange.begin(timeoutMilliseconds: timeoutMilliseconds) { () throws(TransportError) in
      if let problem { throw TransportError(.invalidAddress, problem) }
      return try tls.context(for: request.url.scheme)
    }
  }

  private static func response(_ outcome: HTTPExchange.Outcome) -> Result<HTTPResponse, TransportError> {
    switch outcome {
    case .response(let response): return .success(response)
    case .upgraded(_, let connection, _):
      connection.close()
      return .failure(TransportError(.protocolViolation, "the server switched protocols without being asked"))
    }
  }

  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0 & ~0x20) }
  }
}

/// A client's TLS settings, created on first use. Confined to the loop's thread.
final class ClientTLS {
  private var context: TLSContext?

  init(_ context: TLSContext?) {
    self.context = context
  }

  /// - Returns: The settings, or nil for a scheme without TLS.
  func context(for scheme: WebURL.Scheme) throws(TransportError) -> TLSContext? {
    guard scheme.isSecure else { return nil }
    if let context { return context }
    let created = try TLSContext.client()
    context = created
    return created
  }
}
