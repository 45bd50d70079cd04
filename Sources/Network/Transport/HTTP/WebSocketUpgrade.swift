// SPDX-License-Identifier: Apache-2.0

/// A client's request to open a web socket, to be accepted or refused, now or later. Confined to the loop's
/// thread, and movable to another one. One that is dropped without an answer is refused with 500.
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
    connection.respond(HTTPResponse(status: 500, text: "The server has no answer to this request.\n"))
  }

  /// The sub-protocols that the client offers, in its order of preference.
  public var offeredProtocols: [String] { request.headers.list("Sec-WebSocket-Protocol") }

  /// Whether the client has gone, so that nobody waits for an answer.
  public var isCancelled: Bool { connection?.isOpen != true }

  /// Opens the web socket.
  /// - Parameters:
  ///   - subprotocol: one of those offered; nil names none (core clients need one, protocol §1.3).
  ///   - headers: further header fields of the `101` response.
  ///   - options: limits of the web socket.
  /// - Returns: the server's end, whose handlers are to be set before the end of the turn; nil if the client has
  ///   gone or the request was answered before.
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

  /// Moves the request and its connection to another loop, which answers it and keeps the web socket. That takes the
  /// connection off this loop at the end of the turn; whatever the other loop is busy with, this one goes on.
  /// - Parameters:
  ///   - other: where the connection lives from then on; on the same loop, nothing is moved.
  ///   - take: runs on the other loop and answers the request; not called if the client has gone or the loop has stopped.
  public func move(to other: EventLoop, _ take: @escaping @Sendable (WebSocketUpgrade) -> Void) {
    loop.assertInLoop()
    guard other !== loop else { return take(self) }
    guard let connection else { return }
    self.connection = nil
    let (request, accept) = (request, accept)
    // Now TLS may be in the middle of what the client has sent.
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
