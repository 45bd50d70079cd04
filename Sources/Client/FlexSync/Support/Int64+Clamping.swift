// SPDX-License-Identifier: Apache-2.0

extension Int64 {
  /// Truncates a number toward zero and clamps it to 64 bits; not-a-number becomes 0.
  init(clamping number: Double) {
    self = number.isNaN ? 0 : Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
  }
}
