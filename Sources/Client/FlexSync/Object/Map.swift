// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A type that can be the key of a `Map`: `String`.
public protocol _MapKey: Hashable {
  init(_mapKey: String)
  var _mapKey: String { get }
}

extension String: _MapKey {
  public init(_mapKey: String) { self = _mapKey }
  public var _mapKey: String { self }
}

/// An entry of a `Map`.
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue> {
  public let key: Key
  public let value: Value
}

extension SingleMapEntry: Equatable where Value: Equatable {}
extension SingleMapEntry: Hashable where Value: Hashable {}

/// Values by key, in a property of an object. Values that are objects must be optional: `Map<String, Person?>`.
///
/// Keys cannot begin with `$` or contain `.`. Until its object is added to a realm, a map holds its entries itself;
/// from then on it reads and writes the realm. Entries are sorted by the bytes of their keys.
public final class Map<Key: _MapKey, Value: RealmCollectionValue> {
  /// The entries while the map is in no realm, sorted.
  private var entries: [(key: String, value: Value)] = []
  private var managed: (pointer: OpaquePointer, realm: _RealmHandle)?

  public required init() {}

  /// Takes ownership of the caller's reference to `pointer`.
  init(takingOver pointer: OpaquePointer, _ realm: _RealmHandle) {
    managed = (pointer, realm)
  }

  deinit { flx_dictionary_release(managed?.pointer) }

  /// The handle to observe.
  var observable: (pointer: OpaquePointer, realm: _RealmHandle) {
    guard let managed else {
      preconditionFailure("Only collections which are managed by a Realm support change notifications")
    }
    return managed
  }

  /// The realm of the map's object; nil if the object has not been added to one.
  public var realm: Realm? { managed.map { Realm($0.realm) } }

  /// Whether the map's object was deleted from its realm.
  public var isInvalidated: Bool {
    guard let (pointer, _) = managed else { return false }
    var count = 0
    return flx_dictionary_count(pointer, &count, nil) != .FLX_STATUS_OK
  }

  /// The number of entries.
  public var count: Int {
    guard let (pointer, _) = managed else { return entries.count }
    var count = 0
    trapOnMisuse { flx_dictionary_count(pointer, &count, $0) }
    return count
  }

  public var isEmpty: Bool { count == 0 }

  /// The value of a key; nil if there is none. Setting nil removes the entry.
  public subscript(key: Key) -> Value? {
    get {
      guard let (pointer, realm) = managed else { return place(of: key).existing.map { entries[$0].value } }
      var value = flx_value_t()
      var isThere = false
      key._mapKey.withFlexString { key in
        trapOnMisuse { flx_dictionary_get(pointer, key, &value, &isThere, $0) }
      }
      return isThere ? Value._fromFlex(value, realm, at: .entry(pointer, key._mapKey)) : nil
    }
    set {
      if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
    }
  }

  /// Adds an entry or replaces its value. An object that is in no realm is added to the map's.
  public func updateValue(_ value: Value, forKey key: Key) {
    guard let (pointer, realm) = managed else {
      let place = place(of: key)
      if let index = place.existing {
        entries[index].value = value
      } else {
        entries.insert((key._mapKey, value), at: place.insertion)
      }
      return
    }
    if let embedded = value._embedded {
      return key._mapKey.withFlexString { key in
        realm.embed(embedded, replacing: current(of: key, in: pointer)) {
          flx_dictionary_set_embedded(pointer, key, &$0, $1)
        }
      }
    }
    value._write(to: .entry(pointer, key._mapKey), realm)
  }

  private func current(of key: flx_string_t, in pointer: OpaquePointer) -> flx_value_t {
    var value = flx_value_t()
    trapOnMisuse { flx_dictionary_get(pointer, key, &value, nil, $0) }
    return value
  }

  /// Removes an entry if it is there.
  public func removeObject(for key: Key) {
    guard let (pointer, realm) = managed else {
      if let index = place(of: key).existing { entries.remove(at: index) }
      return
    }
    key._mapKey.withFlexString { key in realm.perform { flx_dictionary_erase(pointer, key, nil, $0) } }
  }

  /// Removes all entries.
  public func removeAll() {
    guard let (pointer, realm) = managed else { return entries.removeAll() }
    realm.perform { flx_dictionary_clear(pointer, $0) }
  }

