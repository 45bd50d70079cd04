// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A database document: the form of a user's custom data, profile and function payloads.
public typealias Document = [String: AnyBSON?]

/// One value of a `Document`.
public enum AnyBSON: Hashable, Sendable {
  case double(Double)
  case string(String)
  indirect case document(Document)
  indirect case array([AnyBSON?])
  case binary(Data)
  case objectId(ObjectId)
  case bool(Bool)
  case datetime(Date)
  case regex(NSRegularExpression)
  case int32(Int32)
  /// A time that a database uses to order its operations, to the second. An app's dates are `datetime`s.
  case timestamp(Date)
  case int64(Int64)
  case decimal128(Decimal128)
  case uuid(UUID)
  /// Less than every other value.
  case minKey
  /// Greater than every other value.
  case maxKey
  case null

  /// Creates an `int64`.
  public init(_ int: Int) { self = .int64(Int64(int)) }

  /// Creates a value from one of the types that a document can hold.
  public init(_ value: some BSON) {
    self =
      switch value {
      case let value as Int: .int64(Int64(value))
      case let value as Int32: .int32(value)
      case let value as Int64: .int64(value)
      case let value as Bool: .bool(value)
      case let value as Double: .double(value)
      case let value as String: .string(value)
      case let value as Data: .binary(value)
      case let value as Date: .datetime(value)
      case let value as Decimal128: .decimal128(value)
      case let value as ObjectId: .objectId(value)
      case let value as UUID: .uuid(value)
      case let value as NSRegularExpression: .regex(value)
      case let value as Document: .document(value)
      case let value as [AnyBSON?]: .array(value)
      case let value as AnyBSON: value
      default: .null
      }
  }
}

/// A type whose values can be in a `Document`.
public protocol BSON: Equatable {}

extension Int: BSON {}
extension Int32: BSON {}
extension Int64: BSON {}
extension Bool: BSON {}
extension Double: BSON {}
extension String: BSON {}
extension Data: BSON {}
extension Date: BSON {}
extension Decimal128: BSON {}
extension ObjectId: BSON {}
extension UUID: BSON {}
extension NSNull: BSON {}
extension NSRegularExpression: BSON {}
extension Dictionary: BSON where Key == String, Value == AnyBSON? {}
extension Array: BSON where Element == AnyBSON? {}
extension AnyBSON: BSON {}

extension AnyBSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self.init(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(arrayLiteral elements: AnyBSON?...) { self = .array(elements) }

  public init(dictionaryLiteral elements: (String, AnyBSON?)...) {
    self = .document(Document(elements, uniquingKeysWith: { _, last in last }))
  }
}
