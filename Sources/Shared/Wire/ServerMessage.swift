// SPDX-License-Identifier: Apache-2.0

/// A message sent by a server (protocol §2.4).
public enum ServerMessage: Hashable, Sendable {
  case ident(FileIdentMessage)
  case download(DownloadMessage)
  case mark(MarkMessage)
  case unbound(SessionIdent)
  /// The timestamp from the PING.
  case pong(UInt64)
  case error(ErrorMessage)
  case plainError(PlainErrorMessage)
  case queryError(QueryErrorMessage)
  case log(LogMessage)
  case testCommand(TestCommandMessage)

  /// The session that the message belongs to; 0 for the connection.
  public var session: SessionIdent {
    switch self {
    case .ident(let message): message.session
    case .download(let message): message.session
    case .mark(let message): message.session
    case .unbound(let session): session
    case .pong: 0
    case .error(let message): message.session
    case .plainError(let message): message.session
    case .queryError(let message): message.session
    case .log(let message): message.session
    case .testCommand(let message): message.session
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
    case "ident": return .ident(try FileIdentMessage(reading: &reader))
    case "download": return .download(try DownloadMessage(reading: &reader))
    case "mark": return .mark(try MarkMessage(reading: &reader))
    case "unbound":
      return .unbound(try readNumber(&reader) { reader throws(ProtocolError) in try reader.readSession() })
    case "pong":
      return .pong(try readNumber(&reader) { reader throws(ProtocolError) in try reader.readVersion() })
    case "json_error": return .error(try ErrorMessage(reading: &reader))
    case "error": return .plainError(try PlainErrorMessage(reading: &reader))
    case "query_error": return .queryError(try QueryErrorMessage(reading: &reader))
    case "log_message": return .log(try LogMessage(reading: &reader))
    case "test_command": return .testCommand(try TestCommandMessage(reading: &reader))
    default:
      throw ProtocolError(.unknownMessage, "unknown message '\(reader.type.prefix(40))'")
    }
  }

  private static func readNumber(
    _ reader: inout MessageReader,
    _ read: (inout MessageReader) throws(ProtocolError) -> UInt64
  ) throws(ProtocolError) -> UInt64 {
    let number = try read(&reader)
    try reader.finishMessage()
    return number
  }

  /// Encodes the message in the syntax of a negotiated version.
  ///
  /// Versions below 10 have no LOG_MESSAGE, so `ServerConnection` does not send it to them.
  ///
  /// - Parameter isCompressionAllowed: Whether a large body of a DOWNLOAD may be compressed.
  public func encode(version: SyncProtocolVersion = .newest, isCompressionAllowed: Bool = true) -> [UInt8] {
    switch self {
    case .ident(let message): message.encode()
    case .download(let message): message.encode(version: version, isCompressionAllowed: isCompressionAllowed)
    case .mark(let message): message.encode()
    case .unbound(let session): encodeMessage("unbound", session)
    case .pong(let timestamp): encodeMessage("pong", timestamp)
    case .error(let message): message.encode(version: version)
    case .plainError(let message): message.encode()
    case .queryError(let message): message.encode()
    case .log(let message): message.encode()
    case .testCommand(let message): message.encode()
    }
  }
}
