// SPDX-License-Identifier: Apache-2.0

/// A client's request to open a web socket, to be accepted or refused, immediately or later. Confined to the loop's
/// thread, but can be moved to another loop. A request that is released without an answer is refused with 500.
public final class WebSocketUpgrade {
  /// The request, with a valid handshake.
  public let request: HTTPRequest
  private let accept: String
  private let loop: EventLoop
  private var connection: (any HandshakeConnection)?

  init(request: HTTPRequest, accept: String, connection: any HandshakeConnection, loop: EventLoop) {
    self.request = request
    self.accept = accept
    self.connection = connection
    self.loop = loop
  }

  deinit {
    guard let connection else { return }
    connection.respond(HTTPResponse(status: 500, text: "The server did not answer this request.\n"))
  }

  /// The sub-protocols offered by the client, in its order of preference.
  public var offeredProtocols: [String] { request.headers.list("Sec-WebSocket-Protocol") }

  /// Whether the client has disconnected, so that no answer is needed.
  public var isCancelled: Bool { connection?.isOpen != true }

  /// Opens the web socket.
  /// - Parameters:
  ///   - subprotocol: One of those offered; nil selects none (core clients require one, protocol §1.3).
  ///   - headers: Additional header fields of the `101` response.
  ///   - options: The limits of the web socket.
  /// - Returns: The server's end, whose handlers must be set before the end of the turn; nil if the client has
  ///   disconnected or the request has already been answered.
  public func accept(
    subprotocol: String?,
    headers: HTTPHeaders = HTTPHeaders(),
    options: WebSocketOptions = WebSocketOptions()
  ) -> WebSocket? {
    loop.assertInLoop()
    guard let connection else { return nil }
    self.connection = nil
    var fields: HTTPHeaders = [
      "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept,
    ]
    if let subprotocol { fields.append("Sec-WebSocket-Protocol", subprotocol) }
    for field in headers.fields { fields.append(field.name, field.value) }
    let head = HTTPWriter.head("HTTP/1.1 101 Switching Protocols", fields)
    guard let (stream, input) = connection.switchProtocols(head) else { return nil }
    return WebSocket(.server, connection: stream, input: input, subprotocol: subprotocol, options: options)
  }

  /// Moves the request and its connection to another loop, which answers the request and keeps the web socket. The
  /// connection leaves this loop at the end of the turn. This loop does not wait for the other one.
  /// - Parameters:
  ///   - other: The connection's new loop. If it is this loop, nothing is moved.
  ///   - take: Called on the other loop to answer the request. Not called if the client has disconnected or the loop
  ///     has stopped.
  public func move(to other: EventLoop, _ take: @escaping @Sendable (WebSocketUpgrade) -> Void) {
    loop.assertInLoop()
    guard other !== loop else { return take(self) }
    guard let connection else { return }
    self.connection = nil
    let (request, accept) = (request, accept)
    // Until the end of the turn, TLS may still be processing the client's input.
    loop.atEndOfTurn {
      guard let (detached, input) = connection.leaveLoop() else { return }
      other.execute {
        guard let connection = detached.attach(to: other) else { return }
        let moved = MovedHandshake(connection, input: input)
        take(WebSocketUpgrade(request: request, accept: accept, connection: moved, loop: other))
      }
    }
  }

  /// Answers with an HTTP response instead.
  public func refuse(_ response: HTTPResponse) {
    loop.assertInLoop()
    let connection = connection
    self.connection = nil
    connection?.respond(response)
  }
}
