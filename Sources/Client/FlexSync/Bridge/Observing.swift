// SPDX-License-Identifier: Apache-2.0

import CFlexSync

// The observers of the data of a realm, as Swift closures.

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
      register(callCollectionObserver, box, token, error)
    } callback: { (changes: flx_collection_changes_t) in
      block(RealmCollectionChange(collection(), changes))
    }
  }
}

private let callCollectionObserver: flx_collection_observer_t = { box, changes in
  CallbackBox<(flx_collection_changes_t) -> Void>.callback(in: box)(changes.pointee)
}

extension RealmCollectionChange {
  fileprivate init(_ collection: CollectionType, _ changes: flx_collection_changes_t) {
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

extension ManagedCollection {
  /// Observes the keys of a dictionary.
  func observeKeys<Collection>(
    _ collection: @escaping () -> Collection,
    _ block: @escaping (RealmMapChange<Collection>) -> Void
  ) -> NotificationToken {
    NotificationToken.make(on: realm) { box, token, error in
      flx_dictionary_observe(pointer, callDictionaryObserver, box, freeCallbackBox, token, error)
    } callback: { (changes: flx_dictionary_changes_t) in
      block(RealmMapChange(collection(), changes))
    }
  }
}

extension RealmMapChange {
  fileprivate init(_ collection: Collection, _ changes: flx_dictionary_changes_t) {
    guard !changes.is_initial else {
      self = .initial(collection)
      return
    }
    func keys(_ start: UnsafePointer<flx_string_t>?, _ count: Int) -> [Collection.Key] {
      [flx_string_t](start: start, count: count).map { Collection.Key(_mapKey: String($0)) }
    }
    self = .update(
      collection,
      deletions: keys(changes.deletions, changes.deletion_count),
      insertions: keys(changes.insertions, changes.insertion_count),
      modifications: keys(changes.modifications, changes.modification_count)
    )
  }
}

private let callDictionaryObserver: flx_dictionary_observer_t = { box, changes in
  CallbackBox<(flx_dictionary_changes_t) -> Void>.callback(in: box)(changes.pointee)
}

extension _ManagedObject {
  /// Observes the object. `block` receives the properties that have changed, or nil once the object was deleted.
  func observe(_ block: @escaping ([_PropertyKey]?) -> Void) -> NotificationToken {
    NotificationToken.make(on: realm) { box, token, error in
      flx_object_observe(pointer, callObjectObserver, box, freeCallbackBox, token, error)
    } callback: { (changes: flx_object_changes_t) in
      let keys = [flx_property_key_t](start: changes.properties, count: changes.property_count)
      block(changes.is_deleted ? nil : keys.map(_PropertyKey.init(_:)))
    }
  }
}

private let callObjectObserver: flx_object_observer_t = { box, changes in
  CallbackBox<(flx_object_changes_t) -> Void>.callback(in: box)(changes.pointee)
}

extension _RealmHandle {
  /// Observes any change of the realm.
  func observe(_ block: @escaping () -> Void) -> NotificationToken {
    NotificationToken.make(on: self) { box, token, error in
      flx_realm_observe(pointer, callRealmObserver, box, freeCallbackBox, token, error)
    } callback: { () -> Void in
      block()
    }
  }
}

private let callRealmObserver: flx_realm_observer_t = { box, _ in
  CallbackBox<() -> Void>.callback(in: box)()
}
