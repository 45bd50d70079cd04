// SPDX-License-Identifier: Apache-2.0

/// A changeset of the server's stream, as sent to a client (protocol §2.4.2).
public struct DownloadEntry: Hashable, Sendable {
  /// The version of this entry in the stream; never 0.
  public var serverVersion: ServerVersion
  /// The receiving client's latest version that had been integrated into the stream before this entry: the version
  /// from which the client must merge.
  public var clientVersion: ClientVersion
  /// Milliseconds since 2015-01-01T00:00:00Z, according to the author's clock.
  public var timestamp: UInt64
  /// The author's file, or an ident reserved by the server; neither 0 nor the receiver's own.
  public var originFileIdent: FileIdent
  /// The size before compaction by the server; for statistics only.
  public var originalSize: UInt64
  public var changeset: [UInt8]

  /// - Parameter originalSize: Nil for the size of `changeset`.
  public init(
    serverVersion: ServerVersion,
    clientVersion: ClientVersion,
    timestamp: UInt64,
    originFileIdent: FileIdent,
    originalSize: UInt64? = nil,
    changeset: [UInt8]
  ) {
    self.serverVersion = serverVersion
    self.clientVersion = clientVersion
    self.timestamp = timestamp
    self.originFileIdent = originFileIdent
    self.originalSize = originalSize ?? UInt64(changeset.count)
    self.changeset = changeset
  }
}

/// The kind of sequence that a DOWNLOAD belongs to.
public enum BatchState: UInt64, Hashable, Sendable {
  /// A bootstrap, with further messages to follow.
  case more = 0
  /// The last message of a bootstrap.
  case last = 1
  case steady = 2
}

/// Changes for the client, or only new cursors (protocol §2.4.2).
public struct DownloadMessage: Hashable, Sendable {
  public var session: SessionIdent
  /// The download cursor after this message.
  public var download: DownloadCursor
  /// The end of the server's history.
  public var latest: LatestServerVersion
  /// The changes from this client that the server has integrated.
  public var upload: UploadCursor
  /// The subscription set being bootstrapped, or the active one.
  public var queryVersion: QueryVersion
  public var batchState: BatchState
  /// The estimated progress, from 0 to 1.
  public var progressEstimate: Double
  public var entries: [DownloadEntry]

  public init(
    session: SessionIdent,
    progress: SyncProgress,
    queryVersion: QueryVersion,
    batchState: BatchState,
    progressEstimate: Double = 1,
    entries: [DownloadEntry] = []
  ) {
    self.session = session
    download = progress.download
    latest = progress.latest
    upload = progress.upload
    self.queryVersion = queryVersion
    self.batchState = batchState
    self.progressEstimate = progressEstimate
    self.entries = entries
  }

  /// The three cursors in the head.
  public var progress: SyncProgress { SyncProgress(download: download, upload: upload, latest: latest) }
}

extension DownloadMessage {
  init(reading reader: inout MessageReader) throws(ProtocolError) {
    session = try reader.readSession()
    download = try reader.readDownloadCursor()
    latest = try reader.readLatestServerVersion()
    upload = try reader.readUploadCursor()
    queryVersion = try reader.readVersion()
    let state = try reader.readNumber()
    guard let batchState = BatchState(rawValue: state) else {
      throw ProtocolError(.badSyntax, "bad download message: batch state \(state)")
    }
    self.batchState = batchState
    progressEstimate = try reader.readFraction()
    let compression = try reader.readCompressionFields()
    entries = try Self.readEntries(of: try reader.readBody(compression))
  }

  private static func readEntries(of body: [UInt8]) throws(ProtocolError) -> [DownloadEntry] {
    var reader = EntryReader(body)
    var entries: [DownloadEntry] = []
    while !reader.isAtEnd {
      let entry = DownloadEntry(
        serverVersion: try reader.readNumber(),
        clientVersion: try reader.readNumber(),
        timestamp: try reader.readNumber(),
        originFileIdent: try reader.readNumber(),
        originalSize: try reader.readNumber(),
        changeset: try reader.readChangeset()
      )
      guard entry.serverVersion != 0 else {
        throw ProtocolError(.badChangesetHeader, "bad download message: a changeset has server version 0")
      }
      entries.append(entry)
    }
    return entries
  }

  func encode(version: SyncProtocolVersion, isCompressionAllowed: Bool) -> [UInt8] {
    var writer = MessageWriter("download")
    writer.writeField(session)
    writer.writeCursor(download)
    writer.writeVersion(latest)
    writer.writeCursor(upload)
    writer.writeField(queryVersion)
    writer.writeField(version.hasBatchState ? batchState.rawValue : min(batchState.rawValue, 1))
    if version.hasProgressEstimate { writer.writeFraction(progressEstimate) } else { writer.writeField(0) }
    let body = writer.writeCompressionFields(entryBody, isCompressionAllowed: isCompressionAllowed)
    writer.finishHead()
    writer.writeBody(body)
    return writer.bytes
  }

  private var entryBody: [UInt8] {
    var writer = EntryWriter()
    for entry in entries {
      writer.writeNumbers(entry.serverVersion, entry.clientVersion, entry.timestamp)
      writer.writeNumbers(entry.originFileIdent, entry.originalSize)
      writer.writeChangeset(entry.changeset)
    }
    return writer.body
  }
}
