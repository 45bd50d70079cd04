// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Testing

@testable import FlexSyncModel

@Suite struct DecimalKeyTests {
  /// Decimals around every limit of the format.
  static let notable: [Decimal128] = {
    let exponents: [Int32] = [-6176, -6175, -34, -2, -1, 0, 1, 2, 33, 6110, 6111, 9183]
    let coefficients: [UInt128] = [
      0, 1, 9, 10, 11, 99, 100, 1000, 12345, 10_000_000_000_000_000_000_000_000_000_000_000,
      9_999_999_999_999_999_999_999_999_999_999_999, 1 << 113 - 1,
    ]
    var decimals = exponents.flatMap { exponent in
      coefficients.flatMap { coefficient in
        [false, true].map { Decimal128(coefficient, exponent: exponent, isNegative: $0) }
      }
    }
    for exponent in [9184, 9500, 9695, 9696, 9697, 10207] as [Int32] {
      for coefficient in [0, 7, 1 << 113 - 1] as [UInt128] {
        for isNegative in [false, true] {
          decimals.append(Decimal128(coefficient, exponent: exponent, isNegative: isNegative))
        }
      }
    }
    return decimals
  }()

  @Test func keysOfNotableDecimalsReadBack() {
    for decimal in Self.notable { expectRoundTrip(decimal) }
  }

  @Test func prefixesOfNotableDecimalsSortLikeTheirNumbers() {
    for left in Self.notable {
      for right in Self.notable { expectOrder(left, right) }
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func keysOfRandomDecimalsSortAndReadBack(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let left = decimal(&random)
      let right = Bool.random(using: &random) ? scaled(left, &random) : decimal(&random)
      expectRoundTrip(left)
      expectOrder(left, right)
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func anyBytesReadAsDecimalOrNothing(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      var bytes = DecimalKey.bytes(of: decimal(&random))
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
      }
      let decimal = bytes.withUnsafeBytes { DecimalKey.decimal($0) }
      if let decimal { _ = DecimalKey.bytes(of: decimal) }
    }
  }

  private func expectRoundTrip(_ decimal: Decimal128) {
    let key = DecimalKey.bytes(of: decimal)
    #expect(key.withUnsafeBytes { DecimalKey.decimal($0) } == decimal)
    #expect(Array(key.prefix(DecimalKey.prefixByteCount)) == DecimalKey.prefix(of: decimal))
    #expect(key[DecimalKey.prefixByteCount] != 0xFF)
  }

  private func expectOrder(_ left: Decimal128, _ right: Decimal128) {
    let (leftPrefix, rightPrefix) = (DecimalKey.prefix(of: left), DecimalKey.prefix(of: right))
    let found = leftPrefix == rightPrefix ? 0 : leftPrefix.lexicographicallyPrecedes(rightPrefix) ? -1 : 1
    #expect(found == left.numericOrder(to: right).signum(), "\(left) \(right)")
  }

  private func decimal(_ random: inout SeededGenerator) -> Decimal128 {
    let bits = Int.random(in: 0...113, using: &random)
    let coefficient = (UInt128(random.next()) << 64 | UInt128(random.next())) >> UInt128(128 - bits)
    let exponent = Bool.random(using: &random) ? -40...40 : -6176...10207 as ClosedRange<Int32>
    return Decimal128(
      coefficient,
      exponent: Int32.random(in: exponent, using: &random),
      isNegative: Bool.random(using: &random)
    )
  }

  /// The same number with another representation if there is one, or a neighbour.
  private func scaled(_ decimal: Decimal128, _ random: inout SeededGenerator) -> Decimal128 {
    let coefficient = decimal.coefficient
    guard coefficient < 1 << 100 as UInt128, decimal.exponent > -6170 else { return decimal }
    return Decimal128(
      coefficient * 1000 + UInt128(Int.random(in: 0...1, using: &random)),
      exponent: decimal.exponent - 3,
      isNegative: decimal.isNegative
    )
  }
}
