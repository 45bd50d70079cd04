// SPDX-License-Identifier: Apache-2.0

/// Clients that come back after a long absence. Their streams are extended in several turns; until that is done, they
/// wait as those do whose view changes.
extension SyncEngine {
  /// Begins to extend the stream of a session over several turns if one is not enough. Inside a write.
  ///
  /// - Returns: Whether the session has to wait.
  func beginCatchUp(_ session: EngineSession) throws -> Bool {
    guard let file = session.file, live[file.ident] === session else { return false }
    guard try history.isLong(after: views.placedVersion(of: file)) || catchUps.hasAbandoned(file) else {
      return false
    }
    views.remove(file)
    try catchUps.begin(file, writer: writer)
    return true
  }

  /// Extends such streams until the turn has done enough. Inside a write, when all uploads are integrated.
  func goOnCatchingUp(_ meter: TurnMeter) throws {
    // What users may see now is to be known first: what came to its end would not be looked at again.
    guard staleFiles.isEmpty else { return }
    while let (ident, catchUp) = catchUps.next() {
      guard let session = live[ident], let file = session.file else {
        catchUps.abandon(ident)
        continue
      }
      guard catchUp.start == CatchUp.Start(file) else {
        // What the user might see in between has changed.
        try catchUps.begin(file, writer: writer)
        continue
      }
      // A part for each in turn.
      let part = TurnMeter(limits.turn.divided(by: 8), now: now)
      do {
        if try catchUp.goOn(part) {
          catchUp.finish(file)
          catchUps.remove(ident)
          visited[ident] = session
        } else {
          catchUps.wait(ident)
        }
      } catch  where SyncEngine.concernsOneSession(error) {
        logger.error("a client cannot catch up", metadata: metadata(session, ["error": "\(error)"]))
        try cancelCatchUp(file)
        try end(session, .unexpected)
      }
      meter.count(part)
      meter.count()
      if meter.isExhausted { return }
    }
  }

  /// Takes back what a catch-up has placed that has not come to its end, since the stream goes on in another way. Inside a write.
  func cancelCatchUp(_ file: LiveFile) throws {
    catchUps.remove(file.ident)
    try store.dropUnfinished(file.record)
  }
}
