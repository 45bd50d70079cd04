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
}
