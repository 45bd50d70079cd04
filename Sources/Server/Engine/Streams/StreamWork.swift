// SPDX-License-Identifier: Apache-2.0

import FlexSyncRules

/// Work on the stream of a file that may be too much for one turn. What it places takes effect when the work
/// finishes. Until then, the file's record stays unchanged: the client receives none of it, and after a crash it is
/// dropped (`ServerStore.dropUnfinished`).
protocol StreamWork: AnyObject {
  /// The state that the work began with.
  var start: StreamWorkStart { get }
  /// Whether any of the work has been done.
  var hasBegun: Bool { get }
  /// The number of objects tracked in memory.
  var size: Int { get }
  /// Whether the work reads from a snapshot of the store.
  var holdsSnapshot: Bool { get }

  /// Does a part of the work, at least one step. Must be called inside a write.
  ///
  /// - Returns: Whether that was the last part.
  func goOn(_ meter: TurnMeter) throws -> Bool

  /// Makes the placed entries part of the stream. Must be called inside a write.
  ///
  /// - Returns: The bootstrap that was placed, if any.
  func finish(_ live: LiveFile) throws -> PlacedBootstrap?
}

/// The state of a stream when work on it begins, and the change that the work must make. Work can be resumed only if
/// neither has changed.
struct StreamWorkStart: Hashable {
  let streamHead: UInt64
  let placedVersion: UInt64
  let declarationCount: Int
  let queryVersion: UInt64
  let base: UInt64
  let view: View.Identity
  let passedPermissions: String
  /// The version of a bootstrap that the client does not have in full; 0 if there is none.
  let unfinishedVersion: UInt64
  /// The requested change of the view; nil if the view stays.
  let change: ViewChangeRequest?

  /// - Parameter change: the requested change of the view; nil if the view stays.
  init(_ file: LiveFile, change: ViewChangeRequest? = nil) {
    streamHead = file.record.streamHead
    placedVersion = file.record.placedVersion
    declarationCount = file.record.declarationCount
    queryVersion = file.record.queryVersion
    base = file.record.uploadClientVersion
    view = file.view.identity
    passedPermissions = file.record.passedPermissions
    unfinishedVersion = file.unfinished?.version ?? 0
    self.change = change
  }
}

/// A requested change of the view of a file.
struct ViewChangeRequest: Hashable {
  /// The user's current permissions.
  let permissions: Permissions
  /// The body of the query set.
  let query: String
  /// The version of the stream up to which the client has been sent everything.
  let deliveredVersion: UInt64
  /// Whether the client accepts bootstraps that it has not requested. Other clients receive the same content as
  /// ordinary changes, each of which is independent of the others.
  let isBootstrapAllowed: Bool
  /// The version of the query set if the client has asked for it; nil if the change is the server's own.
  var requestedVersion: UInt64?
}
