// SPDX-License-Identifier: Apache-2.0

import FlexSyncVectors
import Testing

@Suite("Convergence of four clients")
struct ManyClientsTests {
  @Test("four clients with 256 transactions each end equal", arguments: 0..<UInt64(Trials.count(12)))
  func long(seed: UInt64) throws { try check(seed: seed, writesPerClient: 256) }

  @Test(
    "four clients with few transactions each end equal",
    arguments: 1000..<UInt64(1000 + Trials.count(200))
  )
  func short(seed: UInt64) throws { try check(seed: seed, writesPerClient: 12) }

  private func check(seed: UInt64, writesPerClient: Int) throws {
    let base = try SmallState.model()
    let trace = RandomTrace.failing(seed: seed, writesPerClient: writesPerClient, base: base)
    guard let shrunk = trace?.shrunk() else { return }
    let steps = shrunk.steps.map { "  \($0)" }.joined(separator: "\n")
    Issue.record("seed \(seed): \(shrunk.failure() ?? "")\n\(steps)")
  }
}
