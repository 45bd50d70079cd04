// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// An error reported by the server (protocol §2.4.7).
public struct ErrorMessage: Hashable, Sendable {
  public var code: ErrorCode
  /// The session, or 0 for the entire connection.
  public var session: SessionIdent
  public var info: ErrorInfo

  public init(code: ErrorCode, session: SessionIdent, info: ErrorInfo) {
    self.code = code
    self.session = session
    self.info = info
  }
}

extension ErrorMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    code = try reader.readErrorCode()
    let size = try reader.readSize()
    session = try reader.readNumber()
    info = try ErrorInfo(try reader.readBody(size), code: code)
  }

  /// Encodes the message. Versions before 4 use the old form without JSON.
  func encode(version: SyncProtocolVersion) -> [UInt8] {
    guard version.hasJSONErrors else { return encodePlain() }
    let body = info.encode()
    return encodeMessage("json_error", code.rawValue, body.count, session, body: body)
  }

  /// Reads the old form, which lacks an action. Without a retry, the error of a session is final.
  init(readingPlain reader: inout MessageReader) throws(ProtocolError) {
    code = try reader.readErrorCode()
    let size = try reader.readSize()
    let tryAgain = try reader.readFlag()
    session = try reader.readNumber()
    let message = try reader.readTextBody(size)
    let action: ErrorAction = tryAgain || session == 0 ? .warning : .applicationBug
    info = ErrorInfo(message: message, action: action, tryAgain: tryAgain)
  }

  /// Encodes the old form.
  func encodePlain() -> [UInt8] {
    let body = Array(info.message.utf8)
    let tryAgain = info.tryAgain ? 1 : 0
    return encodeMessage("error", code.rawValue, body.count, tryAgain, session, body: body)
  }
}

extension ClientMessage {
  static func readError(_ reader: inout MessageReader) throws(ProtocolError) -> ClientMessage {
    let code = try reader.readErrorCode()
    let size = try reader.readSize()
    let session = try reader.readSession()
    let body = try reader.readBody(size)
    // The client is stuck until it gets an answer, however much it has to say.
    guard size <= MessageLimits.textByteCount else {
      return .error(session: session, code: code, message: "its error has \(size) bytes")
    }
    guard let json = try? JSON.parse(body), let message = json["message"]?.stringValue else {
      throw ProtocolError(.badSyntax, "bad json_error: it is not a JSON object with a message")
    }
    return .error(session: session, code: code, message: message)
  }

  static func encodeError(_ session: SessionIdent, _ code: ErrorCode, _ message: String) -> [UInt8] {
    let body = Array(JSON.object([JSON.Member("message", .string(message))]).serialized.utf8)
    return encodeMessage("json_error", code.rawValue, body.count, session, body: body)
  }
}

extension ServerMessage {
  static func readQueryError(_ reader: inout MessageReader) throws(ProtocolError) -> ServerMessage {
    let code = try reader.readErrorCode()
    let size = try reader.readSize()
    let session = try reader.readSession()
    let version = try reader.readVersion()
    let message = try reader.readTextBody(size)
    return .queryError(session: session, code: code, queryVersion: version, message: message)
  }
}
