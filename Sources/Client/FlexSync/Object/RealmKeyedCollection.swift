// SPDX-License-Identifier: Apache-2.0

/// A collection of values by key: a `Map`.
public protocol RealmKeyedCollection: _LiveElements, _ObservableCollection, CustomStringConvertible
where _Change == RealmMapChange<Self> {
  associatedtype Key: _MapKey
  associatedtype Value: RealmCollectionValue where _LiveElement == Value, _ObservedElement == Value

  /// The number of entries.
  var count: Int { get }

  /// The keys in their order.
  var keys: [Key] { get }

  /// The values in the order of their keys.
  var values: [Value] { get }

  /// The value of a key; nil if there is none. Setting nil removes the entry.
  subscript(key: Key) -> Value? { get set }

  /// Adds an entry or replaces its value.
  func updateValue(_ value: Value, forKey key: Key)

  /// Removes an entry if it is there.
  func removeObject(for key: Key)

  /// Removes all entries.
  func removeAll()

  /// Whether any entry satisfies a condition.
  func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool

  /// The value of a key; nil if there is none, or if it is nil.
  func value(forKey key: String) -> AnyObject?

  /// The value at the end of a path of names that begins with a key.
  func value(forKeyPath keyPath: String) -> AnyObject?

  /// Sets the value of a key. Nil removes the entry.
  func setValue(_ value: Any?, forKey key: String)

  /// Whether the map is that of a frozen realm.
  var isFrozen: Bool { get }

  /// Returns the map with its present contents, which never change, for use on any thread. See `Realm.freeze`.
  func freeze() -> Self

  /// Returns the live map for the calling thread; nil if its object was deleted. A live one returns itself.
  func thaw() -> Self?
}

extension Map: RealmKeyedCollection {
  public var _results: Results<Value> { liveResults { $0.values } }
  public var _isInRealm: Bool { managed != nil }
  public var _keyValueElements: [Any?] { values.map { FlexSync.plainValue($0) } }

  /// Whether any entry satisfies a condition.
  public func contains(where predicate: @escaping (_ key: Key, _ value: Value) -> Bool) -> Bool {
    contains { predicate($0.key, $0.value) }
  }
}

extension Map: Equatable {
  /// Maps in a realm are equal if they belong to the same property of the same object, others if their entries are
  /// equal.
  public static func == (left: Map, right: Map) -> Bool {
    left.isSamePlace(as: right) ?? left.elementsEqual(right) { $0.key == $1.key && $0.value == $1.value }
  }

  /// Whether the other value is an equal map.
  public func isEqual(_ object: Any?) -> Bool { (object as? Map) == self }
}
