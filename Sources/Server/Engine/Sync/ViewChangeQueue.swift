// SPDX-License-Identifier: Apache-2.0

import FlexSyncRules

/// The sessions whose view must change, normally because their users' permissions have changed, in the order in which
/// that was noticed.
///
/// A change is normally a bootstrap, which reads from a snapshot of the store, with a connection and a cache of its own. A
/// change of rules concerns all users at the same time, so only some changes run concurrently, together with the
/// bootstraps of requested query sets. The other sessions wait, and are sent nothing in the meantime.
struct ViewChangeQueue {
  struct Change {
    var session: EngineSession
    /// The user's permissions after the change of the view.
    var permissions: Permissions
    let number: UInt64
  }

  /// The maximum number of changes that run concurrently.
  let capacity: Int
  /// The time after which a change no longer keeps others waiting, because clients that read slowly must not hold up
  /// all others.
  static let longestMilliseconds: Int64 = 10_000

  /// The waiting changes, by file ident.
  private var changes: [UInt64: Change] = [:]
  private var count: UInt64 = 0
  private var running: [(session: EngineSession, begin: Int64)] = []

  init(capacity: Int) { self.capacity = capacity }

  /// Whether a file waits for its view to change.
  func contains(_ ident: UInt64) -> Bool { changes[ident] != nil }

  /// Notes the change of a file's view. A file that already waits keeps its place, even if its client has reconnected
  /// in the meantime.
  mutating func insert(_ ident: UInt64, _ session: EngineSession, _ permissions: Permissions) {
    count += 1
    let number = changes[ident]?.number ?? count
    changes[ident] = Change(session: session, permissions: permissions, number: number)
  }

  mutating func remove(_ ident: UInt64) { changes[ident] = nil }

  /// Removes and returns the changes that satisfy a condition, in order.
  mutating func take(where condition: (Change) throws -> Bool) rethrows -> [Change] {
    take(try changes.filter { try condition($0.value) })
  }

  /// Removes and returns the next change, if it may run now.
  ///
  /// - Parameters:
  ///   - takenCount: the number of changes that have been removed but have not begun.
  ///   - isReady: whether the view of a file may change now.
  mutating func takeNext(now: Int64, besides takenCount: Int, where isReady: (UInt64) -> Bool) -> Change? {
    guard hasPlace(now: now, besides: takenCount) else { return nil }
    var oldest: (ident: UInt64, number: UInt64)?
    for (ident, change) in changes where change.number < oldest?.number ?? .max && isReady(ident) {
      oldest = (ident, change.number)
    }
    return oldest.flatMap { changes.removeValue(forKey: $0.ident) }
  }

  private mutating func take(_ taken: some Collection<(key: UInt64, value: Change)>) -> [Change] {
    for (ident, _) in taken { changes[ident] = nil }
    return taken.map(\.value).sorted { $0.number < $1.number }
  }

  /// Whether one more bootstrap may run.
  ///
  /// - Parameter takenCount: the number of those that have been placed but have not begun.
  mutating func hasPlace(now: Int64, besides takenCount: Int = 0) -> Bool {
    runningCount(now: now) + takenCount < capacity
  }

  /// Notes that a change, or the bootstrap of a requested query set, has begun to run.
  mutating func begin(_ session: EngineSession, now: Int64) {
    guard !running.contains(where: { $0.session === session }) else { return }
    running.append((session, now))
  }

  /// Whether any waiting changes may run.
  mutating func hasRoom(now: Int64) -> Bool { !changes.isEmpty && hasPlace(now: now) }

  private mutating func runningCount(now: Int64) -> Int {
    running.removeAll { session, begin in
      !session.holdsSnapshot || now - begin >= ViewChangeQueue.longestMilliseconds
    }
    return running.count
  }
}
