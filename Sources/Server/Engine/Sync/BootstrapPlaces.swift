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

  /// What each user's sessions have under way.
  var shares: BootstrapShares {
    var shares = BootstrapShares(capacity: capacity)
    for reading in running {
      shares.add(reading.session.snapshotCount, of: reading.session.userID, isSlow: reading.isSlow)
    }
    for session in reserved { shares.add(1, of: session.userID, isSlow: false) }
    return shares
  }

  /// The sessions whose bootstraps are slow and whose connections take nothing, those of the users with the most first,
  /// if so many are under way that no other can begin, or no other of the same user although one is in line.
  mutating func stalled(now: Int64, usersInLine: Set<String>) -> [EngineSession] {
    update(now)
    let isFull = snapshotCount >= capacity * BootstrapPlaces.slowFactor
    let shares = shares
    let stalled = running.filter { reading in
      let userID = reading.session.userID
      guard isFull || usersInLine.contains(userID) && shares.isFull(userID) else { return false }
      return reading.isSlow && reading.session.peer?.isWritable != true
    }
    return stalled.map(\.session).sorted { shares.total(of: $0.userID) > shares.total(of: $1.userID) }
  }

  /// Takes a place for a bootstrap that is placed in the open transaction.
  mutating func reserve(_ session: EngineSession) { reserved.append(session) }

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
