// SPDX-License-Identifier: Apache-2.0

/// What a simulation did, in numbers that can be added up.
package struct SimulationReport: Sendable {
  package private(set) var counts: [String: Int] = [:]

  package init() {}

  mutating func count(_ name: String, _ number: Int = 1) { counts[name, default: 0] += number }

  /// Adds the numbers of another one.
  package mutating func add(_ other: SimulationReport) {
    counts.merge(other.counts) { $0 + $1 }
  }

  /// Adds a number that was read from text.
  package mutating func add(_ name: String, _ number: Int) { counts[name, default: 0] += number }
}

/// How a simulation ended.
package struct SimulationOutcome: Sendable {
  package let seed: UInt64
  /// What it found wrong; nil if nothing was.
  package internal(set) var failure: String?
  package internal(set) var report: SimulationReport
  /// What happened, if it was asked for.
  package internal(set) var log: [String]
}
