// SPDX-License-Identifier: Apache-2.0

/// All simulated worlds of a seed.
package struct SimulatedSeed {
  private let seed: UInt64

  package init(_ seed: UInt64) { self.seed = seed }

  /// Whether one of the worlds has an adversary.
  private var hasAdversary: Bool { seed % 4 == 1 }

  /// Runs the worlds one after another until one fails.
  package func run(keepsLog: Bool = false, shrinks: Bool = false) -> SimulationOutcome {
    var outcome = Simulation(Plan(seed: seed), keepsLog: keepsLog).run()
    if outcome.failure != nil, shrinks { outcome = Shrinker(seed: seed).run() ?? outcome }
    guard outcome.failure == nil, hasAdversary else { return outcome }
    let adversary = AdversarySimulation(seed: seed, keepsLog: keepsLog).run()
    outcome.report.add(adversary.report)
    outcome.log += adversary.log
    outcome.failure = adversary.failure
    return outcome
  }
}
