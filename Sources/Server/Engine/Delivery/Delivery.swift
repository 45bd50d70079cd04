// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncServerSupport
import FlexSyncStore
import FlexSyncWire

/// Delivers what is placed in the streams of live files, as fast as their connections accept it. Reads committed data
/// only.
final class Delivery {
  private let store: ServerStore
  /// The salt of this server's data, which is part of the salt of the latest server version.
  let salt: Int64
  private let limits: DeliveryLimits

  /// - Parameter salt: the salt of this server's data; not 0.
  init(store: ServerStore, salt: Int64, limits: DeliveryLimits) {
    self.store = store
    self.salt = salt
    self.limits = limits
  }

  /// Returns the latest server version to report to a session: the last one that it has been sent. A client that
  /// copies its state into another file presents this version as the state that it has.
  func latest(_ session: EngineSession, _ file: LiveFile) -> LatestServerVersion {
    LatestServerVersion(
      serverVersion: max(session.cursor.serverVersion, session.presentedVersion),
      salt: StreamSalt(serverSalt: salt).salt(of: file.record)
    )
  }

  /// Whether there is anything to send to the client.
  func isDue(_ session: EngineSession) -> Bool {
    guard session.isAttached, let file = session.file else { return false }
    return session.wantsCatchUp || !isAtEnd(session, file)
  }

  /// Delivers some of what is due, at least one step. Stops when the connection has enough to send; call it again
  /// when the connection is writable.
  ///
  /// - Returns: Whether it can continue immediately.
  func pump(_ session: EngineSession, _ meter: TurnMeter) throws -> Bool {
    guard let file = session.file else { return false }
    while session.peer?.isWritable == true {
      session.tellDueRefusals()
      if let transmission = session.bootstrap {
        try deliverBatch(transmission, session, file, meter)
      } else if session.cursor.serverVersion < file.record.streamHead {
        try deliverEntries(session, file, meter)
        // The first step of a bootstrap may be long, however little the client asked for, so shorter work goes first.
        if session.bootstrap != nil { return true }
      } else {
        break
      }
      if meter.isExhausted, !isAtEnd(session, file) { return true }
    }
    session.tellDueRefusals()
    guard session.wantsCatchUp, isAtEnd(session, file), session.peer?.isWritable == true else { return false }
    session.wantsCatchUp = false
    advanceToUploads(session, file)
    acknowledge(session, file)
    session.peer?.post(.caughtUp(session.key, session.cursor, latest(session, file)))
    return false
  }

  /// Whether everything that is placed has been delivered.
  func isAtEnd(_ session: EngineSession, _ file: LiveFile) -> Bool {
    session.bootstrap == nil && session.cursor.serverVersion >= file.record.streamHead
  }

  /// Acknowledges integrated uploads at the end of the stream. The client need not keep them, because whatever
  /// follows is placed after them. Without this, a client that only writes would keep its entire history (protocol
  /// §5.7).
  private func acknowledge(_ session: EngineSession, _ file: LiveFile) {
    session.cursor.clientVersion = max(session.cursor.clientVersion, file.record.uploadClientVersion)
  }

  private func deliverEntries(_ session: EngineSession, _ file: LiveFile, _ meter: TurnMeter) throws {
    guard session.sendErrors(meter) else { return }
    // Entries beyond the head do not count yet, and the client is told of a refusal before what was placed after it.
    let end = min(file.record.streamHead, session.refusals.first?.streamVersion ?? .max)
    let entries = try store.streamEntries(
      file: file.ident,
      after: session.cursor.serverVersion,
      through: end,
      maximumByteCount: limits.messageByteCount
    )
    meter.count(steps: 1 + entries.count, bytes: entries.reduce(0) { $0 + $1.changeset.count })
    guard let first = entries.first else {
      // The placed entries were dropped; only the version advances (protocol §5.6).
      session.cursor.serverVersion = end
      // The client has been told to expect more.
      if session.catchUp.isUnfinished { deliverSteady([], session, file) }
      return
    }
    switch first.kind {
    case .steady:
      let steady = entries.prefix { $0.isSteady }
      // The errors precede the message with the entries that they announce (protocol §8.1). If there are many, others
      // have their turn meanwhile.
      guard try sendErrors(of: steady, session, meter) else { return }
      deliverSteady(steady, session, file)
    case .inlineBootstrap(let queryVersion): deliverInline(first, queryVersion, session, file)
    case .bootstrap(let record): try start(record, first, session, file)
    }
  }

