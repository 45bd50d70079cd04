// SPDX-License-Identifier: Apache-2.0

/// Deliveries to sessions, shared fairly between their users.
extension SyncEngine {
  /// Lets a session wait for its turn.
  func awaitDelivery(_ session: EngineSession) {
    deliveries.add(session, of: session.userID, stage(of: session))
  }

  /// That a connection is writable again, or that a client has uploaded something, does not put a session inside a
  /// bootstrap before those that begin theirs.
  private func stage(of session: EngineSession) -> FairQueue<EngineSession>.Stage {
    guard let bootstrap = session.bootstrap else { return .new }
    return bootstrap.reader.hasBegun ? .ongoing : .beginning
  }

  /// Delivers what is due until the turn's budget is exhausted, one part to each user in turn.
  func deliver(_ meter: TurnMeter) {
    while let session = deliveries.next() {
      let part = TurnMeter(limits.turn.divided(by: SyncEngine.deliveriesPerTurn), now: now)
      if deliver(to: session, part) {
        let stage = stage(of: session)
        deliveries.add(session, of: session.userID, stage == .new ? .ongoing : stage)
      }
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
