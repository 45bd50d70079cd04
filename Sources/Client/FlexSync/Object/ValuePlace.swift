// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The place that holds a value. A collection nested in a mixed value is read and created through its place.
public enum _ValuePlace {
  case property(_ManagedObject, flx_property_key_t)
  /// An element of the list with this handle.
  case element(OpaquePointer, Int)
  /// The position before an element of the list with this handle.
  case insertion(OpaquePointer, Int)
  /// An entry of the dictionary with this handle.
  case entry(OpaquePointer, String)

  func set(_ value: UnsafePointer<flx_value_t>, _ error: UnsafeMutablePointer<flx_error_t>) -> flx_status_t {
    switch self {
    case .property(let object, let property): flx_object_set(object.pointer, property, value, error)
    case .element(let list, let index): flx_list_set(list, index, value, error)
    case .insertion(let list, let index): flx_list_insert(list, index, value, error)
    case .entry(let dictionary, let key):
      key.withFlexString { flx_dictionary_set(dictionary, $0, value, error) }
    }
  }

  /// Puts an empty list here.
  func setList(_ error: UnsafeMutablePointer<flx_error_t>) -> flx_status_t {
    switch self {
    case .property(let object, let property): flx_object_set_list(object.pointer, property, error)
    case .element(let list, let index): flx_list_set_list(list, index, error)
    case .insertion(let list, let index): flx_list_insert_list(list, index, error)
    case .entry(let dictionary, let key):
      key.withFlexString { flx_dictionary_set_list(dictionary, $0, error) }
    }
  }

  /// Puts an empty dictionary here.
  func setDictionary(_ error: UnsafeMutablePointer<flx_error_t>) -> flx_status_t {
    switch self {
    case .property(let object, let property): flx_object_set_dictionary(object.pointer, property, error)
    case .element(let list, let index): flx_list_set_dictionary(list, index, error)
    case .insertion(let list, let index): flx_list_insert_dictionary(list, index, error)
    case .entry(let dictionary, let key):
      key.withFlexString { flx_dictionary_set_dictionary(dictionary, $0, error) }
    }
  }

  /// Opens the list or dictionary that is here, for the caller to release or take over; nil if there is none.
  func open(_ kind: CollectionKind, _ realm: _RealmHandle) -> ManagedCollection? {
    var pointer: OpaquePointer?
    switch self {
    case .property(let object, let property):
      _ =
        kind == .list
        ? flx_object_get_list(object.pointer, property, &pointer, nil)
        : flx_object_get_dictionary(object.pointer, property, &pointer, nil)
    case .element(let owner, let index), .insertion(let owner, let index):
      _ =
        kind == .list
        ? flx_list_get_list(owner, index, &pointer, nil)
        : flx_list_get_dictionary(owner, index, &pointer, nil)
    case .entry(let owner, let key):
      _ = key.withFlexString {
        kind == .list
          ? flx_dictionary_get_list(owner, $0, &pointer, nil)
          : flx_dictionary_get_dictionary(owner, $0, &pointer, nil)
      }
    }
    return pointer.map { ManagedCollection(kind: kind, pointer: $0, realm: realm) }
  }
}
