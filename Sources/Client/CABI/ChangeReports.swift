// SPDX-License-Identifier: Apache-2.0

import CFlexSync

// The reports of observers, lent to C for the duration of a callback.

extension CollectionDiff {
  func report(to callback: flx_collection_observer_t, _ userdata: Userdata) {
    withLent(deletions, insertions, modifications) { deletions, insertions, modifications in
      var changes = flx_collection_changes_t()
      changes.is_initial = isInitial
      (changes.deletions, changes.deletion_count) = deletions
      (changes.insertions, changes.insertion_count) = insertions
      (changes.modifications, changes.modification_count) = modifications
      withUnsafePointer(to: changes) { callback(userdata.pointer, $0) }
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
      withUnsafePointer(to: changes) { callback(userdata.pointer, $0) }
    }
  }
}

/// An array lent to C; NULL if it is empty.
private typealias Lent<Element> = (start: UnsafePointer<Element>?, count: Int)

private func withLent<Element>(
  _ first: [Element],
  _ second: [Element],
  _ third: [Element],
  _ body: (Lent<Element>, Lent<Element>, Lent<Element>) -> Void
) {
  func lend(_ array: [Element], _ body: (Lent<Element>) -> Void) {
    array.withUnsafeBufferPointer { body((array.isEmpty ? nil : $0.baseAddress, $0.count)) }
  }
  lend(first) { first in lend(second) { second in lend(third) { body(first, second, $0) } } }
}

extension ObjectChanges {
  func report(to callback: flx_object_observer_t, _ userdata: Userdata) {
    var changes = flx_object_changes_t()
    switch self {
    case .deleted:
      changes.is_deleted = true
      withUnsafePointer(to: changes) { callback(userdata.pointer, $0) }
    case .changed(let properties):
      properties.withUnsafeBufferPointer { properties in
        changes.properties = properties.baseAddress
        changes.property_count = properties.count
        withUnsafePointer(to: changes) { callback(userdata.pointer, $0) }
      }
    }
  }
}
