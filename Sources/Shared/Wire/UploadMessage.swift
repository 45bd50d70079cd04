// SPDX-License-Identifier: Apache-2.0

/// One of the client's changesets, as sent to the server (protocol §2.3.4).
public struct UploadEntry: Hashable, Sendable {
  /// The client version that the changeset created.
  public var clientVersion: ClientVersion
  /// The download cursor's server version at the time of the commit: the base of the changeset.
  public var serverVersion: ServerVersion
  /// Milliseconds since 2015-01-01T00:00:00Z.
  public var timestamp: UInt64
  /// 0 for the client's own changes.
  public var originFileIdent: FileIdent
  public var changeset: [UInt8]

  public init(
    clientVersion: ClientVersion,
    serverVersion: ServerVersion,
    timestamp: UInt64,
    originFileIdent: FileIdent = 0,
    changeset: [UInt8]
  ) {
    self.clientVersion = clientVersion
    self.serverVersion = serverVersion
    self.timestamp = timestamp
    self.originFileIdent = originFileIdent
    self.changeset = changeset
  }
}

/// Changes made by the client, or only the progress of its scan, which acknowledges downloads (protocol §2.3.4).
public struct UploadMessage: Hashable, Sendable {
  public var session: SessionIdent
  /// The client version up to which everything has been scanned, and the download cursor's server version there.
  public var progress: UploadCursor
  /// The version after which the server must keep its history.
  public var lockedServerVersion: ServerVersion
  public var entries: [UploadEntry]

  public init(
    session: SessionIdent,
    progress: UploadCursor,
    lockedServerVersion: ServerVersion,
    entries: [UploadEntry]
  ) {
    self.session = session
    self.progress = progress
    self.lockedServerVersion = lockedServerVersion
    self.entries = entries
  }
}

extension UploadMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    session = try reader.readSession()
    let compression = try reader.readCompressionFields()
    progress = try reader.readUploadCursor()
    lockedServerVersion = try reader.readVersion()
    entries = try Self.readEntries(of: try reader.readBody(compression))
  }

  private static func readEntries(of body: [UInt8]) throws(ProtocolError) -> [UploadEntry] {
    var reader = EntryReader(body)
    var entries: [UploadEntry] = []
    while !reader.isAtEnd {
      entries.append(
        UploadEntry(
          clientVersion: try reader.readNumber(),
          serverVersion: try reader.readNumber(),
          timestamp: try reader.readNumber(),
          originFileIdent: try reader.readNumber(),
          changeset: try reader.readChangeset()
        )
      )
    }
    return entries
  }

  func encode(isCompressionAllowed: Bool) -> [UInt8] {
    var entryWriter = EntryWriter()
    for entry in entries {
      entryWriter.writeNumbers(entry.clientVersion, entry.serverVersion, entry.timestamp)
      entryWriter.writeNumbers(entry.originFileIdent)
      entryWriter.writeChangeset(entry.changeset)
    }
    var writer = MessageWriter("upload")
    writer.writeField(session)
    let body = writer.writeCompressionFields(entryWriter.body, isCompressionAllowed: isCompressionAllowed)
    writer.writeCursor(progress)
    writer.writeField(lockedServerVersion)
    writer.finishHead()
    writer.writeBody(body)
    return writer.bytes
  }
}
