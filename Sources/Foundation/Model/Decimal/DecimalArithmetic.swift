// SPDX-License-Identifier: Apache-2.0

/// Arithmetic with 34 digits, rounding half to even.
extension Decimal128 {
  /// Returns the number with the other sign.
  static prefix func - (number: Decimal128) -> Decimal128 {
    Decimal128(number.coefficient, exponent: number.exponent, isNegative: !number.isNegative)
  }

  /// Returns the sum, rounded half to even to 34 digits.
  public static func + (left: Decimal128, right: Decimal128) -> Decimal128 {
    if left.isNaN || right.isNaN { return notANumber }
    if left.isInfinite {
      return right.isInfinite && left.isNegative != right.isNegative ? notANumber : left
    }
    if right.isInfinite { return right }
    return addFinite(left, right)
  }

  /// Returns the difference, rounded half to even to 34 digits.
  public static func - (left: Decimal128, right: Decimal128) -> Decimal128 { left + -right }

  private static func addFinite(_ left: Decimal128, _ right: Decimal128) -> Decimal128 {
    let (large, small) = left.exponent >= right.exponent ? (left, right) : (right, left)
    if large.coefficient == 0 { return small }
    if small.coefficient == 0 && large.coefficient != 0 {
      return aligned(large, to: small.exponent)
    }
    // Digits of the smaller number that are this far behind those of the larger one only determine whether there is a
    // remainder.
    let shift = min(Int(large.exponent) - Int(small.exponent), 2 * maximumDigits + 2)
    let exponent = Int(large.exponent) - shift
    var (wide, isExact) = (WideNumber(large.coefficient), true)
    wide.multiplyByPower(ofTen: shift)
    var other = WideNumber(small.coefficient)
    for _ in 0..<max(0, exponent - Int(small.exponent)) where !other.isZero {
      if other.divideByTen() != 0 { isExact = false }
    }
    guard left.isNegative != right.isNegative else {
      wide.add(other)
      return rounded(wide, exponent: exponent, isNegative: left.isNegative, isExact: isExact)
    }
    let isSwapped = wide.isLess(than: other)
    if isSwapped { swap(&wide, &other) }
    wide.subtract(other)
    let isNegative = wide.isZero ? false : isSwapped ? small.isNegative : large.isNegative
    return rounded(wide, exponent: exponent, isNegative: isNegative, isExact: isExact)
  }

  /// Returns the number with an exponent as close to `exponent` as its digits permit.
  private static func aligned(_ decimal: Decimal128, to exponent: Int32) -> Decimal128 {
    var (digits, current) = (decimal.coefficient, decimal.exponent)
    while current > exponent, digits < maximumCoefficient / 10 {
      digits *= 10
      current -= 1
    }
    return Decimal128(digits, exponent: current, isNegative: decimal.isNegative)
  }

  /// Returns the product, rounded half to even to 34 digits.
  public static func * (left: Decimal128, right: Decimal128) -> Decimal128 {
    let isNegative = left.isNegative != right.isNegative
    if left.isNaN || right.isNaN { return notANumber }
    if left.isInfinite || right.isInfinite {
      let isZero = [left, right].contains { !$0.isInfinite && $0.coefficient == 0 }
      return isZero ? notANumber : infinity(isNegative: isNegative)
    }
    let product = WideNumber(left.coefficient, times: right.coefficient)
    let exponent = Int(left.exponent) + Int(right.exponent)
    return rounded(product, exponent: exponent, isNegative: isNegative, isExact: true)
  }

  /// Returns the quotient, rounded half to even to 34 digits; infinity or not-a-number if `right` is zero.
  public static func / (left: Decimal128, right: Decimal128) -> Decimal128 {
    let isNegative = left.isNegative != right.isNegative
    if left.isNaN || right.isNaN || left.isInfinite && right.isInfinite { return notANumber }
    if left.isInfinite { return infinity(isNegative: isNegative) }
    if right.isInfinite { return Decimal128(0, exponent: -6176, isNegative: isNegative) }
    guard right.coefficient != 0 else {
      if left.coefficient == 0 { return notANumber }
      return infinity(isNegative: isNegative)
    }
    return quotient(left, right, isNegative: isNegative)
  }

  /// Divides until there is no remainder or the quotient has one digit more than fits.
  private static func quotient(_ left: Decimal128, _ right: Decimal128, isNegative: Bool) -> Decimal128 {
    let divisor = right.coefficient
    var (digits, remainder) = left.coefficient.quotientAndRemainder(dividingBy: divisor)
    var exponent = Int(left.exponent) - Int(right.exponent)
    var result = WideNumber(digits)
    while remainder != 0, result.isLess(than: WideNumber(maximumCoefficient)) {
      // The remainder is less than 10^34, so ten times the remainder fits.
      (digits, remainder) = (remainder * 10).quotientAndRemainder(dividingBy: divisor)
      result.multiplyByPower(ofTen: 1)
      result.add(WideNumber(digits))
      exponent -= 1
    }
    return rounded(result, exponent: exponent, isNegative: isNegative, isExact: remainder == 0)
  }

