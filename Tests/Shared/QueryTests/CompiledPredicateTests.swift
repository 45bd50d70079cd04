// SPDX-License-Identifier: Apache-2.0

import FlexSyncQuery
import FlexSyncTestSupport
import Testing

@Suite struct CompiledPredicateTests {
  @Test(arguments: 1...8)
  func answersLikeTheTree(seed: UInt64) throws {
    var generator = RandomQueries(random: SeededGenerator(seed: seed &+ 2_000_000))
    let dataset = generator.dataset(size: 20)
    let rows = dataset.rows(of: "A")
    for _ in 0..<200 {
      let query = try generator.boundQuery(on: "A")
      let compiled = CompiledPredicate(query.predicate)
      #expect(
        rows.map(compiled.matches) == rows.map(query.predicate.matches),
        "seed \(seed): \(query.canonicalText)"
      )
    }
    withExtendedLifetime(dataset) {}
  }
}
