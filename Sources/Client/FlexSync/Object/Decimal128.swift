// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A decimal number of up to 34 digits, with exponents from −6176 to 6111: IEEE 754 decimal128.
///
/// Numbers are equal if they have the same value, regardless of their digits: 1.0 equals 1.00. Not-a-number equals
/// itself and is less than every other number, as in queries. Results of arithmetic are rounded half to even.
public struct Decimal128: Sendable {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Zero.
  public init() { self = 0 }

  /// Parses a number such as "-12.50" or "1.5E-3", "inf" or "nan".
  ///
  /// - Throws: `Realm.Error` with code `invalidInput` for any other text.
  public init(string: String) throws {
    guard let decimal = Decimal128(string) else {
      throw Realm.Error(code: .invalidInput, message: "'\(string)' is not a decimal number")
    }
    self = decimal
  }

  /// Converts a text, as `init(string:)` parses it, or an integer, floating-point number or decimal; `NSNull` becomes
  /// not-a-number. Stops the program for anything else.
  public init(value: Any) {
    guard !(value is NSNull) else {
      self = .notANumber
      return
    }
    guard let decimal = Decimal128._convert(value) else {
      Misuse.stop("Cannot convert value '\(value)' of type '\(type(of: value))' to decimal128")
    }
    self = decimal
  }

  /// Converts a number.
  public init(number: NSNumber) { self.init(value: plainNumber(number)) }

  /// Parses a number as `init(string:)` does; nil for any other text.
  public init?(_ text: String) {
    guard let decimal = Decimal128.parse(text) else { return nil }
    self = decimal
  }

  /// Converts an integer; one of more than 34 digits loses the last ones.
  public init(_ integer: some BinaryInteger) { self = Decimal128("\(integer)") ?? 0 }

  /// Creates the decimal with the fewest digits that identifies the number.
  public init(_ number: some BinaryFloatingPoint & CustomStringConvertible) {
    self = Decimal128(number.description) ?? 0
  }

  /// The shortest text that parses back to the same digits and exponent.
  public var stringValue: String { formatted }

  /// The nearest double.
  public var doubleValue: Double { Double(stringValue) ?? .nan }

  /// Whether this is not-a-number.
  public var isNaN: Bool { order(to: .notANumber) == 0 }

  /// Whether this is not-a-number.
  public var isSignaling: Bool { isNaN }

  /// Whether this is not-a-number.
  public var isSignalingNaN: Bool { isNaN }

  /// The smallest finite number.
  public static let min = literal("-9999999999999999999999999999999999E6111")

  /// The greatest finite number.
  public static let max = literal("9999999999999999999999999999999999E6111")

  private static let notANumber = literal("nan")

  fileprivate static func literal(_ text: String) -> Decimal128 {
    guard let decimal = Decimal128(text) else { Misuse.stop("'\(text)' is not a decimal number") }
    return decimal
  }
}

extension Decimal128: Comparable, Hashable {
  public static func == (left: Decimal128, right: Decimal128) -> Bool {
    left.order(to: right) == 0
  }

  public static func < (left: Decimal128, right: Decimal128) -> Bool {
    left.order(to: right) < 0
  }

  /// Equal numbers have the same nearest double.
  public func hash(into hasher: inout Hasher) {
    let double = doubleValue
    hasher.combine(double.isNaN ? .nan : double == 0 ? 0 : double)
  }
}

extension Decimal128: SignedNumeric {
  public init?<Source: BinaryInteger>(exactly source: Source) { self.init("\(source)") }

  /// The number without its sign.
  public var magnitude: Decimal128 { self < 0 ? 0 - self : self }

  public static func + (left: Decimal128, right: Decimal128) -> Decimal128 {
    left.adding(right)
  }

  public static func - (left: Decimal128, right: Decimal128) -> Decimal128 {
    left.subtracting(right)
  }

  public static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
    left.multiplied(by: right)
  }

  /// The quotient. Division by zero yields an infinity, or not-a-number for zero by zero.
  public static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
    left.divided(by: right)
  }

  public static func *= (left: inout Decimal128, right: Decimal128) { left = left * right }
  public static func /= (left: inout Decimal128, right: Decimal128) { left = left / right }
  public static prefix func - (number: Decimal128) -> Decimal128 { 0 - number }
}

extension Decimal128: Strideable {
  public func distance(to other: Decimal128) -> Decimal128 { other - self }
  public func advanced(by distance: Decimal128) -> Decimal128 { self + distance }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
  public init(integerLiteral value: Int64) { self = Decimal128.literal("\(value)") }
  public init(floatLiteral value: Double) { self = Decimal128.literal(value.description) }
  public init(stringLiteral value: String) { self = Decimal128.literal(value) }
}

extension Decimal128: CustomStringConvertible, Codable {
  /// The number as the Realm Swift SDK writes it: without zeros at the end of a fraction, and with an exponent if there is
  /// no other way to have a digit that is not zero before the point, as in 12.5, 3E-1 and 1.5E10.
  public var description: String { Decimal128.normalized(formatted) }

  private static func normalized(_ text: String) -> String {
    let parts = text.drop { $0 == "-" }.split(separator: "E")
    let number = parts[0].split(separator: ".")
    // Infinities and not-a-number.
    guard number.joined().allSatisfy(\.isNumber) else { return text }
    let digits = String(number.joined().drop { $0 == "0" })
    guard !digits.isEmpty else { return "0" }
    var exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    if number.count > 1 { exponent -= number[1].count }
    // The digits behind the point.
    let behind = exponent == 0 ? 0 : exponent > 0 ? digits.count - 1 : Swift.min(digits.count - 1, -exponent)
    exponent += behind
    var fraction = digits.suffix(behind)
    while fraction.last == "0" { fraction.removeLast() }
    let whole = (text.hasPrefix("-") ? "-" : "") + digits.dropLast(behind)
    return whole + (fraction.isEmpty ? "" : ".\(fraction)") + (exponent == 0 ? "" : "E\(exponent)")
  }

  /// Decodes a text or a number.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      try self.init(string: text)
    } else if let integer = try? container.decode(Int64.self) {
      self.init(integer)
    } else {
      self.init(try container.decode(Double.self))
    }
  }

  /// Encodes the text of the description.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Decimal128: RealmCollectionValue {
  public static var _propertyType: _PropertyType { .decimal }
  public static func _defaultValue() -> Decimal128 { 0 }
  public static var _isDefaultOfNewRow: Bool { true }

  public static func _convert(_ value: Any) -> Decimal128? {
    switch plainNumber(value) {
    case let decimal as Decimal128: decimal
    case let text as String: Decimal128(text)
    case let integer as any BinaryInteger: Decimal128(integer)
    case let number as any BinaryFloatingPoint & CustomStringConvertible: Decimal128(number.description)
    default: nil
    }
  }

  public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> Decimal128 {
    value.decimal
  }

  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    body(.decimal(self))
  }
}

extension Decimal128: _QueryNumeric {}
