// SPDX-License-Identifier: Apache-2.0

/// Parses, prints and compares decimals as numbers. `==` compares representations.
extension Decimal128 {
  private static let infinityExponent: Int32 = 9184
  private static let notANumberExponent: Int32 = 9696
  static let maximumDigits = 34

  init(_ coefficient: UInt128, exponent: Int32, isNegative: Bool) {
    self.init(
      coefficientHigh: UInt64(coefficient >> 64),
      coefficientLow: UInt64(truncatingIfNeeded: coefficient),
      exponent: exponent,
      isNegative: isNegative
    )
  }

  /// Creates a decimal from an integer.
  public init(_ integer: Int64) {
    self.init(UInt128(integer.magnitude), exponent: 0, isNegative: integer < 0)
  }

  /// Creates the decimal with the fewest digits that represents the double.
  public init(_ double: Double) {
    if double.isNaN {
      self = .notANumber
    } else if double.isInfinite {
      self = .infinity(isNegative: double < 0)
    } else if let integer = Int64(exactly: double), !(double == 0 && double.sign == .minus) {
      self.init(integer)
    } else {
      self = Self.parse(double.description) ?? .zero
    }
  }

  /// Not-a-number in the representation that calculations return.
  public static let notANumber = Decimal128(0, exponent: notANumberExponent, isNegative: false)

  /// Returns positive or negative infinity in the representation that calculations return.
  public static func infinity(isNegative: Bool) -> Decimal128 {
    Decimal128(0, exponent: infinityExponent, isNegative: isNegative)
  }

  /// Whether the value is not-a-number.
  public var isNaN: Bool { exponent >= Self.notANumberExponent }

  /// Whether the value is positive or negative infinity.
  public var isInfinite: Bool { exponent >= Self.infinityExponent && exponent < Self.notANumberExponent }

  /// The digits as an integer.
  public var coefficient: UInt128 { UInt128(coefficientHigh) << 64 | UInt128(coefficientLow) }

  /// The nearest double.
  public var doubleValue: Double { Double(text) ?? .nan }
}

// MARK: - Text

extension Decimal128 {
  /// Parses `[+-]digits[.digits][e[+-]digits]`, `inf`, `infinity` or `nan` in either case. Returns nil for anything
  /// else and for numbers out of range. Digits beyond the 34th are truncated.
  public init?(number text: String) {
    let hasSigns = text.utf8.prefix(2).allSatisfy { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
    guard !hasSigns, let decimal = Self.parse(text) else { return nil }
    self = decimal
  }

  private static func parse(_ text: String) -> Decimal128? {
    let isNegative = text.hasPrefix("-")
    let body = text.drop { $0 == "-" || $0 == "+" }.lowercased()
    if body == "nan" { return notANumber }
    if body == "inf" || body == "infinity" { return infinity(isNegative: isNegative) }
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
    return Decimal128(coefficient, exponent: exponent, isNegative: isNegative)
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

  /// The shortest text that can be parsed to the same representation.
  public var text: String {
    if isNaN { return "nan" }
    let sign = isNegative ? "-" : ""
    if isInfinite { return sign + "inf" }
    let digits = String(coefficient)
    let exponent = Int(exponent)
    if exponent == 0 { return sign + digits }
    guard exponent < 0, digits.utf8.count + exponent > -6 else { return "\(sign)\(digits)E\(exponent)" }
    let padded = String(repeating: "0", count: max(0, 1 - digits.utf8.count - exponent)) + digits
    return "\(sign)\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
  }
}

// MARK: - Order

extension Decimal128 {
  /// Returns a negative number, zero or a positive number if the number is less than, equal to or greater than
  /// `other`. Not-a-number sorts below everything.
  public func numericOrder(to other: Decimal128) -> Int {
    if isNaN || other.isNaN { return (isNaN ? 0 : 1) - (other.isNaN ? 0 : 1) }
    guard sign == other.sign, sign != 0 else { return sign - other.sign }
    return sign * orderOfMagnitude(to: other)
  }

  private var sign: Int {
    if !isInfinite && coefficient == 0 { return 0 }
    return isNegative ? -1 : 1
  }

  private func orderOfMagnitude(to other: Decimal128) -> Int {
    if isInfinite || other.isInfinite { return (isInfinite ? 1 : 0) - (other.isInfinite ? 1 : 0) }
    var (digits, otherDigits) = (coefficient, other.coefficient)
    let scale = PowersOfTen.digitCount(of: digits) + Int(exponent)
    let otherScale = PowersOfTen.digitCount(of: otherDigits) + Int(other.exponent)
    guard scale == otherScale else { return scale < otherScale ? -1 : 1 }
    // The scales are equal here. After the loops, both numbers have the same number of digits, so no product
    // overflows.
    for _ in stride(from: Int(exponent), to: Int(other.exponent), by: -1) { digits *= 10 }
    for _ in stride(from: Int(other.exponent), to: Int(exponent), by: -1) { otherDigits *= 10 }
    return digits == otherDigits ? 0 : digits < otherDigits ? -1 : 1
  }
}
