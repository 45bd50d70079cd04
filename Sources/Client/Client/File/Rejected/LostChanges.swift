// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Local changes of an object that had not reached the server when it erased the object. The erasure removes them
/// on both sides, and no compensating write reports it (protocol §4.4, §7.6).
struct LostChanges {
  let object: ObjectReference
  /// Oldest first.
  let changes: [ObjectChange]
  /// Whether the object exists again, in the server's state.
  let isReplaced: Bool

  /// The message of the error.
  static let message =
    "Unsynced changes were reverted, because the server had removed or replaced their objects in the meantime. "
    + "They are kept as rejected writes."

  /// The reason, phrased to match the server's reasons.
  var reason: String {
    "write to \"\(object.key.bareText)\" in table \"\(object.table)\" was reverted; "
      + (isReplaced
        ? "the server replaced the object before it received the write"
        : "the object left the current query view before the server received the write")
  }
}

/// The objects that incoming changesets erase in a way that is reported to the app if local changes are lost.
///
/// These are erasures by a bootstrap, by the server itself (corrections, changed permissions), and those after
/// which the object is created again. A plain erasure by another client is not among them: merging lets deletions
/// win over concurrent changes (protocol §7.5).
struct NotableErasures {
  /// The file ident that servers use for their own changes (protocol §5.4).
  private static let serverFileIdent: UInt64 = 1

  private(set) var objects: Set<ObjectReference> = []

  init(in changesets: [Changeset], isBootstrap: Bool) {
    for changeset in changesets { add(changeset, isBootstrap: isBootstrap) }
  }

  private mutating func add(_ changeset: Changeset, isBootstrap: Bool) {
    let isServers = isBootstrap || changeset.stamp.fileIdent == Self.serverFileIdent
    var erased: Set<ObjectReference> = []
    for instruction in changeset.instructions {
      switch instruction {
      case .eraseObject(let object):
        erased.insert(object)
        if isServers { objects.insert(object) }
      case .createObject(let object) where erased.contains(object): objects.insert(object)
      default: break
      }
    }
  }
}

/// The erasures that remain after merging.
struct RemainingErasures {
  private(set) var erased: Set<ObjectReference> = []
  private(set) var replaced: Set<ObjectReference> = []

  init(in changesets: [Changeset]) {
    for instruction in changesets.lazy.flatMap(\.instructions) {
      switch instruction {
      case .eraseObject(let object):
        erased.insert(object)
        replaced.remove(object)
      case .createObject(let object) where erased.contains(object): replaced.insert(object)
      default: break
      }
    }
  }
}
