// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Comparison of two values with the reference's rules for types and nulls (rql §4 and §5).
struct ValueComparison {
  let symbol: Comparison.Operator
  let ignoresCase: Bool
  /// A text property of the object itself against a constant. Only there null sorts below every string, and
  /// everything contains, begins and ends with null (rql §5).
  let isPlainText: Bool
  let nullSortsFirst: Bool

  init(_ comparison: Comparison) {
    symbol = comparison.operator
    ignoresCase = comparison.ignoresCase
    isPlainText = comparison.isPlainText
    nullSortsFirst = comparison.nullSortsFirst
  }

  func holds(_ left: Value, _ right: Value) -> Bool {
    switch symbol {
    case .equal: return areEqual(left, right)
    case .notEqual: return !areEqual(left, right)
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return isOrdered(left, right)
    case .beginsWith, .endsWith, .contains: return isPart(left, right)
    case .like: return isLike(left, right)
    }
  }

  private func areEqual(_ left: Value, _ right: Value) -> Bool {
    if left == .null || right == .null { return left == right }
    if ignoresCase, let left = left.textBytes, let right = right.textBytes, left.isString == right.isString {
      return TextMatching.equalsIgnoringCase(left.bytes, right.bytes)
    }
    return ValueOrder.compare(left, right) == 0
  }

  private func isOrdered(_ left: Value, _ right: Value) -> Bool {
    if left == .null || right == .null { return isOrderedWithNull(left, right) }
    guard let order = ValueOrder.compare(left, right) else { return false }
    switch symbol {
    case .less: return order < 0
    case .lessOrEqual: return order <= 0
    case .greater: return order > 0
    default: return order >= 0
    }
  }

  private func isOrderedWithNull(_ left: Value, _ right: Value) -> Bool {
    if left == right { return symbol == .lessOrEqual || symbol == .greaterOrEqual }
    guard nullSortsFirst else { return false }
    let isBelow = left == .null
    return isBelow == (symbol == .less || symbol == .lessOrEqual)
  }

  private func isPart(_ left: Value, _ right: Value) -> Bool {
    if right == .null { return isPlainText || symbol == .contains && left != .null }
    guard let text = left.textBytes, let part = right.textBytes, text.isString == part.isString else {
      return false
    }
    switch (symbol, ignoresCase) {
    case (.beginsWith, false): return text.bytes.starts(with: part.bytes)
    case (.endsWith, false): return text.bytes.reversed().starts(with: part.bytes.reversed())
    case (.contains, false): return TextMatching.contains(text.bytes, part.bytes)
    case (.beginsWith, true): return TextMatching.beginsIgnoringCase(text.bytes, part.bytes)
    case (.endsWith, true): return TextMatching.endsIgnoringCase(text.bytes, part.bytes)
    default: return TextMatching.containsIgnoringCase(text.bytes, part.bytes)
    }
  }

  private func isLike(_ left: Value, _ right: Value) -> Bool {
    if left == .null || right == .null { return left == right }
    guard let text = left.textBytes, let pattern = right.textBytes, text.isString == pattern.isString else {
      return false
    }
    return TextMatching.isLike(text.bytes, pattern.bytes, ignoresCase: ignoresCase)
  }
}

extension Comparison {
  var isPlainText: Bool {
    guard case .path(let path) = left, path.type == .string || path.type == .binary, path.links.isEmpty,
      !path.isMultiple, case .constant = right
    else { return false }
    return true
  }

  /// Whether null sorts below the constant on the right: strings only, bytes do not compare with null.
  var nullSortsFirst: Bool {
    guard case .path(let path) = left, path.type == .string, case .constant(let constant) = right else {
      return false
    }
    return isPlainText && constant != .null
  }
}

/// Order of values by their number, bytes or time.
enum ValueOrder {
  /// Negative, zero or positive; nil if the values do not compare: other types, null, or floating-point
  /// not-a-number.
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
    if case .decimal(let left) = left { return decimal(of: right).map { DecimalNumber.compare(left, $0) } }
    if case .decimal(let right) = right { return decimal(of: left).map { DecimalNumber.compare($0, right) } }
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

  /// Exact also where a double cannot hold the integer.
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
    case .int(let int): DecimalNumber.decimal(int)
    case .float(let float): DecimalNumber.parse(float.description)
    case .double(let double): DecimalNumber.decimal(double)
    default: nil
    }
  }
}

extension Value {
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
