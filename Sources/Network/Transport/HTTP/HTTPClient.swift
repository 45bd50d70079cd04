// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// A request that a client sends.
public struct HTTPClientRequest: Sendable {
  /// `GET`, `POST`, …; letters only.
  public var method: String
  /// Where to, with `http` or `https`.
  public var url: WebURL
  /// The header fields; `Host`, `Content-Length` and `Connection` are added.
  public var headers: HTTPHeaders
  /// The content.
  public var body: [UInt8]

  /// A request.
  public init(method: String, url: WebURL, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// An HTTP/1.1 client on one event loop. Confined to the loop's thread.
///
/// Each request has a connection of its own. Redirects are not followed: a `3xx` is a response like any other.
public final class HTTPClient {
  private let loop: EventLoop
  private let tls: ClientTLS

  /// A client.
  /// - Parameter tls: the settings for `https`; nil for the system's certificate authorities, which are read
  ///   when they are needed first.
  public init(loop: EventLoop, tls: TLSContext? = nil) {
    self.loop = loop
    self.tls = ClientTLS(tls)
  }

  /// Sends a request.
  /// - Parameters:
  ///   - timeoutMilliseconds: for all of it, from the resolution of the name to the last byte of the response.
  ///   - maximumResponseBytes: the longest content that is accepted; more fails with `tooLarge`.
  ///   - completion: runs once on the loop, never during this call. Any status is a success.
  /// - Returns: a handle to cancel it with.
  @discardableResult
  public func send(
    _ request: HTTPClientRequest,
    timeoutMilliseconds: UInt64 = 60_000,
    maximumResponseBytes: Int = 16 * 1024 * 1024,
    completion: @escaping (Result<HTTPResponse, TransportError>) -> Void
  ) -> PendingOperation {
    loop.assertInLoop()
    var headers = request.headers
    headers["Connection"] = "close"
    let exchange = HTTPExchange(
      loop: loop,
      method: request.method,
      url: request.url,
      headers: headers,
      body: request.body,
      maximumBodyBytes: maximumResponseBytes
    ) { result in
      completion(result.flatMap { Self.response($0) })
    }
    do throws(TransportError) {
      guard !request.url.scheme.isWebSocket, Self.isToken(request.method) else {
        throw TransportError(.invalidAddress, "cannot send \(request.method) to \(request.url) by HTTP")
      }
      let context = try tls.context(for: request.url.scheme)
      exchange.start(tls: context, options: ConnectionOptions(), timeoutMilliseconds: timeoutMilliseconds)
    } catch {
      loop.atEndOfTurn { exchange.fail(error) }
    }
    return PendingOperation { exchange.cancel() }
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

/// A client's TLS settings, created when they are needed first. Confined to the loop's thread.
final class ClientTLS {
  private var context: TLSContext?

  init(_ context: TLSContext?) {
    self.context = context
  }

  /// - Returns: nil for a scheme without TLS.
  func context(for scheme: WebURL.Scheme) throws(TransportError) -> TLSContext? {
    guard scheme.isSecure else { return nil }
    if let context { return context }
    let created = try TLSContext.client()
    context = created
    return created
  }
}
