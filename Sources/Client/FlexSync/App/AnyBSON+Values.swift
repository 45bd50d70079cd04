// SPDX-License-Identifier: Apache-2.0

import Foundation

// The value if it has the type in question, else nil.
extension AnyBSON {
  public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
  public var documentValue: Document? { if case .document(let value) = self { value } else { nil } }
  public var arrayValue: [AnyBSON?]? { if case .array(let value) = self { value } else { nil } }
  public var binaryValue: Data? { if case .binary(let value) = self { value } else { nil } }
  public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
  public var dateValue: Date? { if case .datetime(let value) = self { value } else { nil } }
  public var regexValue: NSRegularExpression? { if case .regex(let value) = self { value } else { nil } }
  public var int32Value: Int32? { if case .int32(let value) = self { value } else { nil } }
  public var timestampValue: Date? { if case .timestamp(let value) = self { value } else { nil } }
  public var int64Value: Int64? { if case .int64(let value) = self { value } else { nil } }
  public var decimal128Value: Decimal128? { if case .decimal128(let value) = self { value } else { nil } }
  public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
  public var isNull: Bool { self == .null }

  /// The value if it is of type `Value`, else nil.
  public func value<Value: BSON>() -> Value? {
    switch self {
    case .double(let value): value as? Value
    case .string(let value): value as? Value
    case .document(let value): value as? Value
    case .array(let value): value as? Value
    case .binary(let value): value as? Value
    case .objectId(let value): value as? Value
    case .bool(let value): value as? Value
    case .datetime(let value), .timestamp(let value): value as? Value
    case .regex(let value): value as? Value
    case .int32(let value): value as? Value
    case .int64(let value): value as? Value ?? Int(exactly: value) as? Value
    case .decimal128(let value): value as? Value
    case .uuid(let value): value as? Value
    case .minKey, .maxKey, .null: nil
    }
  }
}

// Conversions between number types, nil where they would lose anything.
extension AnyBSON {
  public func asInt() -> Int? { asInt64().flatMap(Int.init(exactly:)) }

  public func asInt32() -> Int32? { asInt64().flatMap(Int32.init(exactly:)) }

  public func asInt64() -> Int64? {
    switch self {
    case .int32(let value): Int64(value)
    case .int64(let value): value
    case .double(let value): Int64(exactly: value)
    default: nil
    }
  }

  public func asDouble() -> Double? {
    if case .double(let value) = self { return value }
    return asInt64().flatMap(Double.init(exactly:))
  }

  public func asDecimal128() -> Decimal128? {
    switch self {
    case .decimal128(let value): value
    case .double(let value): Decimal128(value)
    default: asInt64().map { Decimal128($0) }
    }
  }
}
