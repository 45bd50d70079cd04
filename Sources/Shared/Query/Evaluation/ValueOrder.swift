// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The order of values by number, bytes or time.
enum ValueOrder {
  /// Returns a negative number, zero or a positive number; nil if the values do not compare because of different
  /// types, null, or floating-point not-a-number.
  static func compare(_ left: Value, _ right: Value) -> Int? {
    switch (left, right) {
    case (.int(let left), .int(let right)): order(left, right)
    case (.string(let left), .string(let right)): UTF8Order.compare(left, right)
    case (.bool(let left), .bool(let right)): (left ? 1 : 0) - (right ? 1 : 0)
    case (.timestamp(let left), .timestamp(let right)): order(left, right)
    case (.objectId(let left), .objectId(let right)): order(left, right)
    case (.uuid(let left), .uuid(let right)): order(left, right)
    case (.binary(let left), .binary(let right)): order(left, right)
    case (.link(let left), .link(let right)): left == right ? 0 : nil
    case (.malformedString, _), (_, .malformedString): strings(left, right)
    default: numbers(left, right)
    }
  }

  /// Compares strings with bytes, for comparisons in which one of them comes from a mixed value. They are never
  /// equal.
  static func compareTextWithBytes(_ left: Value, _ right: Value) -> Int? {
    guard let left = left.textBytes, let right = right.textBytes, left.isString != right.isString else {
      return nil
    }
    let byBytes = order(left.bytes, right.bytes)
    return byBytes != 0 ? byBytes : left.isString ? -1 : 1
  }

  private static func order<Element: Comparable>(_ left: Element, _ right: Element) -> Int {
    left == right ? 0 : left < right ? -1 : 1
  }

  static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  private static func strings(_ left: Value, _ right: Value) -> Int? {
    guard let left = left.textBytes, let right = right.textBytes, left.isString, right.isString else {
      return nil
    }
    return order(left.bytes, right.bytes)
  }

  private static func numbers(_ left: Value, _ right: Value) -> Int? {
    if case .decimal(let left) = left { return decimal(of: right).map { left.numericOrder(to: $0) } }
    if case .decimal(let right) = right { return decimal(of: left).map { $0.numericOrder(to: right) } }
    switch (left, right) {
    case (.int(let left), _): return double(of: right).flatMap { compare(left, $0) }
    case (_, .int(let right)): return double(of: left).flatMap { compare(right, $0) }.map { -$0 }
    default:
      guard let left = double(of: left), let right = double(of: right), !left.isNaN, !right.isNaN else {
        return nil
      }
      return order(left, right)
    }
  }

  /// Exact even for an integer that a double cannot represent.
  private static func compare(_ int: Int64, _ double: Double) -> Int? {
    if double.isNaN { return nil }
    if double >= 0x1p63 { return -1 }
    if double < -0x1p63 { return 1 }
    let whole = Int64(double)
    if int != whole { return int < whole ? -1 : 1 }
    return order(Double(whole), double)
  }

  private static func double(of value: Value) -> Double? {
    switch value {
    case .float(let float): Double(float)
    case .double(let double): double
    default: nil
    }
  }

  static func decimal(of value: Value) -> Decimal128? {
    switch value {
    case .decimal(let decimal): decimal
    case .int(let int): Decimal128(int)
    case .float(let float): Decimal128(number: float.description)
    case .double(let double): Decimal128(double)
    default: nil
    }
  }
}

extension Value {
  var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The bytes of a string or binary value.
  var textBytes: (bytes: [UInt8], isString: Bool)? {
    switch self {
    case .string(let string): (Array(string.utf8), true)
    case .malformedString(let bytes): (bytes, true)
    case .binary(let bytes): (bytes, false)
    default: nil
    }
  }
}
