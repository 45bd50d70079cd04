// SPDX-License-Identifier: Apache-2.0

/// Decimals as numbers, for other rooms; `==` of `Decimal128` compares representations.
extension Decimal128 {
  /// Reads `[+-]digits[.digits][e[+-]digits]`, `inf`, `infinity` or `nan` in either case; nil for anything else or
  /// beyond the range. Digits beyond the 34th are cut off.
  public init?(number text: String) {
    let hasSigns = text.utf8.prefix(2).allSatisfy { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
    guard !hasSigns, let decimal = DecimalNumber.parse(text) else { return nil }
    self = decimal
  }

  /// The decimal with the fewest digits that stands for the double.
  public init(_ double: Double) { self = DecimalNumber.decimal(double) }

  /// The integer.
  public init(_ integer: Int64) { self = DecimalNumber.decimal(integer) }

  /// The shortest text that reads back as the same representation.
  public var text: String { DecimalNumber.text(self) }

  /// The nearest double.
  public var doubleValue: Double { DecimalNumber.double(self) }

  /// Whether it is not-a-number.
  public var isNaN: Bool { DecimalNumber.isNaN(self) }

  /// Whether it is positive or negative infinity.
  public var isInfinite: Bool { DecimalNumber.isInfinite(self) }

  /// The digits as an integer.
  public var coefficient: UInt128 { DecimalNumber.coefficient(self) }

  /// Not-a-number in the representation that calculations give.
  public static let notANumber = DecimalNumber.notANumber

  /// Positive or negative infinity in the representation that calculations give.
  public static func infinity(isNegative: Bool) -> Decimal128 {
    DecimalNumber.decimal(0, exponent: DecimalNumber.infinityExponent, isNegative: isNegative)
  }

  /// Negative, zero or positive as the number is less than, equal to or greater than another; not-a-number sorts below
  /// everything.
  public func numericOrder(to other: Decimal128) -> Int { DecimalNumber.compare(self, other) }

  /// The sum, rounded to 34 digits, half to even.
  public static func + (left: Decimal128, right: Decimal128) -> Decimal128 { DecimalNumber.add(left, right) }

  /// The difference, rounded to 34 digits, half to even.
  public static func - (left: Decimal128, right: Decimal128) -> Decimal128 {
    DecimalNumber.add(left, DecimalNumber.negate(right))
  }

  /// The product, rounded to 34 digits, half to even.
  public static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
    DecimalNumber.multiply(left, right)
  }

  /// The quotient, rounded to 34 digits, half to even; infinite, or not-a-number, if `right` is zero.
  public static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
    DecimalNumber.divide(left, right)
  }
}
