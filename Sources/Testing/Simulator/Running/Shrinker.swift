// SPDX-License-Identifier: Apache-2.0

/// Removes steps from a failing plan as long as it continues to fail.
package struct Shrinker {
  private let seed: UInt64

  package init(seed: UInt64) { self.seed = seed }

  /// - Returns: The outcome of the shortest failing plan found, with its log; nil if the seed does not fail.
  package func run() -> SimulationOutcome? {
    var plan = Plan(seed: seed)
    guard let failure = failure(of: plan) else { return nil }
    var size = plan.steps.count / 2
    while size > 0 {
      var start = 0
      while start < plan.steps.count {
        var shorter = plan
        shorter.steps.removeSubrange(start..<min(start + size, plan.steps.count))
        if self.failure(of: shorter) == failure { plan = shorter } else { start += size }
      }
      size /= 2
    }
    return Simulation(plan, keepsLog: true).run()
  }

  /// Returns the failure of a plan, without the details that differ in a shorter plan; nil if it does not fail.
  private func failure(of plan: Plan) -> String? {
    Simulation(plan).run().failure.map { String($0.filter { !$0.isNumber }.prefix(40)) }
  }
}
