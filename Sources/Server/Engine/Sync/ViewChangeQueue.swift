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

  /// The users whose sessions wait.
  var userIDs: some Collection<String> { changes.values.lazy.map(\.session.userID) }

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

  /// Whether there is a change that may be made now.
  ///
  /// - Parameter isReady: whether the view of a user's file may change now.
  func hasNext(where isReady: (_ ident: UInt64, _ userID: String) -> Bool) -> Bool {
    changes.contains { isReady($0.key, $0.value.session.userID) }
  }

  /// Removes and returns the next change.
  ///
  /// - Parameter isReady: whether the view of a user's file may change now.
  mutating func takeNext(where isReady: (_ ident: UInt64, _ userID: String) -> Bool) -> Change? {
    var oldest: (ident: UInt64, number: UInt64)?
    for (ident, change) in changes
    where change.number < oldest?.number ?? .max && isReady(ident, change.session.userID) {
      oldest = (ident, change.number)
    }
    return oldest.flatMap { changes.removeValue(forKey: $0.ident) }
  }
}
