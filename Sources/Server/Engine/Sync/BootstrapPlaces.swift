// SPDX-License-Identifier: Apache-2.0

/// The sessions whose bootstraps are being read. Each reads from a snapshot of the store, with a connection and a cache of
/// its own, so only some may do so at the same time, whether their users' permissions have changed or they have asked for
/// other sets.
struct BootstrapPlaces {
  /// The maximum number of sessions that read at the same time.
  let capacity: Int
  /// The time after which a bootstrap no longer keeps others waiting, because clients that read slowly must not hold up
  /// all others.
  static let longestMilliseconds: Int64 = 10_000

  private var running: [(session: EngineSession, begin: Int64)] = []
  /// Those placed in the transaction that is open, which begin to be read when it is committed.
  private var reserved: [EngineSession] = []

  init(capacity: Int) { self.capacity = capacity }

  /// Whether one more bootstrap may be read.
  ///
  /// - Parameter otherCount: the number of those that have been begun but are not placed yet.
  mutating func hasRoom(now: Int64, besides otherCount: Int = 0) -> Bool {
    forgetFinished(now)
    return running.count + reserved.count + otherCount < capacity
  }

  /// Whether a session may read the bootstrap of a set that it has asked for. A session that already reads one has a
  /// place. One user's sessions get at most a quarter of the places, because clients ask for sets as often as they want.
  mutating func hasRoom(for session: EngineSession, now: Int64) -> Bool {
    if session.holdsSnapshot { return true }
    guard hasRoom(now: now) else { return false }
    let own = (running.map(\.session) + reserved).count { $0.userID == session.userID }
    return own < max(1, capacity / 4)
  }

  /// Takes a place for a bootstrap that is placed in the open transaction.
  mutating func reserve(_ session: EngineSession) { reserved.append(session) }

  /// Notes that the reading of a bootstrap has begun.
  mutating func begin(_ session: EngineSession, now: Int64) {
    guard !running.contains(where: { $0.session === session }) else { return }
    running.append((session, now))
  }

  /// Gives the places that were taken in a transaction back, when what was placed in it has begun or is rolled back.
  mutating func endTransaction() { reserved = [] }

  private mutating func forgetFinished(_ now: Int64) {
    running.removeAll { session, begin in
      !session.holdsSnapshot || now - begin >= BootstrapPlaces.longestMilliseconds
    }
  }
}
