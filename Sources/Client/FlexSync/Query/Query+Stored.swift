// SPDX-License-Identifier: Apache-2.0

// What properties of a type of the program are stored as.

/// An optional type.
public protocol _QueryOptional {
  associatedtype Wrapped
}

extension Optional: _QueryOptional {}

extension Query {
  /// The same property, as one of another type.
  fileprivate func stored<Stored>(as type: Stored.Type = Stored.self) -> Query<Stored> { Query<Stored>(node) }
}

extension Query where T: PersistableEnum {
  /// The raw value of the case.
  public var rawValue: Query<T.RawValue> { stored() }
}

extension Query where T: _QueryOptional, T.Wrapped: PersistableEnum {
  /// The raw value of the case; null for nil.
  public var rawValue: Query<T.Wrapped.RawValue?> { stored() }
}

extension Query where T: _QueryCollection, T._QueryElement: PersistableEnum {
  /// The raw values of the cases.
  public var rawValue: Query<List<T._QueryElement.RawValue>> { stored() }
}

extension Query
where T: _QueryCollection, T._QueryElement: _QueryOptional, T._QueryElement.Wrapped: PersistableEnum {
  /// The raw values of the cases; null for nil.
  public var rawValue: Query<List<T._QueryElement.Wrapped.RawValue?>> { stored() }
}

extension Query where T: _QueryMap, T._QueryElement: PersistableEnum {
  /// The raw values of the cases.
  public var rawValue: Query<Map<T.Key, T._QueryElement.RawValue>> { stored() }
}

extension Query
where T: _QueryMap, T._QueryElement: _QueryOptional, T._QueryElement.Wrapped: PersistableEnum {
  /// The raw values of the cases; null for nil.
  public var rawValue: Query<Map<T.Key, T._QueryElement.Wrapped.RawValue?>> { stored() }
}

extension Query where T: FailableCustomPersistable {
  /// The stored value.
  public var persistableValue: Query<T.PersistedType> { stored() }
}

extension Query where T: _QueryOptional, T.Wrapped: FailableCustomPersistable {
  /// The stored value; null for nil.
  public var persistableValue: Query<T.Wrapped.PersistedType?> { stored() }
}

extension Query where T: _QueryCollection, T._QueryElement: FailableCustomPersistable {
  /// The stored values.
  public var persistableValue: Query<List<T._QueryElement.PersistedType>> { stored() }
}

extension Query
where T: _QueryCollection, T._QueryElement: _QueryOptional, T._QueryElement.Wrapped: FailableCustomPersistable
{
  /// The stored values; null for nil.
  public var persistableValue: Query<List<T._QueryElement.Wrapped.PersistedType?>> { stored() }
}

extension Query where T: _QueryMap, T._QueryElement: FailableCustomPersistable {
  /// The stored values.
  public var persistableValue: Query<Map<T.Key, T._QueryElement.PersistedType>> { stored() }
}

extension Query
where T: _QueryMap, T._QueryElement: _QueryOptional, T._QueryElement.Wrapped: FailableCustomPersistable {
  /// The stored values; null for nil.
  public var persistableValue: Query<Map<T.Key, T._QueryElement.Wrapped.PersistedType?>> { stored() }
}
