// SPDX-License-Identifier: Apache-2.0

/// The value of a property or of an element of a collection.
///
/// All except the last two cases are scalars, as carried on the wire (protocol §6.4). `list` and `dictionary` occur
/// only in properties and elements of type mixed. The wire builds them step by step and never carries one as a value.
///
/// `==` and hashing compare the representation bit by bit: not-a-number equals itself, and −0.0 differs from 0.0.
/// Numeric comparison across types is left to the query evaluator.
public enum Value: Sendable {
  case null
  case int(Int64)
  case bool(Bool)
  case string(String)
  /// A string whose bytes are not valid UTF-8. No application writes one, but other peers may, and it must be
  /// preserved.
  case malformedString([UInt8])
  case binary([UInt8])
  case timestamp(Timestamp)
  case float(Float)
  case double(Double)
  case decimal(Decimal128)
  indirect case link(Link)
  case objectId(ObjectId)
  case uuid(UUIDValue)
  /// A list nested in a mixed value.
  case list([Value])
  /// A dictionary nested in a mixed value, sorted by the bytes of its keys and without duplicate keys.
  case dictionary([DictionaryEntry])
}

/// One entry of a dictionary. Keys are compared by their bytes.
public struct DictionaryEntry: Sendable {
  public var key: String
  public var value: Value

  public init(_ key: String, _ value: Value) {
    self.key = key
    self.value = value
  }
}

extension DictionaryEntry: Hashable {
  public static func == (left: DictionaryEntry, right: DictionaryEntry) -> Bool {
    UTF8Order.areEqual(left.key, right.key) && left.value == right.value
  }

  public func hash(into hasher: inout Hasher) {
    UTF8Order.hash(key, into: &hasher)
    hasher.combine(value)
  }
}

extension Value: Hashable {
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.int(let left), .int(let right)): left == right
    case (.bool(let left), .bool(let right)): left == right
    case (.string(let left), .string(let right)): UTF8Order.areEqual(left, right)
    case (.malformedString(let left), .malformedString(let right)): left == right
    case (.binary(let left), .binary(let right)): left == right
    case (.timestamp(let left), .timestamp(let right)): left == right
    case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.decimal(let left), .decimal(let right)): left == right
    case (.link(let left), .link(let right)): left == right
    case (.objectId(let left), .objectId(let right)): left == right
    case (.uuid(let left), .uuid(let right)): left == right
    case (.list(let left), .list(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)): left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    switch self {
    case .null: break
    case .int(let value): hasher.combine(value)
    case .bool(let value): hasher.combine(value)
    case .string(let value): UTF8Order.hash(value, into: &hasher)
    case .malformedString(let value), .binary(let value): hasher.combine(value)
    case .timestamp(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value.bitPattern)
    case .double(let value): hasher.combine(value.bitPattern)
    case .decimal(let value): hasher.combine(value)
    case .link(let value): hasher.combine(value)
    case .objectId(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .list(let elements): hasher.combine(elements)
    case .dictionary(let entries): hasher.combine(entries)
    }
  }
}

extension ValueType {
  /// The value in a new object of a property that cannot be null; null for types whose properties always can.
  package var zero: Value {
    switch self {
    case .int: .int(0)
    case .bool: .bool(false)
    case .string: .string("")
    case .binary: .binary([])
    case .timestamp: .timestamp(.epoch)
    case .float: .float(0)
    case .double: .double(0)
    case .decimal: .decimal(.zero)
    case .objectId: .objectId(ObjectId(high: 0, low: 0))
    case .uuid: .uuid(UUIDValue(high: 0, low: 0))
    case .link, .mixed: .null
    }
  }
}

extension Value {
  /// The type of a scalar; nil for null; mixed for collections, which only a mixed value can contain.
  public var type: ValueType? {
    switch self {
    case .null: nil
    case .int: .int
    case .bool: .bool
    case .string, .malformedString: .string
    case .binary: .binary
    case .timestamp: .timestamp
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .link: .link
    case .objectId: .objectId
    case .uuid: .uuid
    case .list, .dictionary: .mixed
    }
  }

  /// Whether the value is a collection nested in a mixed value.
  public var isCollection: Bool {
    switch self {
    case .list, .dictionary: true
    default: false
    }
  }
}

/// A reference to an object by class name and primary key.
///
/// The object need not exist where the reference is stored: it may be outside a client's view (protocol §4.8).
public struct Link: Hashable, Sendable {
  public var className: String
  public var key: PrimaryKey

  public init(className: String, key: PrimaryKey) {
    self.className = className
    self.key = key
  }
}

extension Link {
  /// In a query, a link to an object that is in no store: it equals neither another link nor null.
  public static func nowhere(_ className: String) -> Link {
    Link(className: className, key: .globalKey(high: .max, low: .max))
  }

  public var leadsNowhere: Bool { key == .globalKey(high: .max, low: .max) }
}

/// The identity of an object within its class (protocol §6.3).
public enum PrimaryKey: Sendable {
  case null
  case int(Int64)
  case string(String)
  case objectId(ObjectId)
  case uuid(UUIDValue)
  /// The key of an object in a class without a primary key. Occurs only on the wire; no synced class is stored this
  /// way.
  case globalKey(high: UInt64, low: UInt64)
}

extension PrimaryKey: Hashable {
  /// Compares string keys by their bytes.
  public static func == (left: PrimaryKey, right: PrimaryKey) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.int(let left), .int(let right)): left == right
    case (.string(let left), .string(let right)): UTF8Order.areEqual(left, right)
    case (.objectId(let left), .objectId(let right)): left == right
    case (.uuid(let left), .uuid(let right)): left == right
    case (.globalKey(let leftHigh, let leftLow), .globalKey(let rightHigh, let rightLow)):
      leftHigh == rightHigh && leftLow == rightLow
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .int(let value): hasher.combine(value)
    case .string(let value): UTF8Order.hash(value, into: &hasher)
    case .objectId(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .globalKey(let high, let low):
      hasher.combine(high)
      hasher.combine(low)
    }
  }
}

extension PrimaryKey {
  /// The key as a property value; nil for a global key, which cannot be one.
  public var value: Value? {
    switch self {
    case .null: .null
    case .int(let value): .int(value)
    case .string(let value): .string(value)
    case .objectId(let value): .objectId(value)
    case .uuid(let value): .uuid(value)
    case .globalKey: nil
    }
  }

  /// Creates the key from a property value, or returns nil for types that cannot be a primary key.
  public init?(_ value: Value) {
    switch value {
    case .null: self = .null
    case .int(let value): self = .int(value)
    case .string(let value): self = .string(value)
    case .objectId(let value): self = .objectId(value)
    case .uuid(let value): self = .uuid(value)
    default: return nil
    }
  }
}

extension PrimaryKey: CustomStringConvertible {
  /// The literal used in messages about rejected writes: `123456`, `"short"`, `ObjectID("…")`, `UUID(…)`.
  public var description: String {
    switch self {
    case .null: "null"
    case .int(let value): String(value)
    case .string(let value): "\"\(value)\""
    case .objectId(let value): "ObjectID(\"\(value)\")"
    case .uuid(let value): "UUID(\(value))"
    case .globalKey(let high, let low): "{\(String(high, radix: 16))-\(String(low, radix: 16))}"
    }
  }
}

extension PrimaryKey {
  /// The key without quotes and type, as used in messages about rejected writes.
  public var bareText: String {
    switch self {
    case .null, .int, .globalKey: description
    case .string(let text): text
    case .objectId(let value): value.description
    case .uuid(let value): value.description
    }
  }
}
