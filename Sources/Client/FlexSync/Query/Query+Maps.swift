// SPDX-License-Identifier: Apache-2.0

/// A property type that holds values by key.
public protocol _QueryMap: _Persistable {
  associatedtype Key: _MapKey
  associatedtype Value: RealmCollectionValue
}

extension Map: _QueryMap {}

extension Query where T: _QueryMap {
  /// The value of a key; null if there is none.
  public subscript(key: T.Key) -> Query<T.Value> {
    Query<T.Value>(node.appending(.element(key._mapKey)))
  }

  /// The keys. A comparison with them is true if any of them satisfies it.
  public var keys: Query<String> { Query<String>(node.appending(.keys)) }

  /// The values. A comparison with them is true if any of them satisfies it.
  public var values: Query<T.Value> { Query<T.Value>(node.appending(.values)) }

  /// The number of entries.
  public var count: Query<Int> { Query<Int>(node.applying("@count")) }

  /// Whether the map contains the value.
  public func contains(_ value: T.Value) -> Query<Bool> {
    Query<Bool>(.comparison(.constant(value), "IN", node))
  }

  /// Whether the map contains any of the values.
  public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool>
  where Values.Element == T.Value {
    isIn(values.map { $0 })
  }

  /// Whether any value equals the given one.
  public static func == (left: Query, right: T.Value) -> Query<Bool> { left.compared("==", right) }
  /// Whether any value differs from the given one.
  public static func != (left: Query, right: T.Value) -> Query<Bool> { left.compared("!=", right) }
}

extension Query where T: _QueryMap, T.Value: _QueryOrdered {
  /// Whether any value is greater than the given one.
  public static func > (left: Query, right: T.Value) -> Query<Bool> { left.compared(">", right) }
  /// Whether any value is at least the given one.
  public static func >= (left: Query, right: T.Value) -> Query<Bool> { left.compared(">=", right) }
  /// Whether any value is less than the given one.
  public static func < (left: Query, right: T.Value) -> Query<Bool> { left.compared("<", right) }
  /// Whether any value is at most the given one.
  public static func <= (left: Query, right: T.Value) -> Query<Bool> { left.compared("<=", right) }

  /// The smallest value; null if there is none.
  public var min: Query<T.Value> { Query<T.Value>(node.applying("@min")) }
  /// The greatest value; null if there is none.
  public var max: Query<T.Value> { Query<T.Value>(node.applying("@max")) }
}

extension Query where T: _QueryMap, T.Value: _QueryOrdered & Comparable {
  /// Whether all values lie in the range, both ends included; false if there are no values.
  public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> {
    (min >= range.lowerBound) && (max <= range.upperBound)
  }

  /// Whether all values lie in the range, the upper end excluded; false if there are no values.
  public func contains(_ range: Range<T.Value>) -> Query<Bool> {
    (min >= range.lowerBound) && (max < range.upperBound)
  }
}

extension Query where T: _QueryMap, T.Value: _QueryNumeric {
  /// The average of the values; null if there is none.
  public var avg: Query<T.Value> { Query<T.Value>(node.applying("@avg")) }
  /// The sum of the values; 0 if there is none.
  public var sum: Query<T.Value> { Query<T.Value>(node.applying("@sum")) }
}
