// SPDX-License-Identifier: Apache-2.0

/// A random number generator (SplitMix64) that produces the same numbers for the same seed, to make failures
/// reproducible.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Returns a separate generator for one part of a test, so that the numbers drawn there do not affect the others.
  package mutating func split() -> SeededGenerator { SeededGenerator(seed: next()) }

  /// Returns a number in a range.
  package mutating func number<Number: FixedWidthInteger>(in range: ClosedRange<Number>) -> Number {
    Number.random(in: range, using: &self)
  }

  /// Returns a number from 0 up to, but not including, a bound.
  package mutating func number(below bound: Int) -> Int { number(in: 0...bound - 1) }

  /// Returns true with a probability of `percent` percent.
  package mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }

  /// Returns one of several elements.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[number(below: elements.count)]
  }

  /// Returns one of several choices, with probabilities in proportion to their weights.
  package mutating func pick<Choice>(weighted choices: [(weight: Int, choice: Choice)]) -> Choice {
    var rest = number(below: choices.reduce(0) { $0 + $1.weight })
    for (weight, choice) in choices {
      if rest < weight { return choice }
      rest -= weight
    }
    preconditionFailure("the weights are exhausted")
  }
}
