// SPDX-License-Identifier: Apache-2.0

/// A connection with a WebSocket handshake that has to be answered. Confined to a loop's thread.
protocol HandshakeConnection: AnyObject {
  var isOpen: Bool { get }
  /// Answers with an HTTP response instead of a web socket.
  func respond(_ response: HTTPResponse)
  /// Sends the `101` response and gives the connection away.
  /// - Returns: the connection and the bytes that the client has sent already; nil if the client has gone.
  func switchProtocols(_ head: [UInt8]) -> (connection: Connection, input: [UInt8])?
  /// Takes the connection off its loop, see ``Connection/detach()``.
  /// - Returns: the connection and the bytes that the client has sent already; nil if the client has gone.
  func leaveLoop() -> (connection: DetachedConnection, input: [UInt8])?
}

/// A connection whose handshake is answered on another loop than the one that received it. Confined to the thread of the
/// new one. It is not read before it is answered, and ends with an answer that is no web socket.
final class MovedHandshake: HandshakeConnection {
  private var connection: Connection?
  private let input: [UInt8]

  /// - Parameter input: what the client has sent behind its request.
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
