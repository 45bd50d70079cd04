// SPDX-License-Identifier: Apache-2.0

/// Parses, prints and compares decimals as numbers. `Decimal128` itself compares representations.
enum DecimalNumber {
  static let infinityExponent: Int32 = 9184
  static let notANumberExponent: Int32 = 9696
  static let maximumDigits = 34

  static func isNaN(_ decimal: Decimal128) -> Bool { decimal.exponent >= notANumberExponent }

  static func isInfinite(_ decimal: Decimal128) -> Bool {
    decimal.exponent >= infinityExponent && decimal.exponent < notANumberExponent
  }

  static func coefficient(_ decimal: Decimal128) -> UInt128 {
    UInt128(decimal.coefficientHigh) << 64 | UInt128(decimal.coefficientLow)
  }

  static func decimal(_ coefficient: UInt128, exponent: Int32, isNegative: Bool) -> Decimal128 {
    Decimal128(
      coefficientHigh: UInt64(coefficient >> 64),
      coefficientLow: UInt64(truncatingIfNeeded: coefficient),
      exponent: exponent,
      isNegative: isNegative
    )
  }

  static func decimal(_ int: Int64) -> Decimal128 {
    decimal(UInt128(int.magnitude), exponent: 0, isNegative: int < 0)
  }

  /// Returns the decimal with the fewest digits that represents the double.
  static func decimal(_ double: Double) -> Decimal128 {
    if double.isNaN { return decimal(0, exponent: notANumberExponent, isNegative: false) }
    if double.isInfinite { return decimal(0, exponent: infinityExponent, isNegative: double < 0) }
    if let int = Int64(exactly: double), !(double == 0 && double.sign == .minus) { return decimal(int) }
    return parse(double.description) ?? .zero
  }

  static func double(_ decimal: Decimal128) -> Double {
    Double(text(decimal)) ?? .nan
  }

  /// Parses `[+-]digits[.digits][e[+-]digits]`, `inf` or `nan`. Returns nil for anything else and for numbers out of
  /// range.
  static func parse(_ text: String) -> Decimal128? {
    let isNegative = text.hasPrefix("-")
    let body = text.drop { $0 == "-" || $0 == "+" }.lowercased()
    if body == "nan" { return decimal(0, exponent: notANumberExponent, isNegative: false) }
    if body == "inf" || body == "infinity" {
      return decimal(0, exponent: infinityExponent, isNegative: isNegative)
    }
    let halves = body.split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
    guard let mantissa = halves.first else { return nil }
    var exponent: Int32 = 0
    if halves.count > 1 {
      guard let written = Int32(halves[1]), written.magnitude < 100_000 else { return nil }
      exponent = written
    }
    guard let (coefficient, shift) = digits(mantissa) else { return nil }
    exponent += shift
    guard (-6176...6111).contains(exponent) else { return coefficient == 0 ? .zero : nil }
    return decimal(coefficient, exponent: exponent, isNegative: isNegative)
  }

  /// Returns the digits as an integer, and the matching exponent. Digits beyond the 34th are truncated.
  private static func digits(_ mantissa: Substring) -> (UInt128, Int32)? {
    let parts = mantissa.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first else { return nil }
    let fraction = parts.count > 1 ? parts[1] : ""
    guard !(whole.isEmpty && fraction.isEmpty), mantissa.utf8.count < 100_000 else { return nil }
    var coefficient: UInt128 = 0
    var exponent = -Int32(fraction.utf8.count)
    var count = 0
    for byte in (whole + fraction).utf8 {
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      if count >= maximumDigits {
        exponent += 1
        continue
      }
      coefficient = coefficient * 10 + UInt128(digit)
      if coefficient > 0 { count += 1 }
    }
    return (coefficient, exponent)
  }

  /// Returns the shortest text that can be parsed to the same representation.
  static func text(_ decimal: Decimal128) -> String {
    if isNaN(decimal) { return "nan" }
    let sign = decimal.isNegative ? "-" : ""
    if isInfinite(decimal) { return sign + "inf" }
    let digits = String(coefficient(decimal))
    let exponent = Int(decimal.exponent)
    if exponent == 0 { return sign + digits }
    guard exponent < 0, digits.utf8.count + exponent > -6 else { return "\(sign)\(digits)E\(exponent)" }
    let padded = String(repeating: "0", count: max(0, 1 - digits.utf8.count - exponent)) + digits
    return "\(sign)\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
  }

  /// Returns a negative number, zero or a positive number. Not-a-number sorts below everything.
  static func compare(_ left: Decimal128, _ right: Decimal128) -> Int {
    if isNaN(left) || isNaN(right) { return (isNaN(left) ? 0 : 1) - (isNaN(right) ? 0 : 1) }
    let (leftSign, rightSign) = (sign(left), sign(right))
    guard leftSign == rightSign, leftSign != 0 else { return leftSign - rightSign }
    return leftSign * compareMagnitudes(left, right)
  }

  private static func sign(_ decimal: Decimal128) -> Int {
    if !isInfinite(decimal) && coefficient(decimal) == 0 { return 0 }
    return decimal.isNegative ? -1 : 1
  }

  private static func compareMagnitudes(_ left: Decimal128, _ right: Decimal128) -> Int {
    if isInfinite(left) || isInfinite(right) {
      return (isInfinite(left) ? 1 : 0) - (isInfinite(right) ? 1 : 0)
    }
    var (leftDigits, rightDigits) = (coefficient(left), coefficient(right))
    let leftScale = digitCount(leftDigits) + Int(left.exponent)
    let rightScale = digitCount(rightDigits) + Int(right.exponent)
    guard leftScale == rightScale else { return leftScale < rightScale ? -1 : 1 }
    // The scales are equal here. After the loops, both numbers have the same number of digits, so no product
    // overflows.
    for _ in stride(from: Int(left.exponent), to: Int(right.exponent), by: -1) { leftDigits *= 10 }
    for _ in stride(from: Int(right.exponent), to: Int(left.exponent), by: -1) { rightDigits *= 10 }
    return leftDigits == rightDigits ? 0 : leftDigits < rightDigits ? -1 : 1
  }

  private static func digitCount(_ coefficient: UInt128) -> Int {
    var count = 1
    var rest = coefficient / 10
    while rest > 0 {
      count += 1
      rest /= 10
    }
    return count
  }
}
