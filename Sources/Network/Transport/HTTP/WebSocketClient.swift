// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// Opens web sockets from one event loop. Confined to the loop's thread.
public final class WebSocketClient {
  /// The result of an attempt to connect.
  public enum Outcome {
    /// The web socket is open. Set its handlers before the end of the turn.
    case connected(WebSocket)
    /// The server answered with a status other than 101.
    case refused(HTTPResponse)
    /// There was no valid answer.
    case failed(TransportError)
  }

  /// The maximum number of bytes read from the content of a refusal.
  private static let maximumRefusalBytes = 64 * 1024

  private let http: HTTPClient

  /// Creates a client.
  /// - Parameter tls: The settings for `wss`; nil for the system's certificate authorities, which are read on first
  ///   use.
  public init(loop: EventLoop, tls: TLSContext? = nil) {
    http = HTTPClient(loop: loop, tls: tls)
  }

  /// Connects and performs the opening handshake.
  /// - Parameters:
  ///   - url: The URL, with scheme `ws` or `wss`.
  ///   - protocols: The sub-protocols to offer, in order of preference.
  ///   - headers: Additional header fields of the request.
  ///   - timeoutMilliseconds: The time limit for the entire attempt, up to the server's answer.
  ///   - completion: Called once on the loop, never during this call.
  /// - Returns: A handle for cancelling the attempt.
  @discardableResult
  public func connect(
    _ url: WebURL,
    protocols: [String] = [],
    headers: HTTPHeaders = HTTPHeaders(),
    options: WebSocketOptions = WebSocketOptions(),
    timeoutMilliseconds: UInt64 = 60_000,
    completion: @escaping (Outcome) -> Void
  ) -> PendingOperation {
    let key = WebSocketHandshake.makeKey()
    let fields = Self.headers(headers, key: key, protocols: protocols)
    return http.exchange(
      HTTPClientRequest(method: "GET", url: url, headers: fields),
      problem: url.scheme.isWebSocket ? nil : "\(url) is not a WebSocket URL (ws:// or wss://)",
      timeoutMilliseconds: timeoutMilliseconds,
      maximumResponseBytes: Self.maximumRefusalBytes
    ) { completion(Self.outcome($0, key: key, protocols: protocols, options: options)) }
  }

  private static func headers(_ headers: HTTPHeaders, key: String, protocols: [String]) -> HTTPHeaders {
    var fields: HTTPHeaders = [
      "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": key,
      "Sec-WebSocket-Version": "13",
    ]
    if !protocols.isEmpty { fields.append("Sec-WebSocket-Protocol", protocols.joined(separator: ", ")) }
    for field in headers.fields { fields.append(field.name, field.value) }
    return fields
  }

  private static func outcome(
    _ result: Result<HTTPExchange.Outcome, TransportError>,
    key: String,
    protocols: [String],
    options: WebSocketOptions
  ) -> Outcome {
    switch result {
    case .failure(let error): return .failed(error)
    case .success(.response(let response)): return .refused(response)
    case .success(.upgraded(let response, let connection, let input)):
      do {
        let chosen = try WebSocketHandshake.check(response.headers, key: key, offered: protocols)
        return .connected(
          WebSocket(.client, connection: connection, input: input, subprotocol: chosen, options: options)
        )
      } catch {
        connection.close()
        return .failed(error)
      }
    }
  }
}
