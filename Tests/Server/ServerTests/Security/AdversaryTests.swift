// SPDX-License-Identifier: Apache-2.0

import FlexSyncSimulator
import Testing

@Suite("An adversary cannot tell two worlds apart")
struct AdversaryTests {
  @Test("Answers to everything that it asks are equal, byte for byte", arguments: UInt64(1)...30)
  func tellsNothing(seed: UInt64) throws {
    let outcome = AdversarySimulation(seed: seed).run()
    #expect(outcome.failure == nil)
    #expect((outcome.report.counts["answers to adversaries"] ?? 0) > 10)
  }

  /// Hidden changes decided how much of the stream came before the refusal of a query set.
  @Test func cannotTellFromTheOrderOfAnswersHowMuchIsHidden() {
    #expect(AdversarySimulation(seed: 1_628_245_865).run().failure == nil)
  }
}
