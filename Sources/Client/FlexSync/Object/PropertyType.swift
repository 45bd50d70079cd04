// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// What a Swift property type means in the schema.
public struct _PropertyType {
  let type: flx_type_t
  var isNullable = false
  var collection = flx_collection_t.FLX_COLLECTION_NONE
  /// The class that a link leads to.
  var linkTarget: ObjectBase.Type?
}

/// A type that a `@Persisted` property can have.
public protocol _Persistable {
  static var _propertyType: _PropertyType { get }
  /// The value of a property that was never set.
  static func _defaultValue() -> Self
  /// The value as this type, for values given by property name; nil if it cannot be.
  static func _convert(_ value: Any) -> Self?
  static func _get(_ object: _ManagedObject, _ property: flx_property_key_t) -> Self
  static func _set(_ object: _ManagedObject, _ property: flx_property_key_t, _ value: Self)
  /// Writes the value if the row has another one.
  static func _setIfDifferent(_ object: _ManagedObject, _ property: flx_property_key_t, _ value: Self)
  /// Whether a row that was just created has `_defaultValue` already.
  static var _isDefaultOfNewRow: Bool { get }
  /// Called when the value that a property had outside the realm was written to the row.
  static func _didMove(_ value: Self, to object: _ManagedObject, _ property: flx_property_key_t)
}

extension _Persistable {
  public static func _convert(_ value: Any) -> Self? { value as? Self }
  public static var _isDefaultOfNewRow: Bool { false }
  public static func _didMove(_ value: Self, to object: _ManagedObject, _ property: flx_property_key_t) {}
}

/// A type that can be an element of a collection or a single property.
public protocol RealmCollectionValue: _Persistable {
  /// Reads a value that is borrowed for the call. Null comes only to optional types.
  static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> Self
  /// As `_fromFlex` for an optional property: nil if the type has nothing for the value.
  static func _optionalFromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> Self?
  /// The object, if it is one that lives inside of the place that holds it.
  var _embedded: EmbeddedObject? { get }
  /// As `_fromFlex`, for what the value alone does not say: a collection nested in a mixed.
  static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle, at place: _ValuePlace) -> Self
  /// Writes the value to a place.
  func _write(to place: _ValuePlace, _ realm: _RealmHandle)
  /// Lends the value to C. An object that is not in the realm is added to it.
  func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (UnsafePointer<flx_value_t>) -> Result) -> Result
}

extension RealmCollectionValue {
  public var _embedded: EmbeddedObject? { nil }

  @inlinable
  public static func _optionalFromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> Self? {
    _fromFlex(value, realm)
  }

  public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle, at place: _ValuePlace) -> Self {
    _fromFlex(value, realm)
  }

  public func _write(to place: _ValuePlace, _ realm: _RealmHandle) {
    _withFlex(realm) { value in realm.perform { place.set(value, $0) } }
  }

  @inlinable
  public static func _get(_ object: _ManagedObject, _ property: flx_property_key_t) -> Self {
    _fromFlex(object.read(property), object.realm)
  }

  public static func _set(_ object: _ManagedObject, _ property: flx_property_key_t, _ value: Self) {
    if let embedded = value._embedded { return object.embed(embedded, property) }
    value._withFlex(object.realm) { object.write(property, $0) }
  }

  public static func _setIfDifferent(
    _ object: _ManagedObject,
    _ property: flx_property_key_t,
    _ value: Self
  ) {
    if let embedded = value._embedded { return object.embed(embedded, property) }
    value._withFlex(object.realm) { new in
      if !new.pointee.isIdentical(to: object.read(property)) { object.write(property, new) }
    }
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

extension Optional: RealmCollectionValue where Wrapped: RealmCollectionValue {
  public var _embedded: EmbeddedObject? { self?._embedded }

  @inlinable
  public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> Wrapped? {
    value.type == .FLX_TYPE_NULL ? nil : Wrapped._optionalFromFlex(value, realm)
  }

  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (UnsafePointer<flx_value_t>) -> Result)
    -> Result
  {
    if let self { return self._withFlex(realm, body) }
    var null = flx_value_t()
    null.type = .FLX_TYPE_NULL
    return body(&null)
  }
}

/// An enumeration that a property can hold by its raw value.
public protocol PersistableEnum: RealmCollectionValue, RawRepresentable, CaseIterable
where RawValue: RealmCollectionValue {}

extension PersistableEnum {
  public static var _propertyType: _PropertyType { RawValue._propertyType }

  public static func _defaultValue() -> Self {
    guard let first = allCases.first else { preconditionFailure("\(Self.self) has no cases") }
    return first
  }

  public static func _convert(_ value: Any) -> Self? {
    value as? Self ?? RawValue._convert(value).flatMap(Self.init(rawValue:))
  }

  /// A raw value that is no case, written by another version of the app, reads as the first case.
  public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> Self {
    Self(rawValue: RawValue._fromFlex(value, realm)) ?? _defaultValue()
  }

  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (UnsafePointer<flx_value_t>) -> Result)
    -> Result
  {
    rawValue._withFlex(realm, body)
  }
}
