// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Reports which rejected writes were added, removed or changed in state.
final class RejectedWritesObserver: Observer {
  private unowned let realm: Realm
  private let callback: flx_collection_observer_t
  private let userdata: Userdata
  /// The writes at the last report and the coordinator's version of them; nil before the first report.
  private var last: (writes: [RejectedWrite], version: UInt64)?

  init(_ realm: Realm, _ callback: @escaping flx_collection_observer_t, _ userdata: Userdata) {
    self.realm = realm
    self.callback = callback
    self.userdata = userdata
  }

  func deliver(_ touched: TouchedRows) throws {
    let version = realm.coordinator.rejectedWritesVersion
    guard version != last?.version else { return }
    let new = try realm.currentRejectedWrites()
    let old = last?.writes
    last = (new, version)
    guard let old else {
      var changes = flx_collection_changes_t()
      changes.is_initial = true
      return withUnsafePointer(to: changes) { callback(userdata.pointer, $0) }
    }
    let changed = Set(new).subtracting(old).map(\.id)
    let diff = CollectionDiff(old: old.map(\.id), new: new.map(\.id)) { changed.contains($0) }
    diff.withChanges { callback(userdata.pointer, $0) }
  }
}
