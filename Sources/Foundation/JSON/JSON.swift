// SPDX-License-Identifier: Apache-2.0

/// A JSON value. Objects keep the order of their members.
public enum JSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case string(String)
  case array([JSON])
  case object([Member])

  /// A name and value in an object.
  public struct Member: Sendable {
    public var name: String
    public var value: JSON

    public init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }
}

extension JSON {
  /// The value of the member with the given name, or nil if this is not an object or has no such member.
  public subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The number if it is written without a fraction and exponent.
  public var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }

  /// The number, regardless of its notation.
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  public var arrayValue: [JSON]? { if case .array(let value) = self { value } else { nil } }

  public var objectValue: [Member]? { if case .object(let value) = self { value } else { nil } }

  /// Whether more than `levels` arrays and objects are nested within one another.
  public func isNested(deeperThan levels: Int) -> Bool {
    switch self {
    case .array(let elements): levels == 0 || elements.contains { $0.isNested(deeperThan: levels - 1) }
    case .object(let members): levels == 0 || members.contains { $0.value.isNested(deeperThan: levels - 1) }
    default: false
    }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByNilLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
  public init(nilLiteral: ()) { self = .null }
}
