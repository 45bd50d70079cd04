// SPDX-License-Identifier: Apache-2.0

import Foundation

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
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: Hashable {
  public let key: Key
  public let value: Value
}

/// Values by key, in a property of an object. Values that are objects must be optional: `Map<String, Person?>`.
///
/// Keys cannot begin with `$` or contain `.`. Until its object is added to a realm, a map holds its entries itself;
/// from then on it reads and writes the realm. Entries are sorted by the bytes of their keys.
public final class Map<Key: _MapKey, Value: RealmCollectionValue>: _PersistedCollection {
  /// The entries while the map is in no realm, sorted.
  private var entries: [(key: String, value: Value)] = []

  public required init() { super.init() }

  /// The realm of the map's object; nil if the object has not been added to one.
  public var realm: Realm? { managed.map { Realm($0.realm) } }

  /// Whether the map's object was deleted from its realm.
  public var isInvalidated: Bool { managed?.isInvalidated ?? false }

  /// The number of entries.
  public var count: Int { managed?.count ?? entries.count }

  public var isEmpty: Bool { count == 0 }

  /// The value of a key; nil if there is none. Setting nil removes the entry.
  public subscript(key: Key) -> Value? {
    get {
      if let tracer { return .some(tracer.element()) }
      guard let managed else { return place(of: key).existing.map { entries[$0].value } }
      return managed.realm.reading {
        managed.value(of: key._mapKey).map {
          Value._fromFlex($0, managed.realm, at: .entry(managed, key._mapKey))
        }
      }
    }
    set {
      if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
    }
  }

  /// Adds an entry or replaces its value. An object that is in no realm is added to the map's.
  public func updateValue(_ value: Value, forKey key: Key) {
    guard let managed else {
      let place = place(of: key)
      if let index = place.existing {
        entries[index].value = value
      } else {
        entries.insert((key._mapKey, value), at: place.insertion)
      }
      return
    }
    if let embedded = value._embedded { return managed.embed(embedded, of: key._mapKey) }
    value._write(to: .entry(managed, key._mapKey), managed.realm)
  }

  /// Removes an entry if it is there.
  public func removeObject(for key: Key) {
    guard let managed else {
      if let index = place(of: key).existing { entries.remove(at: index) }
      return
    }
    managed.remove(key._mapKey)
  }

  /// Removes all entries.
  public func removeAll() {
    if let managed { managed.removeAll() } else { entries.removeAll() }
  }

  /// The entry at a position.
  func entry(at index: Int) -> SingleMapEntry<Key, Value> {
    guard let managed else {
      return SingleMapEntry(key: Key(_mapKey: entries[index].key), value: entries[index].value)
    }
    return managed.realm.reading {
      let (key, value) = managed.entry(at: index)
      return SingleMapEntry(
        key: Key(_mapKey: key),
        value: Value._fromFlex(value, managed.realm, at: .entry(managed, key))
      )
    }
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

  // MARK: What differs from other collections

  override class var kind: CollectionKind { .dictionary }

  override func dropContents() { entries = [] }

  override func replaceContents(of collection: ManagedCollection) {
    // Before the removal, because the map may be assigned to itself.
    let entries = Array(self)
    let map = Map(emptying: collection)
    for entry in entries { map.updateValue(entry.value, forKey: entry.key) }
  }

  override func updateContents(of map: ManagedCollection) {
    let entries = Array(self)
    let kept = Set(entries.map { $0.key._mapKey })
    for key in (0..<map.count).map({ map.entry(at: $0).key }) where !kept.contains(key) { map.remove(key) }
    for entry in entries {
      let key = entry.key._mapKey
      if let embedded = entry.value._embedded {
        map.embed(embedded, of: key, isUpdate: true)
      } else {
        entry.value._write(to: .entry(map, key), map.realm)
      }
    }
  }

  override func isIdentical(to collection: ManagedCollection) -> Bool {
    guard count == collection.count else { return false }
    return allSatisfy { entry in
      entry.value._withFlex(collection.realm) { new in
        collection.value(of: entry.key._mapKey).map(new.isIdentical) ?? false
      }
    }
  }
}

extension Map: _Persistable {
  public static var _propertyType: _PropertyType {
    let type = Value._propertyType
    Misuse.require(
      type.linkTarget == nil || type.isNullable || Value.self is any FailableCustomPersistable.Type,
      "Values of a Map that are objects must be optional: write Map<\(Key.self), \(Value.self)?>."
    )
    return type.collected(in: .dictionary)
  }

  /// Creates a map of the entries of another map or a dictionary; an empty one for nil.
  public static func _convert(_ value: Any) -> Self? {
    let map = Self()
    if value is NSNull || flattened(value) == nil { return map }
    if let entries = value as? Map {
      for entry in entries { map.updateValue(entry.value, forKey: entry.key) }
      return map
    }
    let entries = (value as? [String: Any]).map(Array.init) ?? (value as? any _AnyMap)?.anyEntries
    guard let entries else { return nil }
    for (key, value) in entries {
      guard let converted = Value._convert(value) else { return nil }
      map.updateValue(converted, forKey: Key(_mapKey: key))
    }
    return map
  }
}

/// A type-erased map.
protocol _AnyMap {
  var count: Int { get }
  var anyEntries: [(key: String, value: Any)] { get }
  /// The value of a key as programs get it by name; nil if there is none.
  func plainValue(forKey key: String) -> Any?
  func setValue(_ value: Any?, forKey key: String)
}

extension Map: _AnyMap {
  var anyEntries: [(key: String, value: Any)] { map { ($0.key._mapKey, $0.value as Any) } }

  func plainValue(forKey key: String) -> Any? { self[Key(_mapKey: key)].flatMap(FlexSync.plainValue) }
}
