// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A type that a `@Persisted` property can have.
public protocol _Persistable {
  static var _propertyType: _PropertyType { get }
  /// The value of a property that has never been set.
  static func _defaultValue() -> Self
  /// Converts a value given by property name to this type; nil if that is impossible.
  static func _convert(_ value: Any) -> Self?
  static func _get(_ object: _ManagedObject, _ property: _PropertyKey) -> Self
  static func _set(_ object: _ManagedObject, _ property: _PropertyKey, _ value: Self)
  /// Writes the value if that of the row differs.
  static func _setIfDifferent(_ object: _ManagedObject, _ property: _PropertyKey, _ value: Self)
  /// Whether a newly created row already has `_defaultValue`.
  static var _isDefaultOfNewRow: Bool { get }
  /// Whether an object in a realm keeps the value that its property returns, and returns the same the next time.
  static var _isKept: Bool { get }
  /// Called after the value that a property had outside a realm has been written to the row.
  static func _didMove(_ value: Self, to object: _ManagedObject, _ property: _PropertyKey)
}

extension _Persistable {
  public static func _convert(_ value: Any) -> Self? { value as? Self }
  public static var _isDefaultOfNewRow: Bool { false }
  @inlinable public static var _isKept: Bool { false }
  public static func _didMove(_ value: Self, to object: _ManagedObject, _ property: _PropertyKey) {}
}

/// A type that can be an element of a collection or a single property.
public protocol RealmCollectionValue: _Persistable, _HasPersistedType, Hashable {
  /// The class of the objects that values of this type stand for; nil for plain values.
  static var _rowClass: ObjectBase.Type? { get }
  /// The value that stands for an object.
  static func _fromRow(_ row: _ManagedObject) -> Self
  /// The object that the value stands for; nil for a plain value and for an object that is in no realm.
  var _row: _ManagedObject? { get }
  /// Reads a value that is borrowed for the call. Only optional types receive null.
  static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> Self
  /// Like `_fromFlex`, for an optional property: nil if the type cannot represent the value.
  static func _optionalFromFlex(_ value: _Value, _ realm: _RealmHandle) -> Self?
  /// The value as an embedded object; nil for any other value.
  var _embedded: EmbeddedObject? { get }
  /// Like `_fromFlex`, for a value that is incomplete without its place: a collection nested in a mixed value.
  static func _fromFlex(_ value: _Value, _ realm: _RealmHandle, at place: _ValuePlace) -> Self
  /// Writes the value to a place.
  func _write(to place: _ValuePlace, _ realm: _RealmHandle)
  /// Lends the value to C. An object that is not in the realm is added to it.
  func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result
}

extension RealmCollectionValue {
  public static var _rowClass: ObjectBase.Type? { nil }
  public static func _fromRow(_ row: _ManagedObject) -> Self {
    Misuse.stop("\(Self.self) is not a type of objects")
  }
  public var _row: _ManagedObject? { nil }
  public var _embedded: EmbeddedObject? { nil }

  @inlinable
  public static func _optionalFromFlex(_ value: _Value, _ realm: _RealmHandle) -> Self? {
    _fromFlex(value, realm)
  }

  public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle, at place: _ValuePlace) -> Self {
    _fromFlex(value, realm)
  }

  public func _write(to place: _ValuePlace, _ realm: _RealmHandle) {
    _withFlex(realm) { place.set($0, realm) }
  }

  @inlinable
  public static func _get(_ object: _ManagedObject, _ property: _PropertyKey) -> Self {
    object.realm.reading { _fromFlex(object.read(property), object.realm) }
  }

  public static func _set(_ object: _ManagedObject, _ property: _PropertyKey, _ value: Self) {
    if let embedded = value._embedded { return object.embed(embedded, property) }
    value._withFlex(object.realm) { object.write(property, $0) }
  }

  public static func _setIfDifferent(
    _ object: _ManagedObject,
    _ property: _PropertyKey,
    _ value: Self
  ) {
    if let embedded = value._embedded { return object.embed(embedded, property, isUpdate: true) }
    value._withFlex(object.realm) { new in
      if !new.isIdentical(to: object.read(property)) { object.write(property, new) }
    }
  }
}

extension RealmCollectionValue {
  /// Converts an element of a list or set; nil if that is impossible. Only optional elements can be null.
  static func _convertElement(_ value: Any) -> Self? {
    value is NSNull && Self.self is any FailableCustomPersistable.Type ? nil : _convert(value)
  }

  /// Converts the elements of an array or another collection, of which nil has none; nil if that is impossible.
  static func converted(_ value: Any) -> [Self]? {
    if value is NSNull || flattened(value) == nil { return [] }
    guard let elements = collectedElements(of: value) else { return nil }
    let converted = elements.compactMap(_convertElement)
    return converted.count == elements.count ? converted : nil
  }
}

extension Optional: _Persistable where Wrapped: RealmCollectionValue {
  public static var _propertyType: _PropertyType {
    var type = Wrapped._propertyType
    type.isNullable = true
    return type
  }

  public static func _defaultValue() -> Wrapped? { nil }
  public static var _isDefaultOfNewRow: Bool { true }

  public static func _convert(_ value: Any) -> Wrapped?? {
    if value is NSNull { return .some(nil) }
    if let optional = value as? Wrapped? { return optional }
    return Wrapped._convert(value).map { $0 }
  }
}

extension Optional: _HasPersistedType where Wrapped: RealmCollectionValue {
  public typealias PersistedType = Wrapped.PersistedType?
}

extension Optional: RealmCollectionValue where Wrapped: RealmCollectionValue {
  public static var _rowClass: ObjectBase.Type? { Wrapped._rowClass }
  public static func _fromRow(_ row: _ManagedObject) -> Wrapped? { Wrapped._fromRow(row) }
  public var _row: _ManagedObject? { self?._row }
  public var _embedded: EmbeddedObject? { self?._embedded }

  @inlinable
  public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> Wrapped? {
    value.isNull ? nil : Wrapped._optionalFromFlex(value, realm)
  }

  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    if let self { self._withFlex(realm, body) } else { body(.null) }
  }
}

/// An enumeration that a property can store as its raw value.
public protocol PersistableEnum: RealmOptionalType, RawRepresentable, CaseIterable
where RawValue: RealmCollectionValue, PersistedType == RawValue {}

extension PersistableEnum {
  public static var _propertyType: _PropertyType { RawValue._propertyType }

  public static func _defaultValue() -> Self {
    guard let first = allCases.first else { Misuse.stop("\(Self.self) has no cases") }
    return first
  }

  public static func _convert(_ value: Any) -> Self? {
    value as? Self ?? RawValue._convert(value).flatMap(Self.init(rawValue:))
  }

  /// A raw value without a case, written by another version of the app, reads as the first case.
  public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> Self {
    Self(rawValue: RawValue._fromFlex(value, realm)) ?? _defaultValue()
  }

  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    rawValue._withFlex(realm, body)
  }
}
