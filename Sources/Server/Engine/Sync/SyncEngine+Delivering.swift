// SPDX-License-Identifier: Apache-2.0

/// Deliveries to sessions, fair between them.
extension SyncEngine {
  /// Delivers what is due until the turn has done enough, a part to each session in turn.
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

  /// How many sessions share a turn, if there is much for all.
  private static let deliveriesPerTurn = 8

  /// - Returns: Whether more can be delivered at once.
  private func deliver(to session: EngineSession, _ meter: TurnMeter) -> Bool {
    // What is placed may be what the user may not see any more, or not be all that others know of. It comes back.
    guard session.isAttached, !isWaiting(session), !isLagging(session) else { return false }
    do {
      if let file = session.file, delivery.isDue(session) {
        // What comes now tells the client the upload cursor, which must never go back (protocol §5.1).
        try store.makeDurable(through: file.lazyCommit)
      }
      return try delivery.pump(session, meter)
    } catch {
      drop(session, error)
      return false
    }
  }
}