  /// One more than the largest coefficient.
  static let maximumCoefficient: UInt128 = 10_000_000_000_000_000_000_000_000_000_000_000

  /// - Parameter isExact: Whether no digits were truncated after the number.
  private static func rounded(_ number: WideNumber, exponent: Int, isNegative: Bool, isExact: Bool)
    -> Decimal128
  {
    var (number, exponent, isExact, last) = (number, exponent, isExact, UInt64(0))
    while !number.isLess(than: WideNumber(maximumCoefficient)) || exponent < -6176 && !number.isZero {
      if last != 0 { isExact = false }
      last = number.divideByTen()
      exponent += 1
    }
    var digits = number.low
    if last > 5 || last == 5 && (!isExact || digits % 2 == 1) { digits += 1 }
    if digits == maximumCoefficient {
      digits /= 10
      exponent += 1
    }
    while exponent > 6111, digits > 0, digits < maximumCoefficient / 10 {
      digits *= 10
      exponent -= 1
    }
    if digits > 0 && exponent > 6111 {
      return infinity(isNegative: isNegative)
    }
    return Decimal128(digits, exponent: Int32(min(max(exponent, -6176), 6111)), isNegative: isNegative)
  }
}

/// An unsigned 384-bit integer, which has room for sums and products of coefficients before they are rounded.
struct WideNumber {
  private var high: UInt128
  private var middle: UInt128
  /// The lowest 128 bits.
  private(set) var low: UInt128

  init(_ low: UInt128) {
    (high, middle, self.low) = (0, 0, low)
  }

  init(_ left: UInt128, times right: UInt128) {
    let product = left.multipliedFullWidth(by: right)
    (high, middle, low) = (0, product.high, product.low)
  }

  var isZero: Bool { high == 0 && middle == 0 && low == 0 }

  func isLess(than other: WideNumber) -> Bool {
    if high != other.high { return high < other.high }
    return middle != other.middle ? middle < other.middle : low < other.low
  }

  mutating func multiplyByPower(ofTen power: Int) {
    for _ in 0..<power { multiplyByTen() }
  }

  private mutating func multiplyByTen() {
    let lowProduct = low.multipliedFullWidth(by: 10)
    let middleProduct = middle.multipliedFullWidth(by: 10)
    let (middleSum, carry) = middleProduct.low.addingReportingOverflow(lowProduct.high)
    high = high &* 10 &+ middleProduct.high &+ (carry ? 1 : 0)
    (middle, low) = (middleSum, lowProduct.low)
  }

  mutating func add(_ other: WideNumber) {
    let (lowSum, carry) = low.addingReportingOverflow(other.low)
    let (partial, firstCarry) = middle.addingReportingOverflow(other.middle)
    let (middleSum, secondCarry) = partial.addingReportingOverflow(carry ? 1 : 0)
    high = high &+ other.high &+ (firstCarry || secondCarry ? 1 : 0)
    (middle, low) = (middleSum, lowSum)
  }

  /// Subtracts `other`, which must not be larger.
  mutating func subtract(_ other: WideNumber) {
    let (lowDifference, borrow) = low.subtractingReportingOverflow(other.low)
    let (partial, firstBorrow) = middle.subtractingReportingOverflow(other.middle)
    let (middleDifference, secondBorrow) = partial.subtractingReportingOverflow(borrow ? 1 : 0)
    high = high &- other.high &- (firstBorrow || secondBorrow ? 1 : 0)
    (middle, low) = (middleDifference, lowDifference)
  }

  /// Divides the number by ten in place.
  ///
  /// - Returns: The remainder.
  mutating func divideByTen() -> UInt64 {
    var remainder: UInt64 = 0
    high = Self.divideByTen(high, &remainder)
    middle = Self.divideByTen(middle, &remainder)
    low = Self.divideByTen(low, &remainder)
    return remainder
  }

  private static func divideByTen(_ number: UInt128, _ remainder: inout UInt64) -> UInt128 {
    let ten: UInt64 = 10
    let upper = ten.dividingFullWidth((remainder, UInt64(number >> 64)))
    let lower = ten.dividingFullWidth((upper.remainder, UInt64(truncatingIfNeeded: number)))
    remainder = lower.remainder
    return UInt128(upper.quotient) << 64 | UInt128(lower.quotient)
  }
}
