// SPDX-License-Identifier: Apache-2.0

/// Deliveries to sessions, shared fairly between their users.
extension SyncEngine {
  /// Lets a session wait for its turn.
  func awaitDelivery(_ session: EngineSession) {
    deliveries.add(session, of: session.userID, stage(of: session))
  }

  /// Returns the stage of a session's work, which depends only on what is left to deliver: a session in the middle of a
  /// bootstrap or of a backlog does not go before others because its connection has just become writable, or its client
  /// has uploaded something.
  private func stage(of session: EngineSession) -> FairQueue<EngineSession>.Stage {
    if let bootstrap = session.bootstrap { return bootstrap.reader.mayBeShort ? .beginning : .ongoing }
    return session.isBehind ? .ongoing : .new
  }

  /// Delivers what is due until the turn's budget is exhausted, in parts.
  func deliver(_ meter: TurnMeter) {
    while let session = deliveries.next() {
      let part = TurnMeter(limits.turn.divided(by: SyncEngine.deliveriesPerTurn), now: now)
      if deliver(to: session, part) { awaitDelivery(session) }
      meter.count(part)
      meter.count()
      if meter.isExhausted { return }
    }
  }

  /// The number of sessions that share a turn when there is much to deliver to each.
  private static let deliveriesPerTurn = 8

  /// - Returns: Whether more can be delivered immediately.
  private func deliver(to session: EngineSession, _ meter: TurnMeter) -> Bool {
    guard session.isAttached, !isWithheld(session), let file = session.file else { return false }
    defer { session.isBehind = !delivery.isAtEnd(session, file) }
    let isWritable = session.peer?.isWritable == true
    if isWritable {
      partCount += 1
      session.lastPart = partCount
    }
    do {
      if isWritable, delivery.isDue(session) {
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
