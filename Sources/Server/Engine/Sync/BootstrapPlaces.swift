// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The sessions whose bootstraps are being read. Each reads from a snapshot of the store, with a connection and a cache of
/// its own, so only some may do so at the same time, whether their users' permissions have changed or they have asked for
/// other sets.
struct BootstrapPlaces {
  private struct Reading {
    let session: EngineSession
    /// The bootstrap that is being sent; nil if its turn has not come yet.
    var version: ServerVersion?
    var begin: Int64
    /// Whether it has taken so long that it no longer keeps others waiting. The session's next bootstraps do not, either:
    /// if each was new, a client that reads slowly could take a place again with each that it has asked for in advance.
    var isSlow = false
    /// The number of batches that the session has been sent, and when that last increased.
    var batchCount = 0
    var lastBatch: Int64

    init(_ session: EngineSession, now: Int64) {
      self.session = session
      begin = now
      lastBatch = now
    }

    /// Notes what has been sent since the last time.
    mutating func update(_ now: Int64) {
      // The clock of the system can be set back.
      begin = min(begin, now)
      lastBatch = min(lastBatch, now)
      if session.batchCount != batchCount {
        batchCount = session.batchCount
        lastBatch = now
      }
      if session.bootstrap?.version != version {
        version = session.bootstrap?.version
        if isSlow { session.releaseCaches() }
        begin = now
      }
      guard !isSlow, now - begin >= BootstrapPlaces.longestMilliseconds else { return }
      isSlow = true
      session.releaseCaches()
    }

    func isStalled(_ now: Int64) -> Bool {
      isSlow && session.peer?.isWritable != true && now - lastBatch >= BootstrapPlaces.stallMilliseconds
    }
  }

  /// The maximum number of sessions that read at the same time, not counting slow ones.
  let capacity: Int
  /// The time after which a bootstrap no longer keeps others waiting, because clients that read slowly must not hold up
  /// all others.
  static let longestMilliseconds: Int64 = 10_000
  /// The time without a further batch after which a client counts as one that does not read.
  static let stallMilliseconds: Int64 = 30_000
  /// The maximum number of all snapshots, as a multiple of the capacity. A slow reader keeps its own, with descriptors.
  private static let slowFactor = 8

  /// The maximum number of all snapshots.
  private var snapshotCapacity: Int { capacity * BootstrapPlaces.slowFactor }

  private var running: [Reading] = []
  private var slowCount = 0
  private var snapshotCount = 0
  /// Those placed in the transaction that is open, which begin to be read when it is committed.
  private var reserved: [EngineSession] = []

  init(capacity: Int) { self.capacity = capacity }

  /// Whether one more bootstrap may be read.
  ///
  /// - Parameter otherCount: the number of other bootstraps that will need a place.
  mutating func hasRoom(now: Int64, besides otherCount: Int) -> Bool {
    update(now)
    let coming = reserved.count + otherCount
    let isFull = snapshotCount + coming >= snapshotCapacity
    return !isFull && running.count - slowCount + coming < capacity
  }

  /// The number of bootstraps that each user's sessions have under way.
  var shares: BootstrapShares {
    var shares = BootstrapShares(capacity: capacity, snapshotCapacity: snapshotCapacity)
    for reading in running {
      shares.add(reading.session.snapshotCount, of: reading.session.userID, isSlow: reading.isSlow)
    }
    for session in reserved { shares.add(1, of: session.userID, isSlow: false) }
    return shares
  }

  /// The sessions whose connections take nothing, those of the users with the most first, if so many bootstraps are under
  /// way that no other can begin, or no other of the same user although one waits.
  mutating func stalled(now: Int64, waiting userIDs: Set<String>) -> [EngineSession] {
    update(now)
    let isFull = snapshotCount >= snapshotCapacity
    let shares = shares
    let stalled = running.filter { reading in
      let userID = reading.session.userID
      guard isFull || userIDs.contains(userID) && shares.isFull(userID) else { return false }
      return reading.isStalled(now)
    }
    return stalled.map(\.session).sorted { shares.total(of: $0.userID) > shares.total(of: $1.userID) }
  }

  /// Slow sessions of users who have more than a fair share of the bootstraps, if so many are under way that no other can
  /// begin: as few as make room for each user who waits and has less, those of the users with the most first.
  mutating func excessive(now: Int64, waiting userIDs: Set<String>) -> [EngineSession] {
    update(now)
    guard snapshotCount >= snapshotCapacity else { return [] }
    let shares = shares
    let fairShare = max(1, snapshotCapacity / shares.userIDs.union(userIDs).count)
    var totals: [String: Int] = [:]
    for userID in shares.userIDs { totals[userID] = shares.total(of: userID) }
    var missing = userIDs.count { shares.total(of: $0) < fairShare }
    var sessions: [EngineSession] = []
    let slow = running.filter(\.isSlow).map(\.session)
    for session in slow.sorted(by: { shares.total(of: $0.userID) > shares.total(of: $1.userID) }) {
      guard missing > 0 else { break }
      guard let total = totals[session.userID], total > fairShare else { continue }
      totals[session.userID] = total - session.snapshotCount
      missing -= session.snapshotCount
      sessions.append(session)
    }
    return sessions
  }

  /// Takes a place for a bootstrap that is placed in the open transaction.
  mutating func reserve(_ session: EngineSession) { reserved.append(session) }

  /// Notes that the reading of a bootstrap has begun.
  mutating func begin(_ session: EngineSession, now: Int64) {
    guard !running.contains(where: { $0.session === session }) else { return }
    running.append(Reading(session, now: now))
  }

  /// Gives the places that were taken in a transaction back, when what was placed in it has begun or is rolled back.
  mutating func endTransaction() { reserved = [] }

  /// Forgets what has been read, and notes what has become slow.
  private mutating func update(_ now: Int64) {
    running.removeAll { !$0.session.holdsSnapshot }
    for index in running.indices { running[index].update(now) }
    slowCount = running.count(where: \.isSlow)
    snapshotCount = running.reduce(0) { $0 + $1.session.snapshotCount }
  }
}
