// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import Testing

@Suite struct SQLVectorTests {
  @Test func sqlAnswersLikeTheEvaluatorOnTheVectors() throws {
    let dataset = try VectorDataset.load()
    let store = try StoredDataset(dataset)
    var comparison = AnswerComparison()
    for row in try VectorFiles.rows(of: "rql.jsonl") {
      let arguments = (row["args"]?.arrayValue ?? []).compactMap(VectorValues.value)
      comparison.compare(
        row["query"]?.stringValue ?? "",
        on: row["class"]?.stringValue ?? "",
        arguments.map { .value($0) },
        dataset,
        store
      )
    }
    #expect(comparison.wrong == [])
    #expect(comparison.count > 400)
  }

  @Test func sqlAnswersLikeTheEvaluatorOnTheReferencesDataSets() throws {
    var comparison = AnswerComparison()
    for file in try SemanticsFile.load() {
      let store = try StoredDataset(file.dataset)
      for row in file.cases {
        comparison.compare(row.text, on: row.className, row.arguments, file.dataset, store)
      }
    }
    #expect(comparison.wrong == [])
    #expect(comparison.count > 250)
  }
}

/// Runs queries both ways and keeps the differences.
struct AnswerComparison {
  var wrong: [String] = []
  var count = 0

  mutating func compare(
    _ text: String,
    on className: String,
    _ arguments: [QueryArgument],
    _ dataset: Dataset,
    _ store: StoredDataset
  ) {
    let query = try? Query.parse(text).bind(to: dataset.schema, className: className, arguments: arguments)
    if let query { compare(query, dataset, store) }
  }

  /// Objects and their order are those that the evaluator finds.
  mutating func compare(_ query: BoundQuery, _ dataset: Dataset, _ store: StoredDataset) {
    do {
      guard let found = try store.rows(query) else { return }
      let objects = dataset.rows(of: query.className)
      let expected = dataset.evaluate(query)
      count += 1
      if found.map({ objects[$0 - 1].object.key }) != expected {
        let numbers = expected.compactMap { key in objects.firstIndex { $0.object.key == key }.map { $0 + 1 }
        }
        wrong.append(
          "\(query.canonicalText): \(found) instead of \(numbers): \(try store.explain(query).sql)"
        )
      }
    } catch {
      wrong.append("\(query.canonicalText): \(error)")
    }
  }
}
