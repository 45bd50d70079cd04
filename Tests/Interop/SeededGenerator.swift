// SPDX-License-Identifier: Apache-2.0

/// Random numbers that a seed repeats (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
  mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

  /// One of the choices, each as often as its weight says.
  mutating func pick<Choice>(weighted choices: [(weight: Int, choice: Choice)]) -> Choice {
    var rest = number(below: choices.reduce(0) { $0 + $1.weight })
    for (weight, choice) in choices {
      if rest < weight { return choice }
      rest -= weight
    }
    preconditionFailure("the weights are exhausted")
  }
}
