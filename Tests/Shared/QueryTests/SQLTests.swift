// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import FlexSyncTestSupport
import Foundation
import Testing

@Suite struct SQLTests {
  private func bind(_ text: String, _ arguments: [QueryArgument] = [], on className: String = "A") throws
    -> BoundQuery
  {
    try Query.parse(text).bind(to: RandomQueries.schema, className: className, arguments: arguments)
  }

  private func randomStore() throws -> (dataset: Dataset, store: StoredDataset) {
    var generator = RandomQueries(random: SeededGenerator(seed: 1))
    let dataset = generator.dataset()
    return (dataset, try StoredDataset(dataset))
  }

  @Test(arguments: [
    "int == 1", "int > 1", "int > 1 AND bool == true", "string BEGINSWITH 'ab'", "int IN {1, 2}",
    "timestamp >= T0:5", "timestamp == T0:5", "double > 1.5 and double < 3", "int BETWEEN {1, 5}",
    "string == 'a' and NOT bool == true", "string == 'a' OR string == 'b' OR int == 4", "decimal == 1.5",
    "decimal > 2", "mixed == 'a'", "mixed == 5", "mixed IN {1, 'a'}",
    "uuid == uuid(00000000-0000-0001-0000-000000000001)",
    "_id == 3", "_id IN {1, 2}", "_id > 4", "toA == obj('A', 1)", "stringOpt == NULL",
    "int == 1 AND stringMap['a'] == 'x' AND mixedList[0] == 3",
  ])
  func conditionsOnIndexedPropertiesUseTheIndex(text: String) throws {
    let plan = try randomStore().store.explain(try bind(text, on: "B")).plan
    let index = plan.contains { $0.contains("SEARCH t0 USING") }
    #expect(index, "\(plan)")
  }

  @Test(arguments: [
    "TRUEPREDICATE SORT(int ASC)", "TRUEPREDICATE SORT(stringOpt ASC)", "TRUEPREDICATE SORT(timestamp ASC)",
    "TRUEPREDICATE SORT(int ASC) LIMIT(3)", "_id > 2 SORT(_id DESC)",
  ])
  func sortingByAnIndexedPropertyFollowsTheIndex(text: String) throws {
    let plan = try randomStore().store.explain(try bind(text, on: "B")).plan
    #expect(
      plan.contains { $0.contains("INDEX") } && !plan.contains("USE TEMP B-TREE FOR ORDER BY"),
      "\(plan)"
    )
  }

  @Test(arguments: [1, 2, 5, 10, 20])
  func deeplyNestedQueriesRun(depth: Int) throws {
    let (dataset, store) = try randomStore()
    var (logic, arithmetic, subqueries) = ("int == 1", "int", "$x0.int > 0")
    for level in 0..<depth {
      logic = level % 2 == 0 ? "NOT (\(logic) OR bool == true)" : "(\(logic) AND double < 3)"
      arithmetic = "(\(arithmetic) + 1)"
      if level < 12 {
        subqueries =
          "SUBQUERY($x\(level + 1).allA, $x\(level), \(subqueries) OR $x\(level).bool == true).@count > 0"
      }
    }
    subqueries = subqueries.replacingOccurrences(of: "$x\(min(depth, 12)).", with: "")
    for text in [logic, "\(arithmetic) == 42", subqueries] {
      let query = try bind(text)
      #expect(try store.rows(query)?.count == dataset.evaluate(query).count, "\(text)")
    }
  }

  @Test(arguments: [
    ("CONTAINS", true), ("CONTAINS[c]", true), ("BEGINSWITH[c]", true), ("ENDSWITH", true),
    ("ENDSWITH[c]", true),
    ("BEGINSWITH", false), ("LIKE", false), ("LIKE[c]", false), ("==[c]", false),
  ])
  func partsOfOneTextAreLookedForAtOnce(symbol: String, isGathered: Bool) throws {
    let (dataset, store) = try randomStore()
    let parts = ["a", "B", "k", "é", "ab", "x", "aB", "b", "*b", "?a", "z", ""]
    for property in ["string", "stringOpt", "toA.string"] {
      let tests = parts.map { "\(property) \(symbol) '\($0)'" }.joined(separator: " OR ")
      let list = "\(property) \(symbol) ANY {\(parts.map { "'\($0)'" }.joined(separator: ", "))}"
      for text in [
        tests, "NOT (\(tests))", "(\(tests)) AND int > 1", "int == 1 OR \(tests) OR stringOpt == NULL", list,
        "NOT \(list)",
      ] {
        let query = try bind(text, on: "B")
        #expect(try store.rows(query)?.count == dataset.evaluate(query).count, "\(text)")
        #expect(try store.explain(query).sql.contains("flx_any_part") == isGathered, "\(text)")
      }
    }
  }

  @Test func manyConditionsStayWithinTheDepthThatSQLiteAllows() throws {
    let (dataset, store) = try randomStore()
    let text = (0..<5_000).map { "int == \($0)" }.joined(separator: " OR ")
    let query = try bind(text)
    #expect(try store.rows(query)?.count == dataset.evaluate(query).count)
  }

  @Test func listsBeyondThePlaceholderLimitAreWrittenOut() throws {
    let (dataset, store) = try randomStore()
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
