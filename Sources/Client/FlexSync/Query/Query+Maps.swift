// SPDX-License-Identifier: Apache-2.0

/// A property type that holds values by key.
public protocol _QueryMap: _QueryMultiple {
  associatedtype Key: _MapKey
  associatedtype Value: RealmCollectionValue where Value == _QueryElement
}

extension Map: _QueryMap {
  public typealias _QueryElement = Value
}

extension Query where T: _QueryMap {
  /// The value of a key; null if there is none.
  public subscript(key: T.Key) -> Query<T.Value> {
    Query<T.Value>(node.appending(.element(key._mapKey)))
  }

  /// The keys. A comparison with them is true if any of them satisfies it.
  public var keys: Query<String> { Query<String>(node.appending(.keys)) }

  /// The values. A comparison with them is true if any of them satisfies it.
  public var values: Query<T.Value> { Query<T.Value>(node.appending(.values)) }
}