  /// The entry at a position.
  func entry(at index: Int) -> SingleMapEntry<Key, Value> {
    guard let (pointer, realm) = managed else {
      return SingleMapEntry(key: Key(_mapKey: entries[index].key), value: entries[index].value)
    }
    var key = flx_string_t()
    var value = flx_value_t()
    trapOnMisuse { flx_dictionary_get_at(pointer, index, &key, &value, $0) }
    let text = String(key)
    return SingleMapEntry(
      key: Key(_mapKey: text),
      value: Value._fromFlex(value, realm, at: .entry(pointer, text))
    )
  }

  /// The position of an entry while the map is in no realm, or the position at which to insert it.
  private func place(of key: Key) -> (existing: Int?, insertion: Int) {
    let bytes = key._mapKey.utf8
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key.utf8.lexicographicallyPrecedes(bytes) { low = middle + 1 } else { high = middle }
    }
    let isThere = low < entries.count && entries[low].key.utf8.elementsEqual(bytes)
    return (isThere ? low : nil, low)
  }
}

extension Map: _Persistable {
  public static var _propertyType: _PropertyType {
    var type = Value._propertyType
    precondition(
      type.linkTarget == nil || type.isNullable,
      "Values of a Map that are objects must be optional: write Map<\(Key.self), \(Value.self)?>."
    )
    type.collection = .FLX_COLLECTION_DICTIONARY
    return type
  }

  public static func _defaultValue() -> Map { Map() }
  public static var _isDefaultOfNewRow: Bool { true }

  /// Creates a map of the entries of another map or a dictionary.
  public static func _convert(_ value: Any) -> Self? {
    let map = Self()
    if let entries = value as? Map {
      for entry in entries { map.updateValue(entry.value, forKey: entry.key) }
      return map
    }
    guard let entries = value as? [String: Any] else { return nil }
    for (key, value) in entries {
      guard let converted = Value._convert(value) else { return nil }
      map.updateValue(converted, forKey: Key(_mapKey: key))
    }
    return map
  }

  public static func _get(_ object: _ManagedObject, _ property: flx_property_key_t) -> Map {
    Map(takingOver: open(object, property), object.realm)
  }

  private static func open(_ object: _ManagedObject, _ property: flx_property_key_t) -> OpaquePointer {
    var pointer: OpaquePointer?
    trapOnMisuse { flx_object_get_dictionary(object.pointer, property, &pointer, $0) }
    guard let pointer else { preconditionFailure("opening a dictionary returned no handle") }
    return pointer
  }

  /// Replaces the entries.
  public static func _set(_ object: _ManagedObject, _ property: flx_property_key_t, _ value: Map) {
    // Before the removal, because the map may be assigned to itself.
    let entries = Array(value)
    let map = _get(object, property)
    if !map.isEmpty { map.removeAll() }
    for entry in entries { map.updateValue(entry.value, forKey: entry.key) }
  }

  public static func _setIfDifferent(
    _ object: _ManagedObject,
    _ property: flx_property_key_t,
    _ value: Map
  ) {
    if !_get(object, property).isIdentical(to: value) { _set(object, property, value) }
  }

  /// Whether the other map has the same entries. Any objects in it that are in no realm are added to this map's.
  private func isIdentical(to other: Map) -> Bool {
    guard let (pointer, realm) = managed, count == other.count else { return false }
    return other.allSatisfy { entry in
      entry.key._mapKey.withFlexString { key in
        entry.value._withFlex(realm) { new in
          var old = flx_value_t()
          var isThere = false
          trapOnMisuse { flx_dictionary_get(pointer, key, &old, &isThere, $0) }
          return isThere && new.pointee.isIdentical(to: old)
        }
      }
    }
  }

  /// A map that the program still references becomes the map of the row.
  public static func _didMove(_ value: Map, to object: _ManagedObject, _ property: flx_property_key_t) {
    guard value.managed == nil else { return }
    value.attach(to: open(object, property), object.realm)
  }

  /// Attaches the map to that handle, taking ownership of it, unless the map is already in a realm.
  func attach(to pointer: OpaquePointer?, _ realm: _RealmHandle) {
    guard managed == nil, let pointer else { return flx_dictionary_release(pointer) }
    managed = (pointer, realm)
    entries = []
  }
}

/// A type-erased map.
protocol _AnyMap {
  var count: Int { get }
}

extension Map: _AnyMap {}
