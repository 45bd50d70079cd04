// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// A value as the C interface passes it. Text and bytes are borrowed from whoever lends the value.
@frozen public struct _Value {
  @usableFromInline let flex: flx_value_t

  @usableFromInline init(_ flex: flx_value_t) { self.flex = flex }

  private init(_ type: flx_type_t, _ fill: (inout flx_value_t) -> Void = { _ in }) {
    var flex = flx_value_t()
    flex.type = type
    fill(&flex)
    self.flex = flex
  }

  /// Passes the value to a C function.
  func lend<Result>(_ body: (UnsafePointer<flx_value_t>) -> Result) -> Result {
    withUnsafePointer(to: flex, body)
  }

  /// Whether both values have the same type and the same bytes.
  func isIdentical(to other: _Value) -> Bool {
    let (left, right) = (flex, other.flex)
    guard left.type == right.type else { return false }
    switch left.type {
    case .FLX_TYPE_INT: return left.integer == right.integer
    case .FLX_TYPE_BOOL: return left.boolean == right.boolean
    case .FLX_TYPE_FLOAT: return left.float_value.bitPattern == right.float_value.bitPattern
    case .FLX_TYPE_DOUBLE: return left.double_value.bitPattern == right.double_value.bitPattern
    case .FLX_TYPE_STRING, .FLX_TYPE_BINARY: return left.string.bytes.elementsEqual(right.string.bytes)
    case .FLX_TYPE_TIMESTAMP:
      return left.timestamp.seconds == right.timestamp.seconds
        && left.timestamp.nanoseconds == right.timestamp.nanoseconds
    case .FLX_TYPE_LINK:
      return left.link.row == right.link.row && left.link.target_class == right.link.target_class
    case .FLX_TYPE_OBJECT_ID: return objectId == other.objectId
    case .FLX_TYPE_UUID: return uuid == other.uuid
    case .FLX_TYPE_DECIMAL:
      return left.decimal.high == right.decimal.high && left.decimal.low == right.decimal.low
    default: return isNull
    }
  }
}

// MARK: - Reading

extension _Value {
  @inlinable var isNull: Bool { flex.type == .FLX_TYPE_NULL }
  @inlinable var bool: Bool { flex.boolean }
  @inlinable var int: Int64 { flex.integer }
  @inlinable var float: Float { flex.float_value }
  @inlinable var double: Double { flex.double_value }
  var string: String { String(flex.string) }
  var data: Data { flex.binary.data.map { Data(bytes: $0, count: flex.binary.size) } ?? Data() }
  var date: Date { Date(flex.timestamp) }
  var objectId: ObjectId { ObjectId(flex.object_id) }
  var decimal: Decimal128 { Decimal128(flex.decimal) }
  var uuid: UUID { UUID(uuid: flex.uuid.bytes) }
  /// The link; nil for a value of another type.
  var link: flx_link_t? { flex.type == .FLX_TYPE_LINK ? flex.link : nil }
}

extension _Value {
  /// The value of a property of any type. An object of a class that this program does not use with the realm is a
  /// `DynamicObject`.
  ///
  /// - Parameter place: where the value is; without it, a collection reads as `none`.
  func mixed(_ realm: _RealmHandle, at place: _ValuePlace?) -> AnyRealmValue {
    switch flex.type {
    case .FLX_TYPE_INT: .int(Int(int))
    case .FLX_TYPE_BOOL: .bool(bool)
    case .FLX_TYPE_FLOAT: .float(float)
    case .FLX_TYPE_DOUBLE: .double(double)
    case .FLX_TYPE_STRING: .string(string)
    case .FLX_TYPE_BINARY: .data(data)
    case .FLX_TYPE_TIMESTAMP: .date(date)
    case .FLX_TYPE_OBJECT_ID: .objectId(objectId)
    case .FLX_TYPE_DECIMAL: .decimal128(decimal)
    case .FLX_TYPE_UUID: .uuid(uuid)
    case .FLX_TYPE_LINK: realm.anyObject(linkedBy: flex.link).map(AnyRealmValue.object) ?? .none
    case .FLX_TYPE_LIST: place?.open(.list, realm).map { .list(List(takingOver: $0)) } ?? .none
    case .FLX_TYPE_DICTIONARY:
      place?.open(.dictionary, realm).map { .dictionary(Map(takingOver: $0)) } ?? .none
    default: .none
    }
  }
}

