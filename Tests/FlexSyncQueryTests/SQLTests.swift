// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import Testing

@Suite struct SQLTests {
  private func bind(_ text: String, _ arguments: [QueryArgument] = []) throws -> BoundQuery {
    try Query.parse(text).bind(to: RandomQueries.schema, className: "A", arguments: arguments)
  }

  @Test(arguments: [
    "int == 1", "int > 1 AND bool == true", "string BEGINSWITH 'ab'", "int IN {1, 2}", "timestamp >= T0:5",
    "double > 1.5 and double < 3", "int BETWEEN {1, 5}", "string == 'a' and NOT bool == true",
  ])
  func plainConditionsUseAnIndex(text: String) throws {
    var generator = RandomQueries(random: SeededGenerator(seed: 1))
    let dataset = generator.dataset()
    for index in dataset.schema["A"]?.properties.indices ?? 0..<0 {
      dataset.schema["A"]?.properties[index].isIndexed = true
    }
    let plan = try StoredDataset(dataset).explain(try bind(text)).plan
    #expect(plan.contains { $0.hasPrefix("SEARCH t0 USING") }, "\(plan)")
  }

  @Test func manyConditionsStayWithinTheDepthThatSQLiteAllows() throws {
    var generator = RandomQueries(random: SeededGenerator(seed: 1))
    let dataset = generator.dataset()
    let store = try StoredDataset(dataset)
    let text = (0..<5_000).map { "int == \($0)" }.joined(separator: " OR ")
    let query = try bind(text)
    #expect(try store.rows(query)?.count == dataset.evaluate(query).count)
  }

  @Test func listsBeyondThePlaceholderLimitAreWrittenOut() throws {
    var generator = RandomQueries(random: SeededGenerator(seed: 1))
    let dataset = generator.dataset()
    let store = try StoredDataset(dataset)
    let values = (0..<40_000).map { Value.int($0) }
    let query = try bind(
      "int IN $0 OR string IN $1",
      [.list(values), .list([.string("a'b"), .string("a")])]
    )
    #expect(try store.rows(query)?.count == dataset.evaluate(query).count)
  }

  @Test func ordersLikeTheReference() throws {
    let dataset = try VectorDataset.load()
    let store = try StoredDataset(dataset)
    var wrong: [String] = []
    var count = 0
    for row in try VectorFiles.rows(of: "rql.jsonl") where row["ordered_pks"] != nil {
      let text = row["query"]?.stringValue ?? ""
      let className = row["class"]?.stringValue ?? ""
      // Without a complete sort key the order is that of insertion, which the data set does not record.
      guard text.contains("_id ASC"), let query = try? bind(text, on: className, dataset) else { continue }
      let expected = (row["ordered_pks"]?.arrayValue ?? []).compactMap(VectorValues.value)
      guard let rows = try store.rows(query) else { continue }
      let objects = dataset.rows(of: className)
      if rows.map({ objects[$0 - 1].value(of: "_id") }) != expected { wrong.append(text) }
      count += 1
    }
    #expect(wrong == [])
    #expect(count > 5)
  }

  @Test func ordersLikeTheReferenceOnItsOwnDataSets() throws {
    var wrong: [String] = []
    var count = 0
    for file in try SemanticsFile.load() {
      let store = try StoredDataset(file.dataset)
      for row in file.cases {
        guard let expected = file.keys(row.expected["ordered_ids"]),
          let query = try? bind(row.text, on: row.className, file.dataset)
        else { continue }
        guard let rows = try store.rows(query) else { continue }
        let objects = file.dataset.rows(of: row.className)
        if rows.map({ objects[$0 - 1].object.key }) != expected { wrong.append("\(file.name): \(row.text)") }
        count += 1
      }
    }
    #expect(wrong == [])
    #expect(count > 20)
  }

  private func bind(_ text: String, on className: String, _ dataset: Dataset) throws -> BoundQuery {
    try Query.parse(text).bind(to: dataset.schema, className: className)
  }
}
