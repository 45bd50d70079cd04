// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Testing

@testable import FlexSyncModel

@Suite struct DecimalArithmeticTests {
  private func decimal(_ text: String) -> Decimal128 { Decimal128(number: text) ?? .zero }

  @Test(arguments: [
    ("1.10", "2.2", "3.30"), ("1", "-1", "0"), ("0.1", "0.2", "0.3"), ("-5", "3", "-2"),
    ("9999999999999999999999999999999999", "1", "1000000000000000000000000000000000E1"),
    ("9999999999999999999999999999999999", "0.5", "1000000000000000000000000000000000E1"),
    ("9999999999999999999999999999999998", "0.5", "9999999999999999999999999999999998"),
    ("1E40", "1", "1000000000000000000000000000000000E7"),
    ("1E40", "-1", "1000000000000000000000000000000000E7"),
    ("1E6111", "-1E-6176", "1000000000000000000000000000000000E6078"),
    ("0", "1.50", "1.50"), ("0E10", "1", "1"), ("inf", "1", "inf"), ("inf", "-inf", "nan"),
  ])
  func sums(_ left: String, _ right: String, _ expected: String) {
    #expect((decimal(left) + decimal(right)).text == decimal(expected).text)
    #expect((decimal(right) + decimal(left)).text == decimal(expected).text)
    #expect((decimal(left) - -decimal(right)).text == decimal(expected).text)
  }

  @Test(arguments: [
    ("1.10", "2", "2.20"), ("-3", "0.5", "-1.5"), ("0", "7", "0"),
    ("3333333333333333333333333333333333", "3", "9999999999999999999999999999999999"),
    (
      "9999999999999999999999999999999999", "9999999999999999999999999999999999",
      "9999999999999999999999999999999998E34"
    ),
    ("1E6000", "1E200", "inf"), ("1E-6000", "1E-200", "0E-6176"), ("inf", "0", "nan"), ("-inf", "2", "-inf"),
    ("1E6100", "1E20", "1000000000E6111"),
  ])
  func products(_ left: String, _ right: String, _ expected: String) {
    #expect((decimal(left) * decimal(right)).text == decimal(expected).text)
    #expect((decimal(right) * decimal(left)).text == decimal(expected).text)
  }

  @Test(arguments: [
    ("6", "2", "3"), ("1", "8", "0.125"), ("1", "3", "0.3333333333333333333333333333333333"),
    ("2", "3", "0.6666666666666666666666666666666667"), ("-1", "0", "-inf"), ("0", "0", "nan"),
    ("1", "inf", "0E-6176"),
    ("1.20", "0.4", "3.0"),
  ])
  func quotients(_ left: String, _ right: String, _ expected: String) {
    #expect((decimal(left) / decimal(right)).text == decimal(expected).text)
  }

  @Test func randomSumsOfIntegersAreExact() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<500 {
      let left = Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)
      let right = Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)
      #expect((Decimal128(left) + Decimal128(right)) == Decimal128(left + right))
      #expect((Decimal128(left) - Decimal128(right)) == Decimal128(left - right))
      #expect((Decimal128(left) * Decimal128(right)).numericOrder(to: Decimal128(left * right)) == 0)
      if right != 0 {
        #expect(((Decimal128(left * right)) / Decimal128(right)).numericOrder(to: Decimal128(left)) == 0)
      }
    }
  }

  @Test func anyDecimalsCanBeCombined() {
    let decimals = stride(from: 0, to: DecimalKeyTests.notable.count, by: 13).map {
      DecimalKeyTests.notable[$0]
    }
    for left in decimals {
      for right in decimals {
        for result in [left + right, left - right, left * right, left / right] {
          #expect(result.exponent >= -6176)
          #expect(result.coefficient < 1 << 113)
        }
      }
    }
  }
}
