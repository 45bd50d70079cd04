// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The place that holds a value. A collection nested in a mixed value is read and created through its place.
public struct _ValuePlace {
  private enum Kind {
    case property(_ManagedObject, flx_property_key_t)
    case element(OpaquePointer, Int)
    case insertion(OpaquePointer, Int)
    case entry(OpaquePointer, String)
  }

  private let kind: Kind
  /// The place of the collection that has the element or entry.
  private var collection: CollectionPlace?

  var target: ChangeTarget {
    switch kind {
    case .property: .property
    case .element, .insertion: .collection(.list)
    case .entry: .collection(.dictionary)
    }
  }

  static func property(_ object: _ManagedObject, _ property: _PropertyKey) -> _ValuePlace {
    _ValuePlace(kind: .property(object, property.flex))
  }

  static func element(_ list: ManagedCollection, _ index: Int) -> _ValuePlace {
    _ValuePlace(kind: .element(list.pointer, index), collection: list.place)
  }

  /// The position before an element.
  static func insertion(_ list: ManagedCollection, _ index: Int) -> _ValuePlace {
    _ValuePlace(kind: .insertion(list.pointer, index), collection: list.place)
  }

  static func entry(_ dictionary: ManagedCollection, _ key: String) -> _ValuePlace {
    _ValuePlace(kind: .entry(dictionary.pointer, key), collection: dictionary.place)
  }

  func set(_ value: _Value, _ realm: _RealmHandle) {
    value.lend { value in
      realm.perform(target) { error in
        switch kind {
        case .property(let object, let property): flx_object_set(object.pointer, property, value, error)
        case .element(let list, let index): flx_list_set(list, index, value, error)
        case .insertion(let list, let index): flx_list_insert(list, index, value, error)
        case .entry(let dictionary, let key):
          key.withFlexString { flx_dictionary_set(dictionary, $0, value, error) }
        }
      }
    }
  }

  /// Puts an embedded object here, in place of what is here, and opens it for the caller to release; nil if that failed.
  func embed(_ realm: _RealmHandle) -> OpaquePointer? {
    var object: OpaquePointer?
    realm.perform(target) { error in
      switch kind {
      case .property(let owner, let property):
        flx_object_set_embedded(owner.pointer, property, &object, error)
      case .element(let list, let index): flx_list_set_embedded(list, index, &object, error)
      case .insertion(let list, let index): flx_list_insert_embedded(list, index, &object, error)
      case .entry(let dictionary, let key):
        key.withFlexString { flx_dictionary_set_embedded(dictionary, $0, &object, error) }
      }
    }
    return object
  }

  /// Puts an empty list or dictionary here, and opens it for the caller to release; nil if that failed.
  func make(_ collection: CollectionKind, _ realm: _RealmHandle) -> ManagedCollection? {
    let isList = collection == .list
    realm.perform(target) { error in
      switch kind {
      case .property(let object, let property):
        (isList ? flx_object_set_list : flx_object_set_dictionary)(object.pointer, property, error)
      case .element(let list, let index):
        (isList ? flx_list_set_list : flx_list_set_dictionary)(list, index, error)
      case .insertion(let list, let index):
        (isList ? flx_list_insert_list : flx_list_insert_dictionary)(list, index, error)
      case .entry(let dictionary, let key):
        key.withFlexString {
          (isList ? flx_dictionary_set_list : flx_dictionary_set_dictionary)(dictionary, $0, error)
        }
      }
    }
    return open(collection, realm)
  }

  /// Opens the list or dictionary that is here, for the caller to release or take over; nil if there is none.
  func open(_ collection: CollectionKind, _ realm: _RealmHandle) -> ManagedCollection? {
    let isList = collection == .list
    var pointer: OpaquePointer?
    switch kind {
    case .property(let object, let property):
      _ = (isList ? flx_object_get_list : flx_object_get_dictionary)(object.pointer, property, &pointer, nil)
    case .element(let list, let index), .insertion(let list, let index):
      _ = (isList ? flx_list_get_list : flx_list_get_dictionary)(list, index, &pointer, nil)
    case .entry(let dictionary, let key):
      _ = key.withFlexString {
        (isList ? flx_dictionary_get_list : flx_dictionary_get_dictionary)(dictionary, $0, &pointer, nil)
      }
    }
    return pointer.map { ManagedCollection(kind: collection, pointer: $0, realm: realm, place: place) }
  }

  /// The place of the list or dictionary that is here; nil if that is not known.
  private var place: CollectionPlace? {
    switch kind {
    case .property(let object, let property): CollectionPlace(object, property)
    case .element(_, let index), .insertion(_, let index): collection?.element(.index(index))
    case .entry(_, let key): collection?.element(.key(key))
    }
  }
}
