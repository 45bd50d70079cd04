// SPDX-License-Identifier: Apache-2.0

/// The sessions whose bootstraps are being read. Each reads from a snapshot of the store, with a connection and a cache of
/// its own, so only some may do so at the same time, whether their users' permissions have changed or they have asked for
/// other sets.
struct BootstrapPlaces {
  private struct Reading {
    let session: EngineSession
    var begin: Int64
    /// Whether it has taken so long that it no longer keeps others waiting.
    var isSlow = false
  }

  /// The maximum number of sessions that read at the same time, not counting slow ones.
  let capacity: Int
  /// The time after which a bootstrap no longer keeps others waiting, because clients that read slowly must not hold up
  /// all others.
  static let longestMilliseconds: Int64 = 10_000
  /// The maximum number of all snapshots, as a multiple of the capacity. A slow reader keeps its own, with descriptors.
  static let slowFactor = 8

  private var running: [Reading] = []
  private var slowCount = 0
  private var snapshotCount = 0
  /// Those placed in the transaction that is open, which begin to be read when it is committed.
  private var reserved: [EngineSession] = []

  init(capacity: Int) { self.capacity = capacity }

  /// Whether one more bootstrap may be read.
  ///
  /// - Parameter otherCount: the number of those that have been begun but are not placed yet.
  mutating func hasRoom(now: Int64, besides otherCount: Int = 0) -> Bool {
    update(now)
    let coming = reserved.count + otherCount
    let isFull = snapshotCount + coming >= capacity * BootstrapPlaces.slowFactor
    return !isFull && running.count - slowCount + coming < capacity
  }

  /// The number of bootstraps, slow or not, that one user's sessions may have under way for the sets that they ask for,
  /// which they may do as often as they want.
  var quota: Int { max(1, capacity / 4) }

  /// The number of each user's bootstraps that are under way, slow or not.
  var readerCounts: [String: Int] {
    var counts: [String: Int] = [:]
    for reading in running { counts[reading.session.userID, default: 0] += reading.session.snapshotCount }
    for session in reserved { counts[session.userID, default: 0] += 1 }
    return counts
  }

  /// The sessions whose bootstraps are slow and whose connections take nothing, those of the users with the most first,
  /// if so many are under way that no other can begin.
  mutating func stalled(now: Int64) -> [EngineSession] {
    update(now)
    guard snapshotCount >= capacity * BootstrapPlaces.slowFactor else { return [] }
    let counts = readerCounts
    let stalled = running.filter { $0.isSlow && $0.session.peer?.isWritable != true }
    return stalled.map(\.session).sorted { counts[$0.userID, default: 0] > counts[$1.userID, default: 0] }
  }

  /// Takes a place for a bootstrap that is placed in the open transaction.
  mutating func reserve(_ session: EngineSession) { reserved.append(session) }

  /// Whether a session has a bootstrap that is being read, or will be once the open transaction is committed.
  func areTaken(by session: EngineSession) -> Bool {
    session.holdsSnapshot || reserved.contains { $0 === session }
  }

  /// Notes that the reading of a bootstrap has begun.
  mutating func begin(_ session: EngineSession, now: Int64) {
    guard !running.contains(where: { $0.session === session }) else { return }
    running.append(Reading(session: session, begin: now))
  }

  /// Gives the places that were taken in a transaction back, when what was placed in it has begun or is rolled back.
  mutating func endTransaction() { reserved = [] }

  /// Forgets what has been read, and notes what has become slow.
  private mutating func update(_ now: Int64) {
    running.removeAll { !$0.session.holdsSnapshot }
    for index in running.indices where !running[index].isSlow {
      // The clock of the system can be set back.
      running[index].begin = min(running[index].begin, now)
      guard now - running[index].begin >= BootstrapPlaces.longestMilliseconds else { continue }
      running[index].isSlow = true
      running[index].session.releaseCaches()
    }
    slowCount = running.count(where: \.isSlow)
    snapshotCount = running.reduce(0) { $0 + $1.session.snapshotCount }
  }
}
