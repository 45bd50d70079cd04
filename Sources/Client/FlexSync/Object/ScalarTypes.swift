// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Bool: RealmCollectionValue {
  public static var _propertyType: _PropertyType { .bool }
  public static func _defaultValue() -> Bool { false }
  public static var _isDefaultOfNewRow: Bool { true }
  @inlinable public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> Bool {
    value.bool
  }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    body(.bool(self))
  }
}

/// An integer type; all of them are stored as 64-bit integers.
public protocol _PersistableInteger: RealmCollectionValue, FixedWidthInteger {}

extension _PersistableInteger {
  public static var _propertyType: _PropertyType { .int }
  public static func _defaultValue() -> Self { 0 }
  public static var _isDefaultOfNewRow: Bool { true }
  public static func _convert(_ value: Any) -> Self? {
    switch value {
    case let number as any BinaryInteger: Self(exactly: number)
    // An `NSNumber` is not an integer, but can be converted to one.
    default: value as? Self
    }
  }
  /// A stored number that the type cannot hold keeps its lower bits.
  @inlinable public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> Self {
    Self(truncatingIfNeeded: value.int)
  }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    body(.int(Int64(self)))
  }
}

extension Int: _PersistableInteger {}
extension Int8: _PersistableInteger {}
extension Int16: _PersistableInteger {}
extension Int32: _PersistableInteger {}
extension Int64: _PersistableInteger {}

extension Float: RealmCollectionValue {
  public static var _propertyType: _PropertyType { .float }
  public static func _defaultValue() -> Float { 0 }
  public static func _convert(_ value: Any) -> Float? {
    value as? Float ?? Double._convert(value).map { Float($0) }
  }
  public static var _isDefaultOfNewRow: Bool { true }
  @inlinable public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> Float {
    value.float
  }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    body(.float(self))
  }
}

extension Double: RealmCollectionValue {
  public static var _propertyType: _PropertyType { .double }
  public static func _defaultValue() -> Double { 0 }
  public static func _convert(_ value: Any) -> Double? {
    switch value {
    case let number as any BinaryFloatingPoint: Double(number)
    case let number as any BinaryInteger: Double(number)
    default: value as? Double
    }
  }
  public static var _isDefaultOfNewRow: Bool { true }
  @inlinable public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> Double {
    value.double
  }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    body(.double(self))
  }
}

extension String: RealmCollectionValue {
  public static var _propertyType: _PropertyType { .string }
  public static func _defaultValue() -> String { "" }
  public static var _isDefaultOfNewRow: Bool { true }
  public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> String { value.string }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    _Value.lend(self, body)
  }
}

extension Data: RealmCollectionValue {
  public static var _propertyType: _PropertyType { .data }
  public static func _defaultValue() -> Data { Data() }
  public static var _isDefaultOfNewRow: Bool { true }
  public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> Data {
    value.data
  }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    _Value.lend(self, body)
  }
}

extension Date: RealmCollectionValue {
  public static var _propertyType: _PropertyType { .date }
  public static func _defaultValue() -> Date { Date() }

  public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> Date {
    value.date
  }

  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    body(.date(self))
  }
}

extension ObjectId: RealmCollectionValue {
  public static var _propertyType: _PropertyType { .objectId }
  public static func _defaultValue() -> ObjectId { .generate() }
  public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> ObjectId {
    value.objectId
  }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    body(.objectId(self))
  }
}

extension UUID: RealmCollectionValue {
  public static var _propertyType: _PropertyType { .uuid }
  public static func _defaultValue() -> UUID { UUID() }
  public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> UUID {
    value.uuid
  }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    body(.uuid(self))
  }
}
