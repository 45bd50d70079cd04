// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A change of an observed collection.
public enum RealmCollectionChange<CollectionType> {
  /// The first call.
  case initial(CollectionType)
  /// Indexes of deletions refer to the state before the change, those of insertions and modifications to the state
  /// after it.
  case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
  case error(any Error)

  init(_ collection: CollectionType, _ changes: flx_collection_changes_t) {
    guard !changes.is_initial else {
      self = .initial(collection)
      return
    }
    self = .update(
      collection,
      deletions: Array(UnsafeBufferPointer(start: changes.deletions, count: changes.deletion_count)),
      insertions: Array(UnsafeBufferPointer(start: changes.insertions, count: changes.insertion_count)),
      modifications: Array(
        UnsafeBufferPointer(start: changes.modifications, count: changes.modification_count)
      )
    )
  }
}

/// The C callback for a boxed observer of a collection.
func callCollectionObserver(
  _ userdata: UnsafeMutableRawPointer?,
  _ changes: UnsafePointer<flx_collection_changes_t>
) {
  CallbackBox<(flx_collection_changes_t) -> Void>.callback(in: userdata)(changes.pointee)
}