  // MARK: Steady state

  /// - Returns: Whether all errors of the entries are sent.
  private func sendErrors(
    of entries: ArraySlice<StreamEntry>,
    _ session: EngineSession,
    _ meter: TurnMeter
  ) throws -> Bool {
    for entry in entries {
      guard let text = entry.rejection else { continue }
      try session.add(
        { try Rejection(text: text, storedIn: store.database.path).infos(serverVersion: $0) },
        of: entry.version
      )
    }
    return session.sendErrors(meter)
  }

  private func deliverSteady(
    _ entries: ArraySlice<StreamEntry>,
    _ session: EngineSession,
    _ file: LiveFile
  ) {
    let old = session.cursor.serverVersion
    if let last = entries.last {
      session.cursor = DownloadCursor(serverVersion: last.version, clientVersion: last.base)
      if last.version == file.record.streamHead { acknowledge(session, file) }
    }
    if session.cursor.serverVersion >= file.record.streamHead { advanceToUploads(session, file) }
    session.catchUp.advance(from: old, to: session.cursor.serverVersion, of: file.record.streamHead)
    deliver(
      entries.map(downloadEntry),
      .steady,
      // Not the version of a bootstrap that is placed later: old clients would treat this message as its end
      // (protocol §1.3).
      queryVersion: session.queryVersion,
      progress: session.catchUp.estimate,
      session,
      file
    )
  }

  /// Acknowledges all uploads at the end of the stream, because whatever follows is placed on top of them. Otherwise
  /// the client would have to keep them for merging until another client makes a change.
  private func advanceToUploads(_ session: EngineSession, _ file: LiveFile) {
    session.cursor.clientVersion = max(session.cursor.clientVersion, file.record.uploadClientVersion)
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

  private func deliverInline(
    _ entry: StreamEntry,
    _ queryVersion: QueryVersion,
    _ session: EngineSession,
    _ file: LiveFile
  ) {
    session.cursor = DownloadCursor(serverVersion: entry.version, clientVersion: entry.base)
    session.queryVersion = queryVersion
    deliver([downloadEntry(entry)], .last, queryVersion: queryVersion, session, file)
  }

  private func start(
    _ record: BootstrapRecord,
    _ entry: StreamEntry,
    _ session: EngineSession,
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

  private func deliverBatch(
    _ transmission: BootstrapTransmission,
    _ session: EngineSession,
    _ file: LiveFile,
    _ meter: TurnMeter
  ) throws {
    guard let batch = try transmission.reader.nextBatch(meter) else { return }
    session.batchCount += 1
    let entries = batch.changesets.map { changeset in
      DownloadEntry(
        serverVersion: transmission.version,
        clientVersion: transmission.base,
        timestamp: transmission.timestamp,
        originFileIdent: transmission.originFileIdent,
        changeset: changeset
      )
    }
    session.cursor = DownloadCursor(
      serverVersion: transmission.version,
      clientVersion: transmission.base
    )
    if batch.isLast {
      session.bootstrap = nil
      session.queryVersion = transmission.queryVersion
      // Uploads that were integrated during the bootstrap are acknowledged with its end, and not separately.
      if transmission.version == file.record.streamHead { advanceToUploads(session, file) }
    }
    deliver(
      entries,
      batch.isLast ? .last : .more,
      queryVersion: transmission.queryVersion,
      progress: batch.progress,
      session,
      file
    )
    CrashPoint.reached(.serverInsideBootstrap, if: !batch.isLast)
  }

  private func deliver(
    _ entries: [DownloadEntry],
    _ state: BatchState,
    queryVersion: QueryVersion,
    progress: Double = 1,
    _ session: EngineSession,
    _ file: LiveFile
  ) {
    let batch = DownloadBatch(
      download: session.cursor,
      latest: latest(session, file),
      queryVersion: queryVersion,
      batchState: state,
      progressEstimate: progress,
      entries: entries
    )
    session.peer?.post(.deliver(session.key, batch))
  }
}
