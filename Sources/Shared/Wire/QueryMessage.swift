// SPDX-License-Identifier: Apache-2.0

/// Requests a different subscription set (protocol §2.3.3).
public struct QueryMessage: Hashable, Sendable {
  public var session: SessionIdent
  public var queryVersion: QueryVersion
  /// See `QuerySet`.
  public var body: [UInt8]

  public init(session: SessionIdent, queryVersion: QueryVersion, body: [UInt8]) {
    self.session = session
    self.queryVersion = queryVersion
    self.body = body
  }
}

extension QueryMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    session = try reader.readSession()
    queryVersion = try reader.readVersion()
    body = Array(try reader.readBody(try reader.readSize()))
  }

  func encode() -> [UInt8] { encodeMessage("query", session, queryVersion, body.count, body: body) }
}
