// SPDX-License-Identifier: Apache-2.0

/// The random numbers of a simulation: one seed, one run (the SplitMix64 generator).
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }

  /// A generator of its own for one part, so that what one part draws does not change the others.
  mutating func split() -> SeededRandom { SeededRandom(seed: next()) }

  /// A number in a range.
  mutating func number<Number: FixedWidthInteger>(in range: ClosedRange<Number>) -> Number {
    Number.random(in: range, using: &self)
  }

  /// A number from 0 to below a bound.
  mutating func next(below bound: Int) -> Int { number(in: 0...bound - 1) }

  /// True in `percent` of 100 cases.
  mutating func chance(_ percent: Int) -> Bool { number(in: 0...99) < percent }

  /// One of several.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[number(in: 0...elements.count - 1)]
  }
}
