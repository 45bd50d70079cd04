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
    // A link to an object that is not there counts as null, which SQL does not know yet.
    let unknown: Set<String> = ["link == obj('Thing', 999)", "link == obj('Task', 1)"]
    for row in try VectorFiles.rows(of: "rql.jsonl")
    where row["query"]?.stringValue.map(unknown.contains) != true {
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
    #expect(comparison.count > 250)
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

  mutating func compare(_ query: BoundQuery, _ dataset: Dataset, _ store: StoredDataset) {
    do {
      let plain = BoundQuery(className: query.className, predicate: query.predicate)
      guard let found = try store.rows(plain) else { return }
      let rows = dataset.rows(of: query.className)
      let expected = rows.indices.filter { query.predicate.matches(rows[$0]) }.map { $0 + 1 }
      count += 1
      if found != expected {
        let sql = try store.condition(query)
        wrong.append("\(query.canonicalText): \(found) instead of \(expected): \(sql)")
      }
    } catch {
      wrong.append("\(query.canonicalText): \(error)")
    }
  }
}
