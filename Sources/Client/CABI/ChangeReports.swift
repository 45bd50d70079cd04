// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel

// The reports of observers, lent to C for the duration of a callback.

extension CollectionDiff {
  func report(to callback: flx_collection_observer_t, _ userdata: Userdata) {
    withLent(deletions, insertions, modifications) { deletions, insertions, modifications in
      var changes = flx_collection_changes_t()
      changes.is_initial = isInitial
      (changes.deletions, changes.deletion_count) = deletions
      (changes.insertions, changes.insertion_count) = insertions
      (changes.modifications, changes.modification_count) = modifications
      withUnsafePointer(to: changes) { changes in userdata.lend { callback($0, changes) } }
    }
  }
}

extension DictionaryDiff {
  func report(to callback: flx_dictionary_observer_t, _ userdata: Userdata) {
    var texts = TextArena()
    let keys = [deletions, insertions, modifications].map { $0.map { texts.keep($0) } }
    withLent(keys[0], keys[1], keys[2]) { deletions, insertions, modifications in
      var changes = flx_dictionary_changes_t()
      changes.is_initial = isInitial
      (changes.deletions, changes.deletion_count) = deletions
      (changes.insertions, changes.insertion_count) = insertions
      (changes.modifications, changes.modification_count) = modifications
      withUnsafePointer(to: changes) { changes in userdata.lend { callback($0, changes) } }
    }
  }
}

/// An array lent to C; NULL if it is empty.
private typealias Lent<Element> = (start: UnsafePointer<Element>?, count: Int)

private func withLent<First, Second, Third>(
  _ first: [First],
  _ second: [Second],
  _ third: [Third],
  _ body: (Lent<First>, Lent<Second>, Lent<Third>) -> Void
) {
  func lend<Element>(_ array: [Element], _ body: (Lent<Element>) -> Void) {
    array.withUnsafeBufferPointer { body((array.isEmpty ? nil : $0.baseAddress, $0.count)) }
  }
  lend(first) { first in lend(second) { second in lend(third) { body(first, second, $0) } } }
}

extension ObjectChanges {
  /// - Parameter realm: the realm of the object, in which the links among the old values are looked up.
  func report(_ realm: Realm, to callback: flx_object_observer_t, _ userdata: Userdata) {
    var changes = flx_object_changes_t()
    guard case .changed(let changed) = self else {
      changes.is_deleted = true
      return withUnsafePointer(to: changes) { changes in userdata.lend { callback($0, changes) } }
    }
    var texts = TextArena()
    let oldValues = changed.oldValues?.map { realm.lentIfReadable($0, &texts) } ?? []
    withLent(changed.keys, changed.paths, oldValues) { keys, paths, oldValues in
      (changes.properties, changes.property_count) = keys
      (changes.key_paths, changes.key_path_count) = paths
      changes.old_values = oldValues.start
      withUnsafePointer(to: changes) { changes in userdata.lend { callback($0, changes) } }
    }
  }
}

extension Realm {
  /// Returns a value for C; null instead of a link that cannot be looked up.
  fileprivate func lentIfReadable(_ value: Value, _ texts: inout TextArena) -> flx_value_t {
    (try? lent(value, &texts)) ?? Value.null.lent(&texts)
  }
}
