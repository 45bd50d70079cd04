// SPDX-License-Identifier: Apache-2.0

/// Work on streams that is too much for one turn, as when a client returns after a long absence. Until it is done,
/// the session waits like one whose view changes.
extension SyncEngine {
  /// Begins to extend the stream of a session over several turns if one is not enough. Must be called inside a write.
  ///
  /// - Returns: Whether the session has to wait.
  func beginCatchUp(_ session: EngineSession) throws -> Bool {
    guard let file = session.file, live[file.ident] === session else { return false }
    let isBegun = streamWork.hasAbandoned(StreamWorkStart(file), file.ident)
    guard try isBegun || history.isLong(after: views.placedVersion(of: file)) else { return false }
    views.remove(file)
    try streamWork.begin(CatchUp(file, writer: writer), on: file, in: store)
    return true
  }

  /// Begins to load the merge window of a session's file over several turns if one is not enough. Must be called
  /// inside a write.
  ///
  /// - Parameter base: the base of the oldest upload.
  /// - Returns: Whether the session has to wait.
  func beginWindowLoad(_ session: EngineSession, base: UInt64) throws -> Bool {
    guard let file = session.file, live[file.ident] === session else { return false }
    // Before it merges, an upload extends the stream beyond its base if anything has happened.
    let isBehind = views.placedVersion(of: file) < history.version
    let isLong = file.record.streamHead - file.record.trimmedVersion > UInt64(limits.history.recentCount)
    guard base < file.record.streamHead || isBehind && isLong else { return false }
    let window = uploads.window(of: file)
    guard try window.needsLong(file.record, base: base) else { return false }
    views.remove(file)
    try streamWork.begin(WindowLoad(file, window, base: base), on: file, in: store)
    return true
  }

  /// Begins to change the view of a session over several turns if one is not enough. Must be called inside a write.
  ///
  /// - Returns: Whether the session has to wait.
  func beginViewChange(_ request: ViewChangeRequest, in file: LiveFile) throws -> Bool {
    let isBegun = streamWork.hasAbandoned(StreamWorkStart(file, change: request), file.ident)
    let kept = try request.requestedVersion.flatMap {
      try store.keptBatches(file: file.ident, queryVersion: $0)
    }
    let needed = file.unfinished?.record.neededVersion ?? kept?.neededVersion
    guard try isBegun || history.isLong(after: needed ?? file.record.placedVersion) else { return false }
    try beginSpreadViewChange(request, in: file)
    return true
  }

  /// Begins to change the view of a session over several turns. Must be called inside a write.
  func beginSpreadViewChange(_ request: ViewChangeRequest, in file: LiveFile) throws {
    let work = ViewChangeWork(request, in: file, writer: writer, now: now, isSpread: true)
    try streamWork.begin(work, on: file, in: store)
  }

  /// Continues such work until the turn's budget is exhausted. Must be called inside a write, when all uploads are
  /// integrated.
  func goOnWithStreamWork(_ meter: TurnMeter) throws {
    // The current permissions must be known first, because work that has finished would not be examined again.
    while let (ident, work) = streamWork.next(where: { !staleFiles.contains($0) }) {
      guard let session = live[ident], let file = session.file else {
        streamWork.abandon(ident)
        continue
      }
      // Each piece of work gets one part in turn.
      let part = TurnMeter(limits.turn.divided(by: 8), now: now)
      do {
        if try work.goOn(part) {
          try finish(work, session, file)
        } else {
          streamWork.wait(ident)
        }
      } catch  where SyncEngine.concernsOneSession(error) {
        try cancelStreamWork(file)
        try endUnchanged(session, file, error)
      }
      meter.count(part)
      meter.count()
      if meter.isExhausted { return }
    }
  }

  private func finish(_ work: any StreamWork, _ session: EngineSession, _ file: LiveFile) throws {
    let placed = try file.orAsBefore {
      try store.database.nested {
        let placed = try work.finish(file)
        streamWork.remove(file.ident)
        // What has happened since the work took its snapshot is placed after the work's own entries.
        if views.placedVersion(of: file) < history.version, try !beginCatchUp(session) {
          try writer.extend(file)
        }
        return placed
      }
    }
    if let request = work.start.change { announce(placed, request, session, file) }
    visited[file.ident] = session
  }

  /// Drops what unfinished work has placed, because the stream will continue differently. Must be called inside a
  /// write.
  func cancelStreamWork(_ file: LiveFile) throws {
    streamWork.remove(file.ident)
    try store.dropUnfinished(file.record)
  }
}
