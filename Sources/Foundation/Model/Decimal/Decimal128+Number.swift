// SPDX-License-Identifier: Apache-2.0

/// Decimals as numbers, for other modules. `==` of `Decimal128` compares representations.
extension Decimal128 {
  /// Parses `[+-]digits[.digits][e[+-]digits]`, `inf`, `infinity` or `nan` in either case. Returns nil for anything
  /// else and for numbers out of range. Digits beyond the 34th are truncated.
  public init?(number text: String) {
    let hasSigns = text.utf8.prefix(2).allSatisfy { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
    guard !hasSigns, let decimal = DecimalNumber.parse(text) else { return nil }
    self = decimal
  }

  /// Creates the decimal with the fewest digits that represents the double.
  public init(_ double: Double) { self = DecimalNumber.decimal(double) }

  /// Creates a decimal from an integer.
  public init(_ integer: Int64) { self = DecimalNumber.decimal(integer) }

  /// The shortest text that can be parsed to the same representation.
  public var text: String { DecimalNumber.text(self) }

  /// The nearest double.
  public var doubleValue: Double { DecimalNumber.double(self) }

  /// Whether the value is not-a-number.
  public var isNaN: Bool { DecimalNumber.isNaN(self) }

  /// Whether the value is positive or negative infinity.
  public var isInfinite: Bool { DecimalNumber.isInfinite(self) }

  /// The digits as an integer.
  public var coefficient: UInt128 { DecimalNumber.coefficient(self) }

  /// Not-a-number in the representation that calculations return.
  public static let notANumber = DecimalNumber.notANumber

  /// Returns positive or negative infinity in the representation that calculations return.
  public static func infinity(isNegative: Bool) -> Decimal128 {
    DecimalNumber.decimal(0, exponent: DecimalNumber.infinityExponent, isNegative: isNegative)
  }

  /// Returns a negative number, zero or a positive number if the number is less than, equal to or greater than
  /// `other`. Not-a-number sorts below everything.
  public func numericOrder(to other: Decimal128) -> Int { DecimalNumber.compare(self, other) }

  /// Returns the sum, rounded half to even to 34 digits.
  public static func + (left: Decimal128, right: Decimal128) -> Decimal128 { DecimalNumber.add(left, right) }

  /// Returns the difference, rounded half to even to 34 digits.
  public static func - (left: Decimal128, right: Decimal128) -> Decimal128 {
    DecimalNumber.add(left, DecimalNumber.negate(right))
  }

  /// Returns the product, rounded half to even to 34 digits.
  public static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
    DecimalNumber.multiply(left, right)
  }

  /// Returns the quotient, rounded half to even to 34 digits; infinity or not-a-number if `right` is zero.
  public static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
    DecimalNumber.divide(left, right)
  }
}
