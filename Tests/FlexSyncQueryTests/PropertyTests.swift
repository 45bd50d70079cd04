// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import Testing

@Suite struct PropertyTests {
  @Test(arguments: 1...20)
  func sqlAndEvaluatorAgreeOnRandomQueries(seed: Int) throws {
    var generator = RandomQueries(random: SeededGenerator(seed: UInt64(seed)))
    let dataset = generator.dataset()
    let store = try StoredDataset(dataset)
    var comparison = AnswerComparison()
    for _ in 0..<200 {
      let (text, arguments) = generator.query()
      comparison.compare(text, on: "A", arguments, dataset, store)
    }
    #expect(comparison.wrong == [], "seed \(seed)")
    #expect(comparison.count > 20, "seed \(seed)")
  }

  @Test(arguments: 1...20)
  func canonicalTextReadsBackAsTheSamePredicate(seed: Int) throws {
    var generator = RandomQueries(random: SeededGenerator(seed: UInt64(seed) + 1000))
    var count = 0
    for _ in 0..<300 {
      let (text, arguments) = generator.query()
      guard
        let query = try? Query.parse(text).bind(
          to: RandomQueries.schema,
          className: "A",
          arguments: arguments
        )
      else { continue }
      let canonical = query.canonicalText
      let again = try Query.parse(canonical).bind(to: RandomQueries.schema, className: "A")
      #expect(again == query, "seed \(seed): \(text) → \(canonical)")
      #expect(again.canonicalText == canonical)
      count += 1
    }
    #expect(count > 50)
  }

  @Test func canonicalTextOfTheVectorsReadsBackAsTheSamePredicate() throws {
    let dataset = try VectorDataset.load()
    for row in try VectorFiles.rows(of: "rql.jsonl") {
      let className = row["class"]?.stringValue ?? ""
      let arguments = (row["args"]?.arrayValue ?? []).compactMap(VectorValues.value)
      guard
        let query = try? Query.parse(row["query"]?.stringValue ?? "").bind(
          to: dataset.schema,
          className: className,
          arguments: arguments.map { .value($0) }
        )
      else { continue }
      let again = try Query.parse(query.canonicalText).bind(to: dataset.schema, className: className)
      #expect(again == query, "\(query.canonicalText)")
    }
  }
}
