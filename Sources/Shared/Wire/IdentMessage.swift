// SPDX-License-Identifier: Apache-2.0

/// Identifies the client's file and reports its progress (protocol §2.3.2).
public struct IdentMessage: Hashable, Sendable {
  public var session: SessionIdent
  public var file: SaltedFileIdent
  public var download: DownloadCursor
  /// The value last received in a DOWNLOAD.
  public var latest: LatestServerVersion
  /// The active subscription set: the latest one that has been bootstrapped completely, initially 0.
  public var queryVersion: QueryVersion
  /// The body of that set; see `QuerySet`.
  public var queryBody: [UInt8]

  public init(
    session: SessionIdent,
    file: SaltedFileIdent,
    download: DownloadCursor,
    latest: LatestServerVersion,
    queryVersion: QueryVersion,
    queryBody: [UInt8]
  ) {
    self.session = session
    self.file = file
    self.download = download
    self.latest = latest
    self.queryVersion = queryVersion
    self.queryBody = queryBody
  }
}

extension IdentMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    session = try reader.readSession()
    file = try reader.readFileIdent()
    download = try reader.readDownloadCursor()
    latest = try reader.readLatestServerVersion()
    queryVersion = try reader.readVersion()
    queryBody = Array(try reader.readBody(try reader.readSize()))
  }

  func encode() -> [UInt8] {
    encodeMessage(
      "ident",
      session,
      file.ident,
      file.salt,
      download.serverVersion,
      download.clientVersion,
      latest.serverVersion,
      latest.salt,
      queryVersion,
      queryBody.count,
      body: queryBody
    )
  }
}
