// SPDX-License-Identifier: Apache-2.0

/// Work on streams that is too much for one turn, as when a client comes back after a long absence. Until it is done, its
/// session waits as those do whose view changes.
extension SyncEngine {
  /// Begins to extend the stream of a session over several turns if one is not enough. Inside a write.
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

  /// Begins to load what uploads of a session are merged with over several turns if one is not enough. Inside a write.
  ///
  /// - Parameter base: of the oldest upload.
  /// - Returns: Whether the session has to wait.
  func beginWindowLoad(_ session: EngineSession, base: UInt64) throws -> Bool {
    guard let file = session.file, live[file.ident] === session, base < file.record.streamHead else {
      return false
    }
    let window = uploads.window(of: file)
    guard try window.needsLong(file.record, base: base) else { return false }
    views.remove(file)
    try streamWork.begin(WindowLoad(file, window, base: base), on: file, in: store)
    return true
  }

  /// Begins to change the view of a session over several turns if one is not enough. Inside a write.
  ///
  /// - Returns: Whether the session has to wait.
  func beginViewChange(_ request: ViewChangeRequest, in file: LiveFile) throws -> Bool {
    let isBegun = streamWork.hasAbandoned(StreamWorkStart(file, change: request), file.ident)
    let first = file.unfinished?.record.neededVersion ?? file.record.placedVersion
    guard try isBegun || history.isLong(after: first) else { return false }
    try beginSpreadViewChange(request, in: file)
    return true
  }

  /// Begins to change the view of a session over several turns. Inside a write.
  func beginSpreadViewChange(_ request: ViewChangeRequest, in file: LiveFile) throws {
    let work = ViewChangeWork(request, in: file, writer: writer, now: now, isSpread: true)
    try streamWork.begin(work, on: file, in: store)
  }

  /// Goes on with such work until the turn has done enough. Inside a write, when all uploads are integrated.
  func goOnWithStreamWork(_ meter: TurnMeter) throws {
    // What users may see now is to be known first: what came to its end would not be looked at again.
    guard staleFiles.isEmpty else { return }
    while let (ident, work) = streamWork.next() {
      guard let session = live[ident], let file = session.file else {
        streamWork.abandon(ident)
        continue
      }
      // A part for each in turn.
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
        // What has happened since a snapshot was taken comes behind it.
        if views.placedVersion(of: file) < history.version, try !beginCatchUp(session) {
          try writer.extend(file)
        }
        return placed
      }
    }
    if work.start.change != nil { announce(placed, session, file) }
    visited[file.ident] = session
  }

  /// Takes back what work has placed that has not come to its end, since the stream goes on in another way. Inside a write.
  func cancelStreamWork(_ file: LiveFile) throws {
    streamWork.remove(file.ident)
    try store.dropUnfinished(file.record)
  }
}
