// SPDX-License-Identifier: Apache-2.0

/// Deliveries to sessions, shared fairly between them.
extension SyncEngine {
  /// Delivers what is due until the turn's budget is exhausted, one part to each session in turn.
  func deliver(_ meter: TurnMeter) {
    while let session = deliveries.next() {
      let part = TurnMeter(limits.turn.divided(by: SyncEngine.deliveriesPerTurn), now: now)
      if deliver(to: session, part) { deliveries.add(session, isOngoing: true) }
      meter.count(part)
      meter.count()
      if meter.isExhausted { return }
    }
  }

  private func isLagging(_ session: EngineSession) -> Bool {
    session.file.map { laggingFiles.contains($0.ident) } ?? false
  }

  /// The number of sessions that share a turn when there is much to deliver to each.
  private static let deliveriesPerTurn = 8

  /// - Returns: Whether more can be delivered immediately.
  private func deliver(to session: EngineSession, _ meter: TurnMeter) -> Bool {
    // The stream may contain something that the user may no longer see, or lack something that others already know
    // of. The session is visited again later.
    guard session.isAttached, !isWaiting(session), !isLagging(session) else { return false }
    do {
      if let file = session.file, delivery.isDue(session) {
        // The next message reports the upload cursor to the client, and that cursor must never go back (protocol
        // §5.1).
        try store.makeDurable(through: file.lazyCommit)
      }
      return try delivery.pump(session, meter)
    } catch {
      drop(session, error)
      return false
    }
  }
}
