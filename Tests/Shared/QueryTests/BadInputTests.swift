// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import Testing

@testable import FlexSyncQuery

/// Texts that are wrong, deep or long must cost no more than their length and end in an error or an answer.
@Suite struct BadInputTests {
  private static let schema = Schema([
    ClassSchema(
      name: "C",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "a", type: .int), PropertySchema(name: "any", type: .mixed),
        PropertySchema(name: "s", type: .string), PropertySchema(name: "m", type: .mixed),
        PropertySchema(name: "list", type: .link, collection: .list, linkTarget: "C"),
      ]
    )
  ])

  private static let depths = Array(stride(from: 0, to: 110, by: 5)) + [300]

  private static let longQueries: [String] = [
    chain("a==1", 25_000, " OR "), chain("a==1", 25_000, " AND "),
    "a IN {" + chain("1", 100_000, ",") + "}", "s IN {" + chain("'x'", 50_000, ",") + "}",
    "m" + chain("[0]", 80_000, "") + " == 1", chain("list", 45_000, ".") + ".a == 1",
  ]

  private static func chain(_ part: String, _ count: Int, _ separator: String) -> String {
    [String](repeating: part, count: count).joined(separator: separator)
  }

  private static func bind(_ text: String) throws(QueryError) -> BoundQuery {
    try Query.parse(text).bind(to: schema, className: "C")
  }

  @Test(arguments: [
    ("(", "a == 1", ")"), ("!", "a == 1", ""), ("NOT ", "a == 1", ""), ("!(", "a == 1 or a == 2", ")"),
    ("SUBQUERY(list, $x, ", "a == 1", ").@count > 0"), ("(a == 1 or (a == 2 and ", "a == 1", "))"),
    ("", "a == 1", ""), ("a == 1 and (", "a == 1 or a == 2", ")"),
  ])
  func theDeepestQueriesThatAreAcceptedFitOnASmallStack(opening: String, inner: String, closing: String) {
    SmallStack.run {
      var accepted = 0
      for depth in Self.depths {
        // Nested subqueries need a variable each.
        let openings = (0..<depth).map { opening.split(separator: "$x").joined(separator: "$x\($0)") }
          .joined()
        let text = openings + inner + String(repeating: closing, count: depth)
        guard let query = try? Self.bind(text) else { continue }
        accepted = depth
        let canonical = query.canonicalText
        let again = try? Self.bind(canonical)
        #expect(again == query, "\(depth) times \(opening)")
        _ = query.predicate.matches(RowImage())
        _ = query.hashValue
      }
      #expect(accepted >= 15)
    }
  }

  @Test func theDeepestArithmeticThatIsAcceptedFitsOnASmallStack() {
    SmallStack.run {
      var accepted = 0
      for depth in Self.depths {
        for text in [
          "a" + String(repeating: " + a", count: depth) + " == 1",
          String(repeating: "a - (", count: depth) + "a" + String(repeating: ")", count: depth) + " == 1",
        ] {
          guard let query = try? Self.bind(text) else { continue }
          accepted = depth
          #expect((try? Self.bind(query.canonicalText)) == query, "\(text)")
          _ = query.predicate.matches(RowImage())
        }
      }
      #expect(accepted >= 40)
    }
  }

  @Test(arguments: [
    "(", "!", "NOT ", "{", "[", "'", "\"", "a", "@", "@size", "@valuesvalues", "1", "1-1-1@1:1:", "-", "T1:",
    "L1", "B64\"",
    "uuid(", "a.", "a[", "a[0]", "a['k']", "$K0.", "a == 1 AND ", "a == 1 OR ", "{1,", "a IN {1,", "s == '\\",
    "\\",
    "a + ", "é", "\u{0}", "a ==[c]", "SORT(", "TRUEPREDICATE LIMIT(1)", "SUBQUERY(", "geoPolygon({[1.0,1.0],",
    "m[0]", "m.a",
  ])
  func longTextsOfOneKindTakeTimeInProportionToTheirLength(part: String) {
    let clock = ContinuousClock()
    let text = String(repeating: part, count: 32_000 / part.utf8.count)
    let time = clock.measure { _ = try? Self.bind(text) }
    #expect(time < .seconds(5), "\(part): \(time)")
  }

  @Test func longQueriesAreBoundAndPrintedInProportionToTheirLength() throws {
    let clock = ContinuousClock()
    for text in Self.longQueries {
      let time = try clock.measure {
        let query = try Self.bind(text)
        let canonical = query.canonicalText
        if canonical.utf8.count <= Query.maximumByteCount { #expect(try Self.bind(canonical) == query) }
      }
      #expect(time < .seconds(20), "\(text.prefix(20)): \(time)")
    }
  }
}
