// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// Starts a session (protocol §2.3.1).
public struct BindMessage: Hashable, Sendable {
  public var session: SessionIdent
  /// JSON with the `options` since version 8. In earlier versions, a path without meaning.
  public var parameters: [UInt8]
  /// Always empty in Flexible Sync: the connection's access token identifies the user.
  public var token = ""
  /// Whether the file has no ident yet and the server must allocate one.
  public var needsFileIdent: Bool
  public var isSubserver = false

  public init(session: SessionIdent, options: BindOptions, needsFileIdent: Bool) {
    self.session = session
    parameters = options.encode()
    self.needsFileIdent = needsFileIdent
  }

  /// Returns the options contained in the parameters for a server that negotiated `version`.
  ///
  /// - Throws: Error 103 if they are not the JSON object that the version requires.
  public func options(version: SyncProtocolVersion) throws(ProtocolError) -> BindOptions {
    // Versions 8 and 9 may omit the object if it has no members.
    guard version.hasBindOptions, !parameters.isEmpty else { return BindOptions() }
    return try BindOptions(parameters)
  }
}

extension BindMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    session = try reader.readSession()
    let parametersSize = try reader.readSize(atMost: MessageLimits.textByteCount)
    let tokenSize = try reader.readSize(atMost: MessageLimits.textByteCount)
    needsFileIdent = try reader.readFlag()
    isSubserver = try reader.readFlag()
    try reader.finishHead()
    parameters = Array(try reader.readBytes(parametersSize))
    token = try reader.readText(tokenSize)
    try reader.finish()
  }

  func encode() -> [UInt8] {
    encodeMessage(
      "bind",
      session,
      parameters.count,
      token.utf8.count,
      needsFileIdent ? 1 : 0,
      isSubserver ? 1 : 0,
      body: parameters + Array(token.utf8)
    )
  }
}

/// The reason a client binds a session.
public enum SessionReason: Int64, Hashable, Sendable {
  case sync = 0
  /// The session belongs to a client reset: it downloads the fresh copy, or is the first session afterwards.
  case clientReset = 1
}

/// The JSON object of a BIND (protocol §2.3.1).
public struct BindOptions: Hashable, Sendable {
  /// The version that the app assigned to its schema; 0 if none.
  public var schemaVersion: UInt64 = 0
  public var sessionReason: SessionReason
  /// The partition that the file belonged to before it was migrated to Flexible Sync.
  public var migratedPartition: String?

  public init(sessionReason: SessionReason = .sync) { self.sessionReason = sessionReason }

  /// Parses the object. Unknown members are ignored.
  init(_ text: [UInt8]) throws(ProtocolError) {
    guard let json = try? JSON.parse(text), json.objectValue != nil else {
      throw ProtocolError(.badSyntax, "bad bind message: the parameters are not a JSON object")
    }
    self.init()
    if let member = json["schemaVersion"] {
      guard let number = member.integerValue, let version = UInt64(exactly: number) else {
        throw ProtocolError(.badSyntax, "bad bind message: schemaVersion must be a non-negative integer")
      }
      schemaVersion = version
    }
    // A reason added by a later version counts as a normal sync.
    sessionReason = json["sessionReason"]?.integerValue.flatMap(SessionReason.init) ?? .sync
    migratedPartition = json["migratedPartition"]?.stringValue
  }

  func encode() -> [UInt8] {
    var members: [JSON.Member] = []
    if let migratedPartition { members.append(JSON.Member("migratedPartition", .string(migratedPartition))) }
    members.append(JSON.Member("schemaVersion", .integer(Int64(clamping: schemaVersion))))
    members.append(JSON.Member("sessionReason", .integer(sessionReason.rawValue)))
    return Array(JSON.object(members).serialized.utf8)
  }
}
