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
      deletions: [Int](start: changes.deletions, count: changes.deletion_count),
      insertions: [Int](start: changes.insertions, count: changes.insertion_count),
      modifications: [Int](start: changes.modifications, count: changes.modification_count)
    )
  }
}

extension NotificationToken {
  /// Registers an observer of the positions in a collection with a C function.
  ///
  /// - Parameter collection: returns the collection that `block` receives.
  static func make<Collection>(
    on realm: _RealmHandle,
    _ collection: @escaping () -> Collection,
    _ block: @escaping (RealmCollectionChange<Collection>) -> Void,
    _ register: (
      flx_collection_observer_t, UnsafeMutableRawPointer, UnsafeMutablePointer<OpaquePointer?>,
      UnsafeMutablePointer<flx_error_t>
    ) -> flx_status_t
  ) -> NotificationToken {
    make(on: realm) { box, token, error in
      register({ callCollectionObserver($0, $1) }, box, token, error)
    } callback: { (changes: flx_collection_changes_t) in
      block(RealmCollectionChange(collection(), changes))
    }
  }
}

/// The C callback for a boxed observer of a collection.
private func callCollectionObserver(
  _ userdata: UnsafeMutableRawPointer?,
  _ changes: UnsafePointer<flx_collection_changes_t>
) {
  CallbackBox<(flx_collection_changes_t) -> Void>.callback(in: userdata)(changes.pointee)
}
