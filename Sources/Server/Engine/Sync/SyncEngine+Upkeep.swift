// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import Logging

/// Upkeep that prevents memory and files from growing forever.
extension SyncEngine {
  /// The maximum number of items of each kind that are forgotten at once.
  private static let forgettingCount = 1_000
  private static let vacuumPageCount: Int64 = 1_000

  /// Forgets some of what clients no longer need, and releases the space.
  ///
  /// - Returns: Whether there is more to do soon.
  package func compact() -> Bool {
    do {
      try disconnectUnresponsive()
      return try store.writeLazily {
        try noteProgress()
        try store.deleteLogins(expiredAt: clock.seconds)
        let hasMore = try HistoryFloor(store: store).raise(
          forgettingFilesBefore: oldestLastSeen,
          keptSpan: BegunViews.maximumSpan,
          maximumCount: SyncEngine.forgettingCount
        )
        if hasMore { return true }
        return try store.giveBackSpace(maximumPageCount: SyncEngine.vacuumPageCount)
      }
    } catch {
      logger.error("could not compact the history", metadata: ["error": "\(error)"])
      return false
    }
  }

  /// Disconnects clients that have acknowledged nothing for as long as a client may be away. Until then, the server
  /// keeps what it has placed for them, and the history that this needs. They have to start over.
  private func disconnectUnresponsive() throws {
    for (ident, session) in live.sorted(by: { $0.key < $1.key }) {
      guard let file = session.file else { continue }
      try noteSeen(file)
      guard file.record.lastSeen < oldestLastSeen else { continue }
      logger.notice(
        "disconnected a client that has acknowledged nothing for too long (client_max_offline_days)",
        metadata: ["file": "\(ident)", "user": "\(session.userID)"]
      )
      disconnect(session)
    }
  }

  /// Notes that a client is connected. One that still has to acknowledge something counts as seen when it does
  /// (`UploadIntegration`).
  func noteSeen(_ file: LiveFile) throws {
    guard try !store.hasStreamEntries(file: file.ident) else { return }
    file.record.lastSeen = clock.seconds
  }

  /// Stores how far the streams of live files are extended. For quiet files, only memory has that information.
  private func noteProgress() throws {
    for (_, session) in live.sorted(by: { $0.key < $1.key }) {
      guard let file = session.file else { continue }
      // Work may still need the history since the version that it began with.
      if !streamWork.contains(file.ident) { file.record.placedVersion = views.placedVersion(of: file) }
      try store.update(file.record)
    }
  }

  /// Prevents the write-ahead log from growing forever. While a bootstrap, or work on a stream, holds a snapshot, the
  /// log cannot be reused from its beginning. Once it has grown longer than both the database and `logByteCount`, the
  /// sessions that hold snapshots are disconnected and have to start over.
  package func relieveLog() {
    do {
      guard try isLogTooLong() else { return }
      streamWork.releaseAbandonedSnapshots()
      guard try isLogTooLong() else { return }
      for (ident, session) in live.sorted(by: { $0.key < $1.key })
      where session.holdsSnapshot || streamWork.holdsSnapshot(ident) {
        logger.warning(
          "a client is disconnected because its snapshot keeps the log from being reused; it reconnects",
          metadata: ["file": "\(ident)", "user": "\(session.userID)"]
        )
        disconnect(session)
      }
      streamWork.releaseAbandonedSnapshots()
    } catch {
      logger.error("could not checkpoint the write-ahead log", metadata: ["error": "\(error)"])
    }
  }

  /// Disconnects clients that do not read their bootstraps, if so many do not that others, or others of their user, cannot
  /// begin. Those of the users with the most go first, and as many as may read at the same time. If still no other can
  /// begin, clients that read slowly, of users who have more than a fair share, make room for users who have less.
  package func relievePlaces() {
    guard !line.isEmpty || !viewChanges.isEmpty else { return }
    let waiting = Set(line.userIDs).union(viewChanges.userIDs)
    let stalled = places.stalled(now: clock.milliseconds(), waiting: waiting)
    disconnect(
      stalled.prefix(places.capacity),
      "a client that does not read its bootstrap, because others wait"
    )
    let excessive = places.excessive(now: clock.milliseconds(), waiting: waiting)
    disconnect(
      excessive,
      "a client that reads its bootstrap slowly, because its user has many and others wait"
    )
  }

  private func disconnect(_ sessions: some Sequence<EngineSession>, _ reason: String) {
    for session in sessions {
      logger.notice("disconnected \(reason); it reconnects", metadata: metadata(session, [:]))
      disconnect(session)
    }
  }

  private func isLogTooLong() throws -> Bool {
    let log = try store.checkpoint()
    return log.isPinned && log.byteCount > max(limits.logByteCount, log.databaseByteCount)
  }
}
