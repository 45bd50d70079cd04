// SPDX-License-Identifier: Apache-2.0

/// Counts of the events in a simulation, which can be added up.
package struct SimulationReport: Sendable {
  package private(set) var counts: [String: Int] = [:]

  package init() {}

  package mutating func count(_ name: String, _ number: Int = 1) { counts[name, default: 0] += number }

  /// Adds the counts of another report.
  package mutating func add(_ other: SimulationReport) {
    counts.merge(other.counts) { $0 + $1 }
  }
}

/// The outcome of a simulation.
package struct SimulationOutcome: Sendable {
  package let seed: UInt64
  /// The failure that was found; nil if there was none.
  package internal(set) var failure: String?
  package internal(set) var report: SimulationReport
  /// The log, if it was requested.
  package internal(set) var log: [String]
}
