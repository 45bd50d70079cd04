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

  /// The number of sessions that share a turn when there is much to deliver to each.
  private static let deliveriesPerTurn = 8

  /// - Returns: Whether more can be delivered immediately.
  private func deliver(to session: EngineSession, _ meter: TurnMeter) -> Bool {
    guard session.isAttached, !isWithheld(session) else { return false }
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
