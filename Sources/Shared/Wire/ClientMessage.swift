// SPDX-License-Identifier: Apache-2.0

/// A message sent by a client (protocol §2.3).
public enum ClientMessage: Hashable, Sendable {
  case bind(BindMessage)
  case ident(IdentMessage)
  /// Requests a different subscription set (protocol §2.3.3); see `QuerySet` for the body.
  case query(session: SessionIdent, queryVersion: QueryVersion, body: [UInt8])
  case upload(UploadMessage)
  /// Requests the server to echo this message after everything pending has been sent (protocol §2.3.5).
  case mark(session: SessionIdent, request: MarkIdent)
  case unbind(SessionIdent)
  /// Keeps the connection alive (protocol §2.3.7): milliseconds of an arbitrary monotonic clock, which the PONG repeats,
  /// and the last measured round-trip time in milliseconds, initially 0.
  case ping(timestamp: UInt64, roundTripTime: UInt64)
  /// An error of the client, which then ignores the server's messages for the session (protocol §2.3.8).
  case error(session: SessionIdent, code: ErrorCode, message: String)
  /// A command for tests. Applications never send it (protocol §2.3.9).
  case testCommand(session: SessionIdent, request: UInt64, body: String)

  /// The session that the message belongs to; nil for PING.
  public var session: SessionIdent? {
    switch self {
    case .bind(let message): message.session
    case .ident(let message): message.session
    case .upload(let message): message.session
    case .mark(let session, _), .unbind(let session): session
    case .query(let session, _, _), .testCommand(let session, _, _), .error(let session, _, _): session
    case .ping: nil
    }
  }

  /// Whether the server concludes from the message what data the client's file has, and will never send that data
  /// again. The client must not lose the data afterwards, so it makes its commits durable before it sends the
  /// message. Otherwise a loss of power could revert the client's versions, and the server would mistake the client's
  /// next changes for those that it already has.
  public var bindsClient: Bool {
    switch self {
    case .ident, .upload: true
    case .bind, .query, .mark, .unbind, .ping, .error, .testCommand: false
    }
  }
}

extension ClientMessage {
  /// Decodes one message.
  ///
  /// - Throws: A `ProtocolError` with the code that a server answers. Anything but exactly one message in the syntax
  ///   of protocol §2 is rejected.
  public static func decode(
    _ bytes: [UInt8],
    limits: MessageLimits = .standard
  ) throws(ProtocolError) -> ClientMessage {
    var reader = try MessageReader(bytes, limits: limits)
    switch reader.type {
    case "bind": return .bind(try BindMessage(reading: &reader))
    case "ident": return .ident(try IdentMessage(reading: &reader))
    case "query":
      let session = try reader.readSession()
      let version = try reader.readVersion()
      let body = Array(try reader.readBody(try reader.readSize()))
      return .query(session: session, queryVersion: version, body: body)
    case "upload": return .upload(try UploadMessage(reading: &reader))
    case "mark": return try reader.readMark(ClientMessage.mark)
    case "unbind":
      return .unbind(try reader.readOnlyField { reader throws(ProtocolError) in try reader.readSession() })
    case "ping":
      let message = ClientMessage.ping(
        timestamp: try reader.readVersion(),
        roundTripTime: try reader.readVersion()
      )
      try reader.finishMessage()
      return message
    case "json_error": return try readError(&reader)
    case "test_command": return try reader.readTestCommand(ClientMessage.testCommand)
    default:
      throw ProtocolError(.unknownMessage, "unknown message '\(reader.type.prefix(40))'")
    }
  }

  /// Encodes the message.
  ///
  /// - Parameter isCompressionAllowed: Whether a large body of an UPLOAD may be compressed.
  public func encode(isCompressionAllowed: Bool = true) -> [UInt8] {
    switch self {
    case .bind(let message): message.encode()
    case .ident(let message): message.encode()
    case .query(let session, let version, let body):
      encodeMessage("query", session, version, body.count, body: body)
    case .upload(let message): message.encode(isCompressionAllowed: isCompressionAllowed)
    case .mark(let session, let request): encodeMessage("mark", session, request)
    case .unbind(let session): encodeMessage("unbind", session)
    case .ping(let timestamp, let roundTripTime): encodeMessage("ping", timestamp, roundTripTime)
    case .error(let session, let code, let message): Self.encodeError(session, code, message)
    case .testCommand(let session, let request, let body): encodeTestCommand(session, request, body)
    }
  }
}