// MARK: - Making

extension _Value {
  static let null = _Value(.FLX_TYPE_NULL)
  /// Only the kind of a collection, which no function of the C interface accepts as a value.
  static let list = _Value(.FLX_TYPE_LIST)
  static let dictionary = _Value(.FLX_TYPE_DICTIONARY)

  static func bool(_ value: Bool) -> _Value { _Value(.FLX_TYPE_BOOL) { $0.boolean = value } }
  static func int(_ value: Int64) -> _Value { _Value(.FLX_TYPE_INT) { $0.integer = value } }
  static func float(_ value: Float) -> _Value { _Value(.FLX_TYPE_FLOAT) { $0.float_value = value } }
  static func double(_ value: Double) -> _Value { _Value(.FLX_TYPE_DOUBLE) { $0.double_value = value } }
  static func date(_ value: Date) -> _Value {
    _Value(.FLX_TYPE_TIMESTAMP) { $0.timestamp = value.flexTimestamp }
  }
  static func objectId(_ value: ObjectId) -> _Value {
    _Value(.FLX_TYPE_OBJECT_ID) { $0.object_id = value.flexValue }
  }
  static func decimal(_ value: Decimal128) -> _Value {
    _Value(.FLX_TYPE_DECIMAL) { $0.decimal = value.flexValue }
  }
  static func uuid(_ value: UUID) -> _Value {
    _Value(.FLX_TYPE_UUID) { $0.uuid = flx_uuid_t(bytes: value.uuid) }
  }
  static func link(_ object: _ManagedObject) -> _Value { _Value(.FLX_TYPE_LINK) { $0.link = object.link } }

  static func lend<Result>(_ text: String, _ body: (_Value) -> Result) -> Result {
    text.withFlexString { text in body(_Value(.FLX_TYPE_STRING) { $0.string = text }) }
  }

  static func lend<Result>(_ data: Data, _ body: (_Value) -> Result) -> Result {
    data.withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      return body(_Value(.FLX_TYPE_BINARY) { $0.binary = flx_string_t(data: start, size: bytes.count) })
    }
  }

  /// Converts a sum or average, which may be a double even if the property is not. An average of integers loses its
  /// fraction and is clamped: as a double, that of the greatest integers exceeds their range.
  func asNumber(of wanted: _PropertyType) -> _Value {
    guard flex.type == .FLX_TYPE_DOUBLE else { return self }
    switch wanted.type {
    case .FLX_TYPE_FLOAT: return .float(Float(double))
    case .FLX_TYPE_INT: return .int(Int64(clamping: double))
    default: return self
    }
  }
}

extension flx_string_t {
  fileprivate var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: data, count: size) }
}

// MARK: - The values of the C interface

extension Date {
  /// The seconds from 1970 to 2001, the epoch of `Date`, around which its precision is highest.
  private static let referenceOffset = 978_307_200

  /// Converts a timestamp, however far from the present.
  init(_ timestamp: flx_timestamp_t) {
    let seconds = Double(timestamp.seconds) - Double(Date.referenceOffset)
    self.init(timeIntervalSinceReferenceDate: seconds + Double(timestamp.nanoseconds) / 1_000_000_000)
  }

  /// The timestamp with both parts of the same sign, as the C interface requires. Dates beyond its range are clamped.
  fileprivate var flexTimestamp: flx_timestamp_t {
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
