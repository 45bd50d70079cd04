// SPDX-License-Identifier: Apache-2.0

import FlexSyncRules

/// The sessions whose view is to change because what their users may see has changed, in the order in which that was
/// noticed.
///
/// Each change is a bootstrap, which reads from a snapshot of the store. When rules change they concern everybody at the
/// same time, so that only some run at a time. The others wait; they are told nothing meanwhile.
struct ViewChangeQueue {
  struct Change {
    var session: EngineSession
    /// What the user may see and do when the view has changed.
    var permissions: Permissions
    let number: UInt64
  }

  /// How many changes run at a time.
  let capacity: Int
  /// After that time a change does not keep others waiting any more: clients that read slowly must not hold up all.
  static let longestMilliseconds: Int64 = 10_000

  /// By file ident.
  private var changes: [UInt64: Change] = [:]
  private var count: UInt64 = 0
  private var running: [(session: EngineSession, begin: Int64)] = []

  init(capacity: Int) { self.capacity = capacity }

  /// Whether a file waits for its view to change.
  func contains(_ ident: UInt64) -> Bool { changes[ident] != nil }

  /// Notes what the view of a file is to become. A file that waits already keeps its place, also if its client has connected
  /// again meanwhile.
  mutating func insert(_ ident: UInt64, _ session: EngineSession, _ permissions: Permissions) {
    count += 1
    let number = changes[ident]?.number ?? count
    changes[ident] = Change(session: session, permissions: permissions, number: number)
  }

  mutating func remove(_ ident: UInt64) { changes[ident] = nil }

  /// Takes out the changes whose session fulfils a condition, in order.
  mutating func take(where condition: (EngineSession) -> Bool) -> [Change] {
    take(changes.filter { condition($0.value.session) })
  }

  /// Takes out the next change, if it may run now.
  ///
  /// - Parameter takenCount: how many have been taken out and not begun.
  mutating func takeNext(now: Int64, besides takenCount: Int) -> Change? {
    guard runningCount(now: now) + takenCount < capacity else { return nil }
    guard let (ident, change) = changes.min(by: { $0.value.number < $1.value.number }) else { return nil }
    changes[ident] = nil
    return change
  }

  private mutating func take(_ taken: some Collection<(key: UInt64, value: Change)>) -> [Change] {
    for (ident, _) in taken { changes[ident] = nil }
    return taken.map(\.value).sorted { $0.number < $1.number }
  }

  /// Notes that a change has begun to run.
  mutating func begin(_ session: EngineSession, now: Int64) { running.append((session, now)) }

  /// Whether changes wait that may run.
  mutating func hasRoom(now: Int64) -> Bool { !changes.isEmpty && runningCount(now: now) < capacity }

  private mutating func runningCount(now: Int64) -> Int {
    running.removeAll { session, begin in
      !session.holdsSnapshot || now - begin >= ViewChangeQueue.longestMilliseconds
    }
    return running.count
  }
}
