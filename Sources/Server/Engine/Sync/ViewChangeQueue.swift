// SPDX-License-Identifier: Apache-2.0

import FlexSyncRules

/// The sessions whose view must change, normally because their users' permissions have changed, in the order in which
/// that was noticed.
///
/// A change is normally a bootstrap (`BootstrapPlaces`). A change of rules concerns all users at the same time, so only
/// some changes run concurrently. The other sessions wait, and are sent nothing in the meantime.
struct ViewChangeQueue {
  struct Change {
    var session: EngineSession
    /// The user's permissions after the change of the view.
    var permissions: Permissions
    let number: UInt64
  }

  /// The waiting changes, by file ident.
  private var changes: [UInt64: Change] = [:]
  private var count: UInt64 = 0

  var isEmpty: Bool { changes.isEmpty }

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

  /// Removes and returns the next change.
  ///
  /// - Parameter isReady: whether the view of a file may change now.
  mutating func takeNext(where isReady: (UInt64) -> Bool) -> Change? {
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
}
