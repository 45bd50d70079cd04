// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A type of the program that properties store as another, supported type.
///
/// ```swift
/// struct Weight: CustomPersistable {
///   var grams: Double
///   init(persistedValue: Double) { grams = persistedValue }
///   var persistableValue: Double { grams }
/// }
/// ```
public protocol CustomPersistable: FailableCustomPersistable {
  /// Creates the value for a stored one.
  init(persistedValue: PersistedType)
}

/// A type of the program that cannot be created from every stored value. A stored value that it rejects reads as the
/// value for the stored type's default (0, "" …), or as nil if the property is optional. A type that rejects that
/// default, too, must be used only in optional properties: in others, such a value stops the program.
public protocol FailableCustomPersistable: RealmCollectionValue, _PersistedConversion {}

/// The conversions of a type of the program to and from the type that is stored.
public protocol _PersistedConversion {
  /// The type that is stored.
  associatedtype PersistedType: RealmCollectionValue

  /// Creates the value for a stored one; nil if there is none.
  init?(persistedValue: PersistedType)

  /// The value to store.
  var persistableValue: PersistedType { get }
}

extension FailableCustomPersistable {
  public static var _rowClass: ObjectBase.Type? { PersistedType._rowClass }
  public static func _fromRow(_ row: _ManagedObject) -> Self {
    Self(persistedValue: PersistedType._fromRow(row)) ?? _defaultValue()
  }
  public var _row: _ManagedObject? { persistableValue._row }

  public static var _propertyType: _PropertyType { PersistedType._propertyType }

  public static func _defaultValue() -> Self {
    guard let value = Self(persistedValue: PersistedType._defaultValue()) else {
      Misuse.stop("\(Self.self) cannot be created from the default value of \(PersistedType.self)")
    }
    return value
  }

  public static func _convert(_ value: Any) -> Self? {
    // A link may be null, also one that a property of a type of the program is stored as.
    if value is NSNull, PersistedType._propertyType.linkTarget != nil { return _defaultValue() }
    return value as? Self ?? PersistedType._convert(value).flatMap { Self(persistedValue: $0) }
  }

  /// An embedded object that the value is stored as.
  public var _embedded: EmbeddedObject? {
    PersistedType.self is EmbeddedObject.Type ? persistableValue._embedded : nil
  }

  /// Null, which a link may be, reads as the default.
  public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> Self {
    if value.isNull, PersistedType._propertyType.linkTarget != nil { return _defaultValue() }
    return Self(persistedValue: PersistedType._fromFlex(value, realm)) ?? _defaultValue()
  }

  public static func _optionalFromFlex(_ value: _Value, _ realm: _RealmHandle) -> Self? {
    Self(persistedValue: PersistedType._fromFlex(value, realm))
  }

  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    persistableValue._withFlex(realm, body)
  }
}

extension Query where T: FailableCustomPersistable, T.PersistedType: _QueryOrdered {
  public static func > (left: Query, right: T) -> Query<Bool> { left.compared(">", right) }
  public static func >= (left: Query, right: T) -> Query<Bool> { left.compared(">=", right) }
  public static func < (left: Query, right: T) -> Query<Bool> { left.compared("<", right) }
  public static func <= (left: Query, right: T) -> Query<Bool> { left.compared("<=", right) }
}
