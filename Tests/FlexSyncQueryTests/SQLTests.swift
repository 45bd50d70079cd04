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
    let store = try SQLStore(generator.dataset())
    for property in ["int", "string", "timestamp", "double"] { try store.createIndex("A", property) }
    #expect(try store.plan(try bind(text)).contains("INDEX index."))
  }

  @Test func manyConditionsStayWithinTheDepthThatSQLiteAllows() throws {
    var generator = RandomQueries(random: SeededGenerator(seed: 1))
    let dataset = generator.dataset()
    let store = try SQLStore(dataset)
    let text = (0..<5_000).map { "int == \($0)" }.joined(separator: " OR ")
    let query = try bind(text)
    #expect(try store.rows(query).count == dataset.evaluate(query).count)
  }

  @Test func listsBeyondThePlaceholderLimitAreWrittenOut() throws {
    var generator = RandomQueries(random: SeededGenerator(seed: 1))
    let dataset = generator.dataset()
    let store = try SQLStore(dataset)
    let values = (0..<40_000).map { Value.int($0) }
    let query = try bind(
      "int IN $0 OR string IN $1",
      [.list(values), .list([.string("a'b"), .string("a")])]
    )
    #expect(try store.rows(query).count == dataset.evaluate(query).count)
  }

  @Test func ordersLikeTheReference() throws {
    let dataset = try VectorDataset.load()
    let store = try SQLStore(dataset)
    var wrong: [String] = []
    var count = 0
    for row in try VectorFiles.rows(of: "rql.jsonl") where row["ordered_pks"] != nil {
      let text = row["query"]?.stringValue ?? ""
      let className = row["class"]?.stringValue ?? ""
      guard text.contains("_id ASC"),
        let query = try? Query.parse(text).bind(to: dataset.schema, className: className),
        let rows = try? store.rows(query)
      else { continue }
      let expected = (row["ordered_pks"]?.arrayValue ?? []).compactMap(VectorValues.value)
      let found = rows.map { dataset.rows(of: className)[$0 - 1].value(of: "_id") }
      if found != expected { wrong.append(text) }
      count += 1
    }
    #expect(wrong == [])
    #expect(count > 5)
  }
}
