// SPDX-License-Identifier: Apache-2.0

/// A connection with a WebSocket handshake that must be answered. Confined to a loop's thread.
protocol HandshakeConnection: AnyObject {
  var isOpen: Bool { get }
  /// Answers with an HTTP response instead of a web socket.
  func respond(_ response: HTTPResponse)
  /// Sends the `101` response and hands over the connection.
  /// - Returns: The connection and the bytes that the client has already sent; nil if the client has disconnected.
  func switchProtocols(_ head: [UInt8]) -> (connection: Connection, input: [UInt8])?
  /// Removes the connection from its loop, see ``Connection/detach()``.
  /// - Returns: The connection and the bytes that the client has already sent; nil if the client has disconnected.
  func leaveLoop() -> (connection: DetachedConnection, input: [UInt8])?
}

/// A connection whose handshake is answered on a different loop from the one that received it. Confined to the thread
/// of the new loop. It is not read before the handshake is answered, and any answer other than a web socket closes
/// it.
final class MovedHandshake: HandshakeConnection {
  private var connection: Connection?
  private let input: [UInt8]

  /// - Parameter input: The bytes that the client has sent after its request.
  init(_ connection: Connection, input: [UInt8]) {
    self.connection = connection
    self.input = input
    connection.pauseReading()
  }

  var isOpen: Bool { connection?.isOpen == true }

  func respond(_ response: HTTPResponse) {
    guard let connection = take() else { return }
    connection.write(HTTPWriter.response(response, isHead: false, closes: true, isVersion11: true))
    connection.closeAfterFlushing()
  }

  func switchProtocols(_ head: [UInt8]) -> (connection: Connection, input: [UInt8])? {
    guard let connection = take(), connection.isOpen else { return nil }
    connection.write(head)
    return (connection, input)
  }

  func leaveLoop() -> (connection: DetachedConnection, input: [UInt8])? {
    guard let detached = take()?.detach() else { return nil }
    return (detached, input)
  }

  private func take() -> Connection? {
    defer { connection = nil }
    return connection
  }
}
