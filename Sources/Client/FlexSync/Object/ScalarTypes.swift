// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

extension flx_value_t {
  /// Creates a value whose union member `fill` sets.
  static func make(_ type: flx_type_t, _ fill: (inout flx_value_t) -> Void) -> flx_value_t {
    var value = flx_value_t()
    value.type = type
    fill(&value)
    return value
  }

  /// Whether both values have the same type and the same bytes.
  func isIdentical(to other: flx_value_t) -> Bool {
    guard type == other.type else { return false }
    switch type {
    case .FLX_TYPE_INT: return integer == other.integer
    case .FLX_TYPE_BOOL: return boolean == other.boolean
    case .FLX_TYPE_FLOAT: return float_value.bitPattern == other.float_value.bitPattern
    case .FLX_TYPE_DOUBLE: return double_value.bitPattern == other.double_value.bitPattern
    case .FLX_TYPE_STRING, .FLX_TYPE_BINARY: return string.bytes.elementsEqual(other.string.bytes)
    case .FLX_TYPE_TIMESTAMP:
      return timestamp.seconds == other.timestamp.seconds
        && timestamp.nanoseconds == other.timestamp.nanoseconds
    case .FLX_TYPE_LINK: return link.row == other.link.row && link.target_class == other.link.target_class
    case .FLX_TYPE_OBJECT_ID: return ObjectId(object_id) == ObjectId(other.object_id)
    case .FLX_TYPE_UUID: return UUID(uuid: uuid.bytes) == UUID(uuid: other.uuid.bytes)
    case .FLX_TYPE_DECIMAL: return decimal.high == other.decimal.high && decimal.low == other.decimal.low
    default: return type == .FLX_TYPE_NULL
    }
  }
}

extension flx_string_t {
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: data, count: size) }
}

extension Bool: RealmCollectionValue {
  public static var _propertyType: _PropertyType { _PropertyType(type: .FLX_TYPE_BOOL) }
  public static func _defaultValue() -> Bool { false }
  public static var _isDefaultOfNewRow: Bool { true }
  @inlinable public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> Bool {
    value.boolean
  }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (UnsafePointer<flx_value_t>) -> Result)
    -> Result
  {
    var value = flx_value_t.make(.FLX_TYPE_BOOL) { $0.boolean = self }
    return body(&value)
  }
}

/// An integer type; all of them are stored as 64-bit integers.
public protocol _PersistableInteger: RealmCollectionValue, FixedWidthInteger {}

extension _PersistableInteger {
  public static var _propertyType: _PropertyType { _PropertyType(type: .FLX_TYPE_INT) }
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
  @inlinable public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> Self {
    Self(truncatingIfNeeded: value.integer)
  }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (UnsafePointer<flx_value_t>) -> Result)
    -> Result
  {
    var value = flx_value_t.make(.FLX_TYPE_INT) { $0.integer = Int64(self) }
    return body(&value)
  }
}

extension Int: _PersistableInteger {}
extension Int8: _PersistableInteger {}
extension Int16: _PersistableInteger {}
extension Int32: _PersistableInteger {}
extension Int64: _PersistableInteger {}

extension Float: RealmCollectionValue {
  public static var _propertyType: _PropertyType { _PropertyType(type: .FLX_TYPE_FLOAT) }
  public static func _defaultValue() -> Float { 0 }
  public static func _convert(_ value: Any) -> Float? {
    value as? Float ?? Double._convert(value).map { Float($0) }
  }
  public static var _isDefaultOfNewRow: Bool { true }
  @inlinable public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> Float {
    value.float_value
  }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (UnsafePointer<flx_value_t>) -> Result)
    -> Result
  {
    var value = flx_value_t.make(.FLX_TYPE_FLOAT) { $0.float_value = self }
    return body(&value)
  }
}

extension Double: RealmCollectionValue {
  public static var _propertyType: _PropertyType { _PropertyType(type: .FLX_TYPE_DOUBLE) }
  public static func _defaultValue() -> Double { 0 }
  public static func _convert(_ value: Any) -> Double? {
    switch value {
    case let number as any BinaryFloatingPoint: Double(number)
    case let number as any BinaryInteger: Double(number)
    default: value as? Double
    }
  }
  public static var _isDefaultOfNewRow: Bool { true }
  @inlinable public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> Double {
    value.double_value
  }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (UnsafePointer<flx_value_t>) -> Result)
    -> Result
  {
    var value = flx_value_t.make(.FLX_TYPE_DOUBLE) { $0.double_value = self }
    return body(&value)
  }
}

