// SPDX-License-Identifier: Apache-2.0

import FlexSyncMatcher
import FlexSyncModel
import FlexSyncQuery
import Testing

@Suite struct PredicateIndexTests {
  private static let properties = [
    PropertySchema(name: "owner", type: .string, isNullable: true), PropertySchema(name: "done", type: .bool),
    PropertySchema(name: "minutes", type: .int),
    PropertySchema(name: "tags", type: .string, collection: .list),
  ]

  private func path(_ name: String) -> Operand {
    .path(PropertyPath(Self.properties.first { $0.name == name } ?? Self.properties[0], of: "Task"))
  }

  private func test(_ name: String, _ symbol: Comparison.Operator, _ constant: Value) -> Predicate {
    .comparison(Comparison(path(name), symbol, .constant(constant)))
  }

  @Test func equalPredicatesAreKeptOnceAndCounted() {
    var index = PredicateIndex()
    let ids = (0..<3).map { _ in index.add(test("owner", .equal, .string("alice"))) }
    #expect(Set(ids).count == 1 && index.count == 1)
    index.remove(ids[0])
    index.remove(ids[1])
    #expect(index.count == 1)
    index.remove(ids[2])
    #expect(index.count == 0)
  }

  @Test func everyTestThatCanBeReachedIsNotAskedOneByOne() {
    var index = PredicateIndex()
    let names = Operand.list([.string("a"), .null], nil)
    let reached: [Predicate] = [
      test("owner", .equal, .string("a")), .comparison(Comparison(path("owner"), .equal, names)),
      .comparison(Comparison(.constant(.string("a")), .equal, path("tags"))),
      test("minutes", .greater, .int(5)),
      .all([test("minutes", .greater, .int(5)), test("minutes", .less, .int(9))]),
      test("owner", .beginsWith, .string("a")), test("owner", .less, .string("b")),
      .all([test("owner", .notEqual, .string("x")), test("minutes", .equal, .int(1))]),
      .any([test("owner", .equal, .string("x")), test("minutes", .equal, .int(1))]),
      .not(.any([test("owner", .equal, .string("x")), .not(test("minutes", .equal, .int(1)))])), .never,
    ]
    for predicate in reached { _ = index.add(predicate) }
    #expect(index.residualCount == 0)
    let asked: [Predicate] = [
      .always, test("owner", .notEqual, .string("a")), test("owner", .like, .string("a*")),
      .not(test("owner", .equal, .string("a"))), .any([test("owner", .equal, .string("z")), .always]),
      .comparison(Comparison(path("owner"), .equal, .constant(.string("a")), ignoresCase: true)),
    ]
    for predicate in asked { _ = index.add(predicate) }
    #expect(index.residualCount == asked.count)
  }

  @Test func memoryDoesNotGrowWhilePredicatesComeAndGo() {
    var index = PredicateIndex()
    func turn() {
      let ids = (0..<500).map { number in
        index.add(
          .any([
            test("owner", .equal, .string("user \(number)")),
            .all([
              test("minutes", .greater, .int(Int64(number))), test("minutes", .less, .int(Int64(number) + 7)),
            ]),
            .all([test("done", .equal, .bool(true)), test("owner", .like, .string("*\(number)"))]),
          ])
        )
      }
      for id in ids { index.remove(id) }
    }
    for _ in 0..<3 { turn() }
    let byteCount = index.byteCount
    for _ in 0..<20 { turn() }
    #expect(index.count == 0)
    // The allocator rounds the sizes of arrays up, now by more, now by less.
    #expect(index.byteCount <= byteCount + byteCount / 100)
  }

  @Test func longConjunctionsAndProductsOfDisjunctionsTakeTimeInProportion() {
    var index = PredicateIndex()
    let tests = (0..<20_000).map { test("minutes", .equal, .int($0)) }
    let long = index.add(.all(tests))
    let pairs = (0..<2_000).map {
      Predicate.any([test("minutes", .equal, .int($0)), test("done", .equal, .bool(true))])
    }
    let wide = index.add(.all(pairs))
    let many = index.add(.any(tests))
    var found: [PredicateID: PredicateIndex.Match] = [:]
    let image = SlotImage(
      index.slots.map { name in
        name == "minutes" ? .value(.int(7)) : name == "done" ? .value(.bool(true)) : .value(.null)
      }
    )
    index.forEachMatch(before: nil, after: image) { found[$0] = $1 }
    #expect(found[long] == nil)
    #expect(found[wide] == PredicateIndex.Match(before: false, after: true))
    #expect(found[many] == PredicateIndex.Match(before: false, after: true))
  }
}
