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
    try reader.finishHead()
    try reader.finish()
  }

  func encode() -> [UInt8] { encodeHead("mark", session, request) }
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
    try reader.finishHead()
    try reader.finish()
  }

  func encode() -> [UInt8] { encodeHead("ping", timestamp, roundTripTime) }
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
    file = SaltedFileIdent(ident: try reader.readVersion(), salt: try reader.readSalt())
    try reader.finishHead()
    try reader.finish()
  }

  func encode() -> [UInt8] {
    var writer = MessageWriter("ident")
    writer.writeField(session)
    writer.writeField(file.ident)
    writer.writeField(file.salt)
    writer.finishHead()
    return writer.bytes
  }
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
    let size = try reader.readSize()
    try reader.finishHead()
    body = try reader.readText(size)
    try reader.finish()
  }

  func encode() -> [UInt8] {
    var writer = MessageWriter("test_command")
    writer.writeField(session)
    writer.writeField(request)
    writer.writeField(body.utf8.count)
    writer.finishHead()
    writer.writeBody(body.utf8)
    return writer.bytes
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

  public init(session: SessionIdent, level: Level, message: String?, correlationId: String? = nil) {
    self.session = session
    self.level = level
    self.message = message
    self.correlationId = correlationId
  }
}

extension LogMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    session = try reader.readNumber()
    let size = try reader.readSize()
    try reader.finishHead()
    let text = try reader.readBytes(size)
    try reader.finish()
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
    var writer = MessageWriter("log_message")
    writer.writeField(session)
    writer.writeField(body.count)
    writer.finishHead()
    writer.writeBody(body)
    return writer.bytes
  }
}

/// Encodes a message without a body.
func encodeHead(_ type: String, _ fields: UInt64...) -> [UInt8] {
  var writer = MessageWriter(type)
  for field in fields { writer.writeField(field) }
  writer.finishHead()
  return writer.bytes
}
