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
    file = SaltedFileIdent(ident: try reader.readVersion(), salt: try reader.readSalt())
    download = DownloadCursor(
      serverVersion: try reader.readVersion(),
      clientVersion: try reader.readVersion()
    )
    latest = LatestServerVersion(serverVersion: try reader.readVersion(), salt: try reader.readSalt())
    queryVersion = try reader.readVersion()
    let size = try reader.readSize()
    try reader.finishHead()
    queryBody = Array(try reader.readBytes(size))
    try reader.finish()
  }

  func encode() -> [UInt8] {
    var writer = MessageWriter("ident")
    writer.writeField(session)
    writer.writeField(file.ident)
    writer.writeField(file.salt)
    writer.writeField(download.serverVersion)
    writer.writeField(download.clientVersion)
    writer.writeField(latest.serverVersion)
    writer.writeField(latest.salt)
    writer.writeField(queryVersion)
    writer.writeField(queryBody.count)
    writer.finishHead()
    writer.writeBody(queryBody)
    return writer.bytes
  }
}
