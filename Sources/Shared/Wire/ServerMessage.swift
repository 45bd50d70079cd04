// SPDX-License-Identifier: Apache-2.0

/// A message sent by a server (protocol §2.4).
public enum ServerMessage: Hashable, Sendable {
  /// The number and the salt that the server allocates for the client's file (protocol §2.4.1).
  case ident(session: SessionIdent, file: SaltedFileIdent)
  case download(DownloadMessage)
  /// The echo of a client's MARK (protocol §2.4.3).
  case mark(session: SessionIdent, request: MarkIdent)
  case unbound(SessionIdent)
  /// The timestamp from the PING.
  case pong(UInt64)
  case error(ErrorMessage)
  /// The old form of an error, which has only a text and `tryAgain` (protocol §2.4.6).
  case plainError(ErrorMessage)
  /// Rejects a subscription set. The session continues (protocol §2.4.8).
  case queryError(session: SessionIdent, code: ErrorCode, queryVersion: QueryVersion, message: String)
  case log(LogMessage)
  /// The answer to a command for tests.
  case testCommand(session: SessionIdent, request: UInt64, body: String)

  /// The session that the message belongs to; 0 for the connection.
  public var session: SessionIdent {
    switch self {
    case .ident(let session, _), .mark(let session, _), .unbound(let session): session
    case .testCommand(let session, _, _): session
    case .download(let message): message.session
    case .pong: 0
    case .error(let message), .plainError(let message): message.session
    case .queryError(let session, _, _, _): session
    case .log(let message): message.session
    }
  }
}

extension ServerMessage {
  /// Decodes one message in the syntax of version 14, which a client uses regardless of the negotiated version
  /// (protocol §1.3).
  ///
  /// - Throws: A `ProtocolError`, upon which a client closes the connection.
  public static func decode(
    _ bytes: [UInt8],
    limits: MessageLimits = .standard
  ) throws(ProtocolError) -> ServerMessage {
    var reader = try MessageReader(bytes, limits: limits)
    switch reader.type {
    case "ident":
      let message = ServerMessage.ident(session: try reader.readSession(), file: try reader.readFileIdent())
      try reader.finishMessage()
      return message
    case "download": return .download(try DownloadMessage(reading: &reader))
    case "mark": return try reader.readMark(ServerMessage.mark)
    case "unbound":
      return .unbound(try reader.readOnlyField { reader throws(ProtocolError) in try reader.readSession() })
    case "pong":
      return .pong(try reader.readOnlyField { reader throws(ProtocolError) in try reader.readVersion() })
    case "json_error": return .error(try ErrorMessage(reading: &reader))
    case "error": return .plainError(try ErrorMessage(readingPlain: &reader))
    case "query_error": return try readQueryError(&reader)
    case "log_message": return .log(try LogMessage(reading: &reader))
    case "test_command": return try reader.readTestCommand(ServerMessage.testCommand)
    default:
      throw ProtocolError(.unknownMessage, "unknown message '\(reader.type.prefix(40))'")
    }
  }

  /// Encodes the message in the syntax of a negotiated version.
  ///
  /// Versions below 10 have no LOG_MESSAGE, so `ServerConnection` does not send it to them.
  ///
  /// - Parameter isCompressionAllowed: Whether a large body of a DOWNLOAD may be compressed.
  public func encode(version: SyncProtocolVersion = .newest, isCompressionAllowed: Bool = true) -> [UInt8] {
    switch self {
    case .ident(let session, let file): encodeMessage("ident", session, file.ident, file.salt)
    case .download(let message): message.encode(version: version, isCompressionAllowed: isCompressionAllowed)
    case .mark(let session, let request): encodeMessage("mark", session, request)
    case .unbound(let session): encodeMessage("unbound", session)
    case .pong(let timestamp): encodeMessage("pong", timestamp)
    case .error(let message): message.encode(version: version)
    case .plainError(let message): message.encodePlain()
    case .queryError(let session, let code, let version, let message):
      encodeMessage(
        "query_error",
        code.rawValue,
        message.utf8.count,
        session,
        version,
        body: Array(message.utf8)
      )
    case .log(let message): message.encode()
    case .testCommand(let session, let request, let body): encodeTestCommand(session, request, body)
    }
  }
}
