// SPDX-License-Identifier: Apache-2.0

import FlexSyncRules

/// Work on the stream of a file that may be too much for one turn. What it places counts when it comes to its end: until
/// then the file's record stays as it was, so that nobody is told a part, and after a crash the parts are dropped
/// (`ServerStore.dropUnfinished`).
protocol StreamWork: AnyObject {
  /// What it began with.
  var start: StreamWorkStart { get }
  /// Whether anything was done.
  var hasBegun: Bool { get }
  /// How many objects are tracked in memory.
  var size: Int { get }
  /// Whether it reads from a snapshot of the store.
  var holdsSnapshot: Bool { get }

  /// Does a part; a small one at least. Inside a write.
  ///
  /// - Returns: Whether that was the last one.
  func goOn(_ meter: TurnMeter) throws -> Bool

  /// Makes what was placed part of the stream. Inside a write.
  ///
  /// - Returns: the bootstrap that was placed, if any.
  func finish(_ live: LiveFile) throws -> PlacedBootstrap?
}

/// The state of a stream when work on it begins, and the change that it is to make. Work can be resumed only if both are
/// the same.
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
  /// What is to become of the view; nil if it stays.
  let change: ViewChangeRequest?

  /// - Parameter change: what is to become of the view; nil if it stays.
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

/// What is to become of the view of a file.
struct ViewChangeRequest: Hashable {
  /// What the user may see and do now.
  let permissions: Permissions
  /// The body of the set of subscriptions.
  let query: String
  /// Up to which version of its stream the client has been sent everything.
  let deliveredVersion: UInt64
  /// Whether the client takes bootstraps that it has not asked for. Others get the same as ordinary changes, each of
  /// which needs no other.
  let isBootstrapAllowed: Bool
}
