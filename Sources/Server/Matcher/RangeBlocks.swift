// SPDX-License-Identifier: Apache-2.0

/// The blocks of keys that a range touches.
struct RangeBlocks {
  let level: Int
  let first: UInt64
  let last: UInt64

  /// - Parameter lower: Must not exceed `upper`.
  init(lower: UInt64, upper: UInt64) {
    let length = upper - lower
    level = length == .max ? 63 : 63 - (length + 1).leadingZeroBitCount
    first = lower >> UInt64(level)
    last = upper >> UInt64(level)
  }
}

/// The tag of a block: three bits of its hash, and roughly where in the block the first lower and the last upper
/// bound lie. It rejects most values that satisfy no bound, without accessing the bounds.
///
/// A lower bound takes two bits: 0 for none, 1 in the last quarter of the block, 2 in the quarter before it, 3 in the
/// first half. An upper bound is encoded as the mirror image.
struct BlockTag {
  private(set) var bits: UInt8

  init(hash: UInt64) {
    bits = BlockTag.hashBits(hash)
  }

  init(bits: UInt8) {
    self.bits = bits
  }

  /// Records a bound. Removed bounds stay recorded until the block is removed.
  mutating func add(_ side: BoundHeaps.Side, quarter: UInt64) {
    let code = BlockTag.code(side, quarter)
    switch side {
    case .lower: bits = bits & ~0b1100 | max(bits >> 2 & 0b11, code) << 2
    case .upper: bits = bits & ~0b11 | max(bits & 0b11, code)
    }
  }

  /// Returns the quarter of the block that contains a key.
  @inline(__always)
  static func quarter(of key: UInt64, level: Int) -> UInt64 {
    level >= 2 ? key >> UInt64(level - 2) & 0b11 : key << UInt64(2 - level) & 0b11
  }

  static let hashMask: UInt8 = 0b111_0000

  @inline(__always)
  static func hashBits(_ hash: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: hash >> 57) & hashMask }

  /// Returns the lowest code with which a value in a quarter may satisfy a bound.
  @inline(__always)
  static func code(_ side: BoundHeaps.Side, _ quarter: UInt64) -> UInt8 {
    let distance = side == .lower ? 3 - quarter : quarter
    return UInt8(truncatingIfNeeded: min(distance, 2)) + 1
  }
}
