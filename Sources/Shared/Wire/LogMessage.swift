// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

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
