// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncSimulator

/// Simulations in which everything is right, and which must not fail. They use disks of the same names.
@Suite(.serialized) struct AccusationTests {
  /// The server of this seed is killed after it has committed an upload of several transactions, before it has
  /// acknowledged it. The next process compacts its history when it starts, and sends the upload to another client.
  @Test func textsThatAKilledServerHasCommittedAreKnown() {
    let outcome = Simulation(Plan(seed: 1_277_485_069)).run()
    #expect(outcome.failure == nil)
    #expect(outcome.report.counts["fault: processes killed during a disk operation"] ?? 0 > 0)
    #expect(outcome.report.counts["texts checked against views"] ?? 0 > 4)
  }

  /// A device does not read, so it does not hear that items which it created were refused. Another device then creates
  /// items with the same keys, which are not the ones that the first device has and writes notes into while it is
  /// offline.
  @Test func notesInItemsThatTheServerHasRefusedMayBeLost() throws {
    let plans = stride(from: UInt64(2), to: 1_000, by: 4).lazy.map(Plan.init)
    var plan = try #require(plans.first { !$0.hasRules && !$0.hasResets && !$0.changesSchema })
    var checked = 0
    for seed in UInt64(1)...16 {
      let steps: [(time: UInt64, action: Plan.Action)] = [
        (0, .subscribe(0, view: 2)), (0, .subscribe(1, view: 0)),
        (10_000, .write(1, Plan.Writes(transactionCount: 1, editCount: 2, seed: seed))),
        (20_000, .stallReader(0, milliseconds: 30_000)),
        (21_000, .write(0, Plan.Writes(transactionCount: 2, editCount: 4, seed: seed + 100))),
        (30_000, .write(1, Plan.Writes(transactionCount: 4, editCount: 4, seed: seed + 200))),
        (40_000, .narrowRole(0, role: 2, milliseconds: 40_000)), (100_000, .check),
      ]
      plan.steps = steps.map { Plan.Step(time: $0.time, action: $0.action) }
      let outcome = Simulation(plan).run()
      #expect(outcome.failure == nil, "seed \(seed)")
      checked += outcome.report.counts["offline writes checked after a role was narrowed"] ?? 0
    }
    #expect(checked > 0)
  }
}
