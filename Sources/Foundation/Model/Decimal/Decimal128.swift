// SPDX-License-Identifier: Apache-2.0

/// An IEEE 754 decimal128 number, stored as the three fields sent on the wire: (−1)^sign · coefficient · 10^exponent.
///
/// `==` compares the fields, so 1.0 and 1.00 are different representations. Numeric comparison is left to the query
/// evaluator. Not-a-number and the infinities have exponents that no finite number has, because the wire carries the
/// raw fields of the format.
public struct Decimal128: Hashable, Sendable {
  /// The upper 64 bits of the coefficient, which has up to 113 bits.
  public let coefficientHigh: UInt64
  /// The lower 64 bits of the coefficient.
  public let coefficientLow: UInt64
  /// The unbiased exponent: −6176…6111 for finite numbers.
  public let exponent: Int32
  public let isNegative: Bool

  public init(coefficientHigh: UInt64, coefficientLow: UInt64, exponent: Int32, isNegative: Bool) {
    self.coefficientHigh = coefficientHigh
    self.coefficientLow = coefficientLow
    self.exponent = exponent
    self.isNegative = isNegative
  }

  /// Creates a number from the two words of the IEEE 754 format with a binary coefficient.
  public init(high: UInt64, low: UInt64) {
    coefficientHigh = high & Self.coefficientHighMask
    coefficientLow = low
    exponent = Int32(truncatingIfNeeded: high >> Self.exponentShift & Self.exponentMask) - Self.exponentBias
    isNegative = high >> 63 != 0
  }

  /// The upper word of the IEEE 754 format: sign, exponent and the upper part of the coefficient.
  public var high: UInt64 {
    let exponent = UInt64(truncatingIfNeeded: exponent &+ Self.exponentBias) & Self.exponentMask
    return (isNegative ? 1 << 63 : 0) | exponent << Self.exponentShift
      | coefficientHigh & Self.coefficientHighMask
  }

  /// The lower word of the IEEE 754 format.
  public var low: UInt64 { coefficientLow }

  private static let exponentBias: Int32 = 6176
  private static let exponentShift: UInt64 = 49
  private static let exponentMask: UInt64 = 0x3FFF
  private static let coefficientHighMask: UInt64 = 1 << 49 - 1

  public static let zero = Decimal128(coefficientHigh: 0, coefficientLow: 0, exponent: 0, isNegative: false)
}
