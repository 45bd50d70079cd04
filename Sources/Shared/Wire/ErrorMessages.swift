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
    try reader.finishHead()
    let text = Array(try reader.readBytes(size))
    try reader.finish()
    info = try ErrorInfo(text, code: code)
  }

  /// Encodes the message. Versions before 4 use the old form without JSON.
  func encode(version: SyncProtocolVersion) -> [UInt8] {
    guard version.hasJSONErrors else {
      return PlainErrorMessage(code: code, session: session, message: info.message, tryAgain: info.tryAgain)
        .encode()
    }
    return encodeError("json_error", code: code, session: session, body: info.encode())
  }
}

/// The old form of an error, which has no action (protocol §2.4.6).
public struct PlainErrorMessage: Hashable, Sendable {
  public var code: ErrorCode
  /// The session, or 0 for the entire connection.
  public var session: SessionIdent
  public var message: String
  public var tryAgain: Bool

  public init(code: ErrorCode, session: SessionIdent, message: String, tryAgain: Bool) {
    self.code = code
    self.session = session
    self.message = message
    self.tryAgain = tryAgain
  }
}

extension PlainErrorMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    code = try reader.readErrorCode()
    let size = try reader.readSize()
    tryAgain = try reader.readFlag()
    session = try reader.readNumber()
    try reader.finishHead()
    message = try reader.readText(size)
    try reader.finish()
  }

  func encode() -> [UInt8] {
    var writer = MessageWriter("error")
    writer.writeField(code.rawValue)
    writer.writeField(message.utf8.count)
    writer.writeField(tryAgain)
    writer.writeField(session)
    writer.finishHead()
    writer.writeBody(message.utf8)
    return writer.bytes
  }
}

/// An error reported by a client, which then ignores the server's messages for the session (protocol §2.3.8).
public struct ClientErrorMessage: Hashable, Sendable {
  public var code: ErrorCode
  public var session: SessionIdent
  public var message: String

  public init(code: ErrorCode, session: SessionIdent, message: String) {
    self.code = code
    self.session = session
    self.message = message
  }
}

extension ClientErrorMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    code = try reader.readErrorCode()
    let size = try reader.readSize()
    session = try reader.readSession()
    try reader.finishHead()
    let text = try reader.readBytes(size)
    try reader.finish()
    guard let json = try? JSON.parse(text), let message = json["message"]?.stringValue else {
      throw ProtocolError(.badSyntax, "bad json_error: it is not a JSON object with a message")
    }
    self.message = message
  }

  func encode() -> [UInt8] {
    let body = JSON.object([JSON.Member("message", .string(message))]).serialized
    return encodeError("json_error", code: code, session: session, body: Array(body.utf8))
  }
}

/// Rejects a subscription set. The session continues (protocol §2.4.8).
public struct QueryErrorMessage: Hashable, Sendable {
  public var code: ErrorCode
  public var session: SessionIdent
  public var queryVersion: QueryVersion
  public var message: String

  public init(code: ErrorCode = .badQuery, session: SessionIdent, queryVersion: QueryVersion, message: String)
  {
    self.code = code
    self.session = session
    self.queryVersion = queryVersion
    self.message = message
  }
}

extension QueryErrorMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    code = try reader.readErrorCode()
    let size = try reader.readSize()
    session = try reader.readSession()
    queryVersion = try reader.readVersion()
    try reader.finishHead()
    message = try reader.readText(size)
    try reader.finish()
  }

  func encode() -> [UInt8] {
    var writer = MessageWriter("query_error")
    writer.writeField(code.rawValue)
    writer.writeField(message.utf8.count)
    writer.writeField(session)
    writer.writeField(queryVersion)
    writer.finishHead()
    writer.writeBody(message.utf8)
    return writer.bytes
  }
}

private func encodeError(_ type: String, code: ErrorCode, session: SessionIdent, body: [UInt8]) -> [UInt8] {
  var writer = MessageWriter(type)
  writer.writeField(code.rawValue)
  writer.writeField(body.count)
  writer.writeField(session)
  writer.finishHead()
  writer.writeBody(body)
  return writer.bytes
}
