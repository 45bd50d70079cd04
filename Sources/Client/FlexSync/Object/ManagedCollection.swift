// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A list, set or map in a realm: the handle behind a collection of the program.
struct ManagedCollection {
  let kind: CollectionKind
  /// Owned by the collection of the program.
  let pointer: OpaquePointer
  let realm: _RealmHandle

  var count: Int {
    var count = 0
    trapOnMisuse { kind.count(pointer, &count, $0) }
    return count
  }

  /// Whether the object that has the collection was deleted.
  var isInvalidated: Bool {
    var count = 0
    return kind.count(pointer, &count, nil) != .FLX_STATUS_OK
  }

  func removeAll() { realm.perform { kind.clear(pointer, $0) } }

  func release() { kind.release(pointer) }

  /// The objects of a list or set as live results.
  func results<Element: ObjectBase>() -> Results<Element> {
    Results(ResultsBox(takingOver: made { kind.results(pointer, &$0, $1) }), realm)
  }
}

/// The kinds of collections, each of which has C functions of its own.
enum CollectionKind {
  case list
  case set
  case dictionary

  var flexKind: flx_collection_t {
    switch self {
    case .list: .FLX_COLLECTION_LIST
    case .set: .FLX_COLLECTION_SET
    case .dictionary: .FLX_COLLECTION_DICTIONARY
    }
  }

  /// Opens the collection in a property of an object.
  func open(_ object: _ManagedObject, _ property: flx_property_key_t) -> ManagedCollection {
    let pointer = made { pointer, error in
      switch self {
      case .list: flx_object_get_list(object.pointer, property, &pointer, error)
      case .set: flx_object_get_set(object.pointer, property, &pointer, error)
      case .dictionary: flx_object_get_dictionary(object.pointer, property, &pointer, error)
      }
    }
    return ManagedCollection(kind: self, pointer: pointer, realm: object.realm)
  }

  fileprivate func count(
    _ collection: OpaquePointer,
    _ count: UnsafeMutablePointer<Int>,
    _ error: UnsafeMutablePointer<flx_error_t>?
  ) -> flx_status_t {
    switch self {
    case .list: flx_list_count(collection, count, error)
    case .set: flx_set_count(collection, count, error)
    case .dictionary: flx_dictionary_count(collection, count, error)
    }
  }

  fileprivate func clear(_ collection: OpaquePointer, _ error: UnsafeMutablePointer<flx_error_t>)
    -> flx_status_t
  {
    switch self {
    case .list: flx_list_clear(collection, error)
    case .set: flx_set_clear(collection, error)
    case .dictionary: flx_dictionary_clear(collection, error)
    }
  }

  fileprivate func release(_ collection: OpaquePointer) {
    switch self {
    case .list: flx_list_release(collection)
    case .set: flx_set_release(collection)
    case .dictionary: flx_dictionary_release(collection)
    }
  }

  fileprivate func results(
    _ collection: OpaquePointer,
    _ results: inout OpaquePointer?,
    _ error: UnsafeMutablePointer<flx_error_t>
  ) -> flx_status_t {
    switch self {
    case .list: flx_list_get_results(collection, &results, error)
    case .set: flx_set_get_results(collection, &results, error)
    case .dictionary: preconditionFailure("the values of a map are not available as results")
    }
  }

  /// Registers an observer of the elements of a list or set.
  func observe(
    _ collection: OpaquePointer,
    _ callback: @escaping flx_collection_observer_t,
    _ box: UnsafeMutableRawPointer,
    _ token: UnsafeMutablePointer<OpaquePointer?>,
    _ error: UnsafeMutablePointer<flx_error_t>
  ) -> flx_status_t {
    switch self {
    case .list: flx_list_observe(collection, callback, box, freeCallbackBox, token, error)
    case .set: flx_set_observe(collection, callback, box, freeCallbackBox, token, error)
    case .dictionary: preconditionFailure("the changes of a map name keys, not positions")
    }
  }
}
