// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncProtocol
import FlexSyncStorage

/// How much goes into a DOWNLOAD.
struct DeliveryLimits: Sendable {
  /// The uncompressed bytes after which a message is full.
  var messageByteCount = 512 * 1024
  /// The bytes after which a changeset of a bootstrap is full. A client applies them one by one.
  var changesetByteCount = 96 * 1024
}

/// Sends what is placed in the streams of live files, as far as their connections take it.
///
/// It reads committed data only, and reports only cursors that are durable.
final class Delivery {
  private let store: ServerStore
  private let salt: Int64
  private let limits: DeliveryLimits

  /// - Parameter salt: the salt of the latest server version; not 0.
  init(store: ServerStore, salt: Int64, limits: DeliveryLimits) {
    self.limits = limits
    self.store = store
    self.salt = salt
  }

  /// Sends what is due. Stops when the connection has enough to do; it calls again when it is writable.
  func pump(_ session: SyncSession) throws {
    guard let file = session.file else { return }
    while session.isAttached, session.peer?.isWritable == true {
      if let transmission = session.bootstrap {
        try sendBatch(transmission, session, file)
      } else if session.cursor.serverVersion < file.record.streamHead {
        try sendEntries(session, file)
      } else {
        break
      }
    }
    guard session.isAttached, session.bootstrap == nil, session.cursor.serverVersion >= file.record.streamHead
    else { return }
    if session.needsAcknowledgement || !session.hasSentDownload { sendSteady([], session, file) }
    answerMarks(session)
  }

  private func answerMarks(_ session: SyncSession) {
    for request in session.pendingMarks {
      session.peer?.send(.mark(MarkMessage(session: session.ident, request: request)), for: session)
    }
    session.pendingMarks = []
  }

  private func sendEntries(_ session: SyncSession, _ file: LiveFile) throws {
    let entries = try store.streamEntries(
      file: file.ident,
      after: session.cursor.serverVersion,
      maximumByteCount: limits.messageByteCount
    )
    guard let first = entries.first else {
      // What was placed was taken back; only the version moves on (protocol §5.6).
      session.cursor.serverVersion = file.record.streamHead
      session.hasSentDownload = false
      return
    }
    switch first.kind {
    case .steady: try sendSteady(entries.prefix { $0.kind == .steady }, session, file)
    case .inlineBootstrap(let queryVersion): sendInline(first, queryVersion, session, file)
    case .bootstrap(let record): try start(record, first, session, file)
    }
  }

  // MARK: Steady state

  private func sendSteady(_ entries: ArraySlice<StreamEntry>, _ session: SyncSession, _ file: LiveFile) throws
  {
    for entry in entries {
      guard let text = entry.rejection else { continue }
      let info = try Rejection(text: text).info(serverVersion: entry.version)
      let error = ErrorMessage(code: .compensatingWrite, session: session.ident, info: info)
      session.peer?.send(.error(error), for: session)
    }
    if let last = entries.last {
      session.cursor = DownloadCursor(serverVersion: last.version, clientVersion: last.base)
    }
    sendSteady(entries.map(downloadEntry), session, file)
  }

  private func sendSteady(_ entries: [DownloadEntry], _ session: SyncSession, _ file: LiveFile) {
    send(entries, .steady, queryVersion: file.record.queryVersion, session, file)
  }

  private func downloadEntry(_ entry: StreamEntry) -> DownloadEntry {
    DownloadEntry(
      serverVersion: entry.version,
      clientVersion: entry.base,
      timestamp: entry.stamp.timestamp,
      originFileIdent: entry.stamp.fileIdent,
      changeset: entry.changeset
    )
  }

  // MARK: Bootstraps

  private func sendInline(
    _ entry: StreamEntry,
    _ queryVersion: QueryVersion,
    _ session: SyncSession,
    _ file: LiveFile
  ) {
    session.cursor = DownloadCursor(serverVersion: entry.version, clientVersion: entry.base)
    send([downloadEntry(entry)], .last, queryVersion: queryVersion, session, file)
  }

  private func start(
    _ record: BootstrapRecord,
    _ entry: StreamEntry,
    _ session: SyncSession,
    _ file: LiveFile
  ) throws {
    guard let reader = session.preparedBootstraps.removeValue(forKey: entry.version) else {
      throw ServerError("the bootstrap at version \(entry.version) of file \(file.ident) has no snapshot")
    }
    session.bootstrap = BootstrapTransmission(
      version: entry.version,
      base: entry.base,
      timestamp: entry.stamp.timestamp,
      originFileIdent: entry.stamp.fileIdent,
      queryVersion: record.queryVersion,
      reader: reader
    )
  }

  private func sendBatch(_ transmission: BootstrapTransmission, _ session: SyncSession, _ file: LiveFile)
    throws
  {
    let batch = try transmission.reader.nextBatch()
    let entries = batch.changesets.map { changeset in
      DownloadEntry(
        serverVersion: transmission.version,
        clientVersion: transmission.base,
        timestamp: transmission.timestamp,
        originFileIdent: transmission.originFileIdent,
        changeset: changeset
      )
    }
    session.cursor = DownloadCursor(serverVersion: transmission.version, clientVersion: transmission.base)
    if batch.isLast { session.bootstrap = nil }
    send(
      entries,
      batch.isLast ? .last : .more,
      queryVersion: transmission.queryVersion,
      progress: batch.progress,
      session,
      file
    )
  }

  private func send(
    _ entries: [DownloadEntry],
    _ state: BatchState,
    queryVersion: QueryVersion,
    progress: Double = 1,
    _ session: SyncSession,
    _ file: LiveFile
  ) {
    let message = DownloadMessage(
      session: session.ident,
      progress: SyncProgress(
        download: session.cursor,
        upload: UploadCursor(
          clientVersion: file.record.uploadClientVersion,
          serverVersion: file.record.uploadServerVersion
        ),
        latest: LatestServerVersion(serverVersion: file.record.streamHead, salt: salt)
      ),
      queryVersion: queryVersion,
      batchState: state,
      progressEstimate: progress,
      entries: entries
    )
    session.peer?.send(.download(message), for: session)
    session.hasSentDownload = true
    session.needsAcknowledgement = false
  }
}
