// SPDX-License-Identifier: Apache-2.0

/// Reports which rejected writes were added, removed or changed in state.
final class RejectedWritesObserver: Observer {
  private unowned let realm: Realm
  private let report: (CollectionDiff) -> Void
  /// The writes at the last report and the coordinator's version of them; nil before the first report.
  private var last: (writes: [RejectedWrite], version: UInt64)?

  init(_ realm: Realm, _ report: @escaping (CollectionDiff) -> Void) {
    self.realm = realm
    self.report = report
  }

  func deliver(_ delivery: Delivery) throws {
    let version = realm.coordinator.rejectedWritesVersion
    guard version != last?.version else { return }
    let new = try realm.rejectedWrites()
    let old = last?.writes
    last = (new, version)
    guard let old else { return report(.initial) }
    let changed = Set(new).subtracting(old).map(\.id)
    let diff = CollectionDiff(old: old.map(\.id), new: new.map(\.id)) { changed.contains($0) }
    if !diff.isEmpty, !delivery.isSilenced { report(diff) }
  }
}
