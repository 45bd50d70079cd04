// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// A request to echo this message after everything pending has been sent, or the echo (protocol §2.3.5, §2.4.3).
public struct MarkMessage: Hashable, Sendable {
  public var session: SessionIdent
  public var request: MarkIdent

  public init(session: SessionIdent, request: MarkIdent) {
    self.session = session
    self.request = request
  }
}

extension MarkMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    session = try reader.readSession()
    request = try reader.readVersion()
    try reader.finishMessage()
  }

  func encode() -> [UInt8] { encodeMessage("mark", session, request) }
}

/// Keeps a connection alive (protocol §2.3.7).
public struct PingMessage: Hashable, Sendable {
  /// Milliseconds of an arbitrary monotonic clock. The PONG repeats the value.
  public var timestamp: UInt64
  /// The last measured round-trip time in milliseconds, initially 0.
  public var roundTripTime: UInt64

  public init(timestamp: UInt64, roundTripTime: UInt64) {
    self.timestamp = timestamp
    self.roundTripTime = roundTripTime
  }
}

extension PingMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    timestamp = try reader.readVersion()
    roundTripTime = try reader.readVersion()
    try reader.finishMessage()
  }

  func encode() -> [UInt8] { encodeMessage("ping", timestamp, roundTripTime) }
}

/// The number and the salt that the server allocates for a client's file (protocol §2.4.1).
public struct FileIdentMessage: Hashable, Sendable {
  public var session: SessionIdent
  public var file: SaltedFileIdent

  public init(session: SessionIdent, file: SaltedFileIdent) {
    self.session = session
    self.file = file
  }
}

extension FileIdentMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    session = try reader.readSession()
    file = try reader.readFileIdent()
    try reader.finishMessage()
  }

  func encode() -> [UInt8] { encodeMessage("ident", session, file.ident, file.salt) }
}

/// A command for tests, or its answer. Applications never send it (protocol §2.3.9).
public struct TestCommandMessage: Hashable, Sendable {
  public var session: SessionIdent
  public var request: UInt64
  public var body: String

  public init(session: SessionIdent, request: UInt64, body: String) {
    self.session = session
    self.request = request
    self.body = body
  }
}

extension TestCommandMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    session = try reader.readSession()
    request = try reader.readVersion()
    body = try reader.readTextBody(try reader.readSize())
  }

  func encode() -> [UInt8] {
    let body = Array(body.utf8)
    return encodeMessage("test_command", session, request, body.count, body: body)
  }
}

/// A line for the client's log (protocol §2.4.9).
public struct LogMessage: Hashable, Sendable {
  public enum Level: String, Hashable, Sendable {
    case trace, debug, detail, info, warn, error, fatal
  }

  /// The session, or 0 for the entire connection.
  public var session: SessionIdent
  public var level: Level
  /// Nil if the server only provides its identifier of the request.
  public var message: String?
  /// The server's identifier of the request.
  public var correlationId: String?
}

extension LogMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    session = try reader.readNumber()
    let text = try reader.readBody(try reader.readSize())
    guard let json = try? JSON.parse(text), json.objectValue != nil else {
      throw ProtocolError(.badSyntax, "bad log_message: it is not a JSON object")
    }
    let levelName = json["level"]?.stringValue ?? Level.debug.rawValue
    guard let level = Level(rawValue: levelName) else {
      throw ProtocolError(.badSyntax, "bad log_message: unknown level '\(levelName)'")
    }
    self.level = level
    message = json["msg"]?.stringValue
    correlationId = json["co_id"]?.stringValue
  }

  func encode() -> [UInt8] {
    var members: [JSON.Member] = []
    if let correlationId { members.append(JSON.Member("co_id", .string(correlationId))) }
    if message != nil || level != .debug { members.append(JSON.Member("level", .string(level.rawValue))) }
    if let message { members.append(JSON.Member("msg", .string(message))) }
    let body = Array(JSON.object(members).serialized.utf8)
    return encodeMessage("log_message", session, body.count, body: body)
  }
}