extension String: RealmCollectionValue {
  public static var _propertyType: _PropertyType { _PropertyType(type: .FLX_TYPE_STRING) }
  public static func _defaultValue() -> String { "" }
  public static var _isDefaultOfNewRow: Bool { true }
  public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> String { String(value.string) }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (UnsafePointer<flx_value_t>) -> Result)
    -> Result
  {
    withFlexString { text in
      var value = flx_value_t.make(.FLX_TYPE_STRING) { $0.string = text }
      return body(&value)
    }
  }
}

extension Data: RealmCollectionValue {
  public static var _propertyType: _PropertyType { _PropertyType(type: .FLX_TYPE_BINARY) }
  public static func _defaultValue() -> Data { Data() }
  public static var _isDefaultOfNewRow: Bool { true }
  public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> Data {
    guard let base = value.binary.data else { return Data() }
    return Data(bytes: base, count: value.binary.size)
  }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (UnsafePointer<flx_value_t>) -> Result)
    -> Result
  {
    withUnsafeBytes { bytes in
      var value = flx_value_t.make(.FLX_TYPE_BINARY) {
        $0.binary = flx_string_t(
          data: bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
          size: bytes.count
        )
      }
      return body(&value)
    }
  }
}

extension Date: RealmCollectionValue {
  /// The seconds from 1970 to 2001, the epoch of `Date`, around which its precision is highest.
  private static let referenceOffset = 978_307_200

  public static var _propertyType: _PropertyType { _PropertyType(type: .FLX_TYPE_TIMESTAMP) }
  public static func _defaultValue() -> Date { Date() }

  public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> Date {
    Date(value.timestamp)
  }

  /// Converts a timestamp, however far from the present.
  init(_ timestamp: flx_timestamp_t) {
    let seconds = Double(timestamp.seconds) - Double(Date.referenceOffset)
    self.init(timeIntervalSinceReferenceDate: seconds + Double(timestamp.nanoseconds) / 1_000_000_000)
  }

  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (UnsafePointer<flx_value_t>) -> Result)
    -> Result
  {
    var value = flx_value_t.make(.FLX_TYPE_TIMESTAMP) { $0.timestamp = flexTimestamp }
    return body(&value)
  }

  /// The timestamp with both parts of the same sign, as the C interface requires. Dates beyond its range are clamped.
  var flexTimestamp: flx_timestamp_t {
    let limit = 9.0e18
    let interval = min(
      max(timeIntervalSinceReferenceDate.isNaN ? 0 : timeIntervalSinceReferenceDate, -limit),
      limit
    )
    var seconds = Int64(interval.rounded(.down)) + Int64(Date.referenceOffset)
    var nanoseconds = Int32(((interval - interval.rounded(.down)) * 1_000_000_000).rounded())
    if nanoseconds == 1_000_000_000 {
      nanoseconds = 0
      seconds += 1
    }
    if seconds < 0 && nanoseconds > 0 {
      seconds += 1
      nanoseconds -= 1_000_000_000
    }
    return flx_timestamp_t(seconds: seconds, nanoseconds: nanoseconds)
  }
}

extension ObjectId: RealmCollectionValue {
  public static var _propertyType: _PropertyType { _PropertyType(type: .FLX_TYPE_OBJECT_ID) }
  public static func _defaultValue() -> ObjectId { .generate() }
  public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> ObjectId {
    ObjectId(value.object_id)
  }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (UnsafePointer<flx_value_t>) -> Result)
    -> Result
  {
    var value = flx_value_t.make(.FLX_TYPE_OBJECT_ID) { $0.object_id = flexValue }
    return body(&value)
  }
}

extension UUID: RealmCollectionValue {
  public static var _propertyType: _PropertyType { _PropertyType(type: .FLX_TYPE_UUID) }
  public static func _defaultValue() -> UUID { UUID() }
  public static func _fromFlex(_ value: flx_value_t, _ realm: _RealmHandle) -> UUID {
    UUID(uuid: value.uuid.bytes)
  }
  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (UnsafePointer<flx_value_t>) -> Result)
    -> Result
  {
    var value = flx_value_t.make(.FLX_TYPE_UUID) { $0.uuid = flx_uuid_t(bytes: uuid) }
    return body(&value)
  }
}
