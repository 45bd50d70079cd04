// SPDX-License-Identifier: Apache-2.0

/// Iterates over the entries of a map.
extension Map: Sequence {
  public struct Iterator: IteratorProtocol {
    private let map: Map
    private var position = 0

    fileprivate init(_ map: Map) { self.map = map }

    public mutating func next() -> SingleMapEntry<Key, Value>? {
      guard position < map.count else { return nil }
      defer { position += 1 }
      return map.entry(at: position)
    }
  }

  public func makeIterator() -> Iterator { Iterator(self) }

  public var underestimatedCount: Int { count }
}

extension Map {
  /// The keys in their order.
  public var keys: [Key] { map(\.key) }

  /// The values in the order of their keys.
  public var values: [Value] { map(\.value) }

  /// The entries as tuples, like those of a Swift dictionary.
  public func asKeyValueSequence() -> [(key: Key, value: Value)] { map { ($0.key, $0.value) } }

  /// Adds the entries of a dictionary or another sequence of keys and values. For a key that the map already has,
  /// `combine` returns the value to keep, given the present one and the new one.
  public func merge<Entries: Sequence>(
    _ entries: Entries,
    uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows where Entries.Element == (key: Key, value: Value) {
    for (key, value) in Array(entries) {
      updateValue(try self[key].map { try combine($0, value) } ?? value, forKey: key)
    }
  }

  /// Adds the entries of another map.
  public func merge(_ other: Map, uniquingKeysWith combine: (Value, Value) throws -> Value) rethrows {
    try merge(other.asKeyValueSequence(), uniquingKeysWith: combine)
  }
}

extension Map: ExpressibleByDictionaryLiteral {
  public convenience init(dictionaryLiteral elements: (Key, Value)...) {
    self.init()
    for (key, value) in elements { updateValue(value, forKey: key) }
  }
}
