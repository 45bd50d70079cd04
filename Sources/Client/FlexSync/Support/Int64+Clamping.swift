// SPDX-License-Identifier: Apache-2.0

extension Int64 {
  /// The number without its fraction, or the nearest integer of 64 bits; 0 for not-a-number.
  init(clamping number: Double) {
    self = number.isNaN ? 0 : Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
  }
}
