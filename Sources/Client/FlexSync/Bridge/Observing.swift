// SPDX-License-Identifier: Apache-2.0

import CFlexSync

// The observers of the data of a realm, as Swift closures.

/// A C function that registers an observer of key paths.
typealias KeyPathObserving<Receiver> = (
  OpaquePointer, UnsafePointer<flx_string_t>?, Int, Receiver, UnsafeMutableRawPointer?, flx_free_userdata_t?,
  UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t

extension NotificationToken {
  /// Registers an observer of key paths of what a handle stands for.
  ///
  /// - Parameters:
  ///   - keyPaths: what counts as a modification, in the names of the schema; none for the default.
  ///   - receiver: the C function that calls the boxed `callback`.
  static func make<Receiver, Callback>(
    on realm: _RealmHandle,
    _ keyPaths: [String],
    _ pointer: OpaquePointer,
    _ observe: KeyPathObserving<Receiver>,
    _ receiver: Receiver,
    callback: Callback
  ) -> NotificationToken {
    keyPaths.withFlexStrings { paths, count in
      make(
        on: realm,
        { observe(pointer, paths, count, receiver, $0, freeCallbackBox, $1, $2) },
        callback: callback
      )
    }
  }

  /// Registers an observer of the positions in a collection and of key paths of its objects.
  ///
  /// - Parameter collection: returns the collection that `block` receives.
  static func make<Collection>(
    on realm: _RealmHandle,
    _ keyPaths: [String],
    _ pointer: OpaquePointer,
    _ observe: KeyPathObserving<flx_collection_observer_t>,
    _ collection: @escaping () -> Collection,
    _ block: @escaping (RealmCollectionChange<Collection>) -> Void
  ) -> NotificationToken {
    make(on: realm, keyPaths, pointer, observe, callCollectionObserver) {
      (changes: flx_collection_changes_t) in
      block(RealmCollectionChange(collection(), changes))
    }
  }

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
  ///
  /// - Parameter keyPaths: what counts as a modification, in the names of the schema; none for the default.
  func observeKeys<Collection>(
    _ keyPaths: [String],
    _ collection: @escaping () -> Collection,
    _ block: @escaping (RealmMapChange<Collection>) -> Void
  ) -> NotificationToken {
    NotificationToken.make(
      on: realm,
      keyPaths,
      pointer,
      flx_dictionary_observe_key_paths,
      callDictionaryObserver
    ) { (changes: flx_dictionary_changes_t) in
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

/// What has changed of an observed object.
struct ChangedProperties {
  /// The properties, and the values that they had before, borrowed for the call; nil for those that the realm's own
  /// transaction has changed.
  let properties: [(key: _PropertyKey, oldValue: _Value?)]
  /// The indexes of the key paths on which something has changed.
  let keyPaths: [Int]

  fileprivate init(_ changes: flx_object_changes_t) {
    let keys = [flx_property_key_t](start: changes.properties, count: changes.property_count)
    properties = keys.enumerated().map { index, key in
      (_PropertyKey(key), changes.old_values.map { _Value($0[index]) })
    }
    keyPaths = [Int](start: changes.key_paths, count: changes.key_path_count)
  }
}

extension _ManagedObject {
  /// Observes the object. `block` receives what has changed, or nil once the object was deleted.
  ///
  /// - Parameter keyPaths: what counts as a change, in the names of the schema; none for every property.
  func observe(_ keyPaths: [String], _ block: @escaping (ChangedProperties?) -> Void) -> NotificationToken {
    NotificationToken.make(on: realm, keyPaths, pointer, flx_object_observe_key_paths, callObjectObserver) {
      (changes: flx_object_changes_t) in
      block(changes.is_deleted ? nil : ChangedProperties(changes))
    }
  }
}

private let callObjectObserver: flx_object_observer_t = { box, changes in
  CallbackBox<(flx_object_changes_t) -> Void>.callback(in: box)(changes.pointee)
}

extension _RealmHandle {
  /// Observes the realm.
  func observe(_ block: @escaping (Realm.Notification) -> Void) -> NotificationToken {
    let number = live.addRefreshObserver { block(.refreshRequired) }
    return NotificationToken.make(on: self) { box, token, error in
      flx_realm_observe(pointer, callRealmObserver, box, freeCallbackBox, token, error)
    } callback: { () -> Void in
      block(.didChange)
    } end: { [weak live] in
      live?.removeRefreshObserver(number)
    }
  }
}

private let callRealmObserver: flx_realm_observer_t = { box, _ in
  CallbackBox<() -> Void>.callback(in: box)()
}
