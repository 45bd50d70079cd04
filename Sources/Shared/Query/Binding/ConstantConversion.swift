// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Converts constants to the type that they are compared with (QueryLanguage §4).
///
/// After conversion, equal constants have the same form: compared with an int, a whole double becomes an int;
/// compared with a double, a float or decimal becomes a double. Printing a predicate and parsing it again therefore
/// yields the same tree.
enum ConstantConversion {
  static func convert(_ value: Value, to type: ValueType?) -> Value {
    guard let type else { return value }
    switch value.normalized {
    case .string(let text) where type.isNumeric:
      return number(text, for: type).map { convert($0, to: type) } ?? value
    case .int(let int): return convert(int, to: type)
    case .float(let float) where type == .float: return .float(float)
    case .float(let float): return convert(Double(float), to: type)
    case .double(let double): return convert(double, to: type)
    case .decimal(let decimal) where type != .decimal: return convert(decimal.doubleValue, to: type)
    case let normalized: return normalized
    }
  }

  private static func convert(_ int: Int64, to type: ValueType) -> Value {
    switch type {
    case .float: .float(Float(int))
    case .double: .double(Double(int))
    case .decimal: .decimal(Decimal128(int))
    default: .int(int)
    }
  }

  private static func convert(_ double: Double, to type: ValueType) -> Value {
    switch type {
    case .float: .float(Float(double))
    case .decimal: .decimal(Decimal128(double))
    case .int: Int64(exactly: double).map { .int($0) } ?? .double(double)
    default: .double(double)
    }
  }

  private static func number(_ text: String, for type: ValueType) -> Value? {
    switch type {
    case .decimal: Decimal128(number: text).map { .decimal($0) }
    case .int: Int64(text).map { .int($0) }
    default: Double(text).map { .double($0) }
    }
  }
}

/// Parses number tokens.
enum NumberText {
  static func value(_ kind: Token.Kind, _ text: String, for type: ValueType?) throws(QueryError) -> Value {
    switch kind {
    case .infinity:
      try requireInfinity(type)
      let infinity = text.hasPrefix("-") ? -Double.infinity : Double.infinity
      return ConstantConversion.convert(.double(infinity), to: type)
    case .notANumber:
      if let type, !type.isNumeric, type != .mixed { throw .query("NaN not supported for \(type)") }
      return ConstantConversion.convert(.double(.nan), to: type)
    case .float: return try float(text, for: type)
    default:
      if type == .decimal, let decimal = Decimal128(number: text) { return .decimal(decimal) }
      return ConstantConversion.convert(.int(integer(text)), to: type)
    }
  }

  private static func requireInfinity(_ type: ValueType?) throws(QueryError) {
    if let type, !type.knowsInfinity { throw .query("Infinity not supported for \(type)") }
  }

  /// Parses a fraction. The suffix f first rounds to single precision; a decimal keeps the digits as written.
  private static func float(_ text: String, for type: ValueType?) throws(QueryError) -> Value {
    let isSingle = text.hasSuffix("f")
    let digits = isSingle ? String(text.dropLast()) : text
    if type == .decimal, let decimal = Decimal128(number: digits) { return .decimal(decimal) }
    if isSingle || type == .float, let float = Float(digits) {
      if float.isInfinite { try requireInfinity(type) }
      return ConstantConversion.convert(.float(float), to: type)
    }
    guard let double = Double(digits) else { throw .query("'\(text)' is not a number") }
    if double.isInfinite { try requireInfinity(type) }
    return ConstantConversion.convert(.double(double), to: type)
  }

  /// Parses decimal digits, hexadecimal after 0x, or octal after any other leading 0. A number beyond 64 bits becomes
  /// the nearest integer.
  private static func integer(_ text: String) -> Int64 {
    let isNegative = text.hasPrefix("-")
    let digits = text.drop { $0 == "-" || $0 == "+" }
    let saturated = isNegative ? Int64.min : Int64.max
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
      return Int64(digits.dropFirst(2), radix: 16) ?? saturated
    }
    let isOctal = digits.count > 1 && digits.hasPrefix("0")
    let octalDigits = digits.prefix { $0 < "8" }
    let magnitude = isOctal ? octalDigits : digits
    return Int64((isNegative ? "-" : "") + magnitude, radix: isOctal ? 8 : 10) ?? saturated
  }
}

extension ValueType {
  /// Whether the type can be compared with an infinite literal.
  var knowsInfinity: Bool { isNumeric && self != .int || self == .mixed }
}

extension Value {
  /// The value with not-a-number and infinite decimals, which have many representations but only one text, replaced
  /// by a single representation.
  fileprivate var normalized: Value {
    switch self {
    case .float(let float) where float.isNaN: .float(.nan)
    case .double(let double) where double.isNaN: .double(.nan)
    case .decimal(let decimal) where decimal.isNaN: .decimal(.notANumber)
    case .decimal(let decimal) where decimal.isInfinite: .decimal(.infinity(isNegative: decimal.isNegative))
    default: self
    }
  }
}
