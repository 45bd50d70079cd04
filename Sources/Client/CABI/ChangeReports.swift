// SPDX-License-Identifier: Apache-2.0

import CFlexSync

// The reports of observers, lent to C for the duration of a callback.

extension CollectionDiff {
  func report(to callback: flx_collection_observer_t, _ userdata: Userdata) {
    guard !isInitial else {
      var changes = flx_collection_changes_t()
      changes.is_initial = true
      return withUnsafePointer(to: changes) { callback(userdata.pointer, $0) }
    }
    deletions.withUnsafeBufferPointer { deletions in
      insertions.withUnsafeBufferPointer { insertions in
        modifications.withUnsafeBufferPointer { modifications in
          let changes = flx_collection_changes_t(
            is_initial: false,
            deletions: deletions.baseAddress,
            deletion_count: deletions.count,
            insertions: insertions.baseAddress,
            insertion_count: insertions.count,
            modifications: modifications.baseAddress,
            modification_count: modifications.count
          )
          withUnsafePointer(to: changes) { callback(userdata.pointer, $0) }
        }
      }
    }
  }
}

extension DictionaryDiff {
  func report(to callback: flx_dictionary_observer_t, _ userdata: Userdata) {
    guard !isInitial else {
      var changes = flx_dictionary_changes_t()
      changes.is_initial = true
      return withUnsafePointer(to: changes) { callback(userdata.pointer, $0) }
    }
    var texts = TextArena()
    let deletions = deletions.map { texts.keep($0) }
    let insertions = insertions.map { texts.keep($0) }
    let modifications = modifications.map { texts.keep($0) }
    deletions.withUnsafeBufferPointer { deletions in
      insertions.withUnsafeBufferPointer { insertions in
        modifications.withUnsafeBufferPointer { modifications in
          let changes = flx_dictionary_changes_t(
            is_initial: false,
            deletions: deletions.baseAddress,
            deletion_count: deletions.count,
            insertions: insertions.baseAddress,
            insertion_count: insertions.count,
            modifications: modifications.baseAddress,
            modification_count: modifications.count
          )
          withUnsafePointer(to: changes) { callback(userdata.pointer, $0) }
        }
      }
    }
  }
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
