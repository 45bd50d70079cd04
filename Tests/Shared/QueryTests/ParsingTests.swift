// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Testing

@testable import FlexSyncQuery

@Suite struct ParsingTests {
  @Test func acceptsAndRefusesWhatTheReferenceParserDoes() throws {
    var wrong: [String] = []
    for row in try VectorFiles.rows(of: "rql_parse.jsonl") {
      let text = try #require(row["query"]?.stringValue)
      let isValid = row["parse"]?.stringValue == "valid"
      do {
        _ = try Query.parse(text)
        if !isValid { wrong.append("accepted: \(text)") }
      } catch {
        if isValid { wrong.append("refused: \(text): \(error)") }
      }
    }
    #expect(wrong == [])
  }

  @Test func saysWhatIsWrongAndWhere() {
    let error = #expect(throws: QueryError.self) { try Query.parse("age == = 1") }
    #expect(error?.kind == .syntax)
    #expect(error?.message == "Invalid predicate: 'age == = 1': syntax error, unexpected ==")
    #expect(error?.position == 7)
  }

  @Test(arguments: ["é = `x`", "a == '", "\u{0}", "a == \"\\"])
  func refusesStrayCharacters(text: String) {
    #expect(throws: QueryError.self) { try Query.parse(text) }
  }

  @Test func refusesTextsBeyondTheSizeLimit() {
    let text = "a == \"" + String(repeating: "x", count: Query.maximumByteCount) + "\""
    let error = #expect(throws: QueryError.self) { try Query.parse(text) }
    #expect(error?.kind == .limit)
  }

  @Test(arguments: [("(", ")"), ("!", ""), ("NOT ", ""), ("SUBQUERY(a, $x, ", ").@count > 0")])
  func refusesNestingThatWouldExhaustTheStack(opening: String, closing: String) {
    let text =
      String(repeating: opening, count: 8_000) + "a == 1" + String(repeating: closing, count: 8_000)
    let error = #expect(throws: QueryError.self) { try Query.parse(text) }
    #expect(error?.kind == .limit)
  }

  @Test func refusesArithmeticThatWouldExhaustTheStack() {
    let error = #expect(throws: QueryError.self) {
      try Query.parse("a == " + String(repeating: "a + ", count: 5_000) + "a")
    }
    #expect(error?.kind == .limit)
  }

  @Test func acceptsManyConditionsInARow() throws {
    let text = [String](repeating: "a == 1", count: 10_000).joined(separator: " OR ")
    _ = try Query.parse(text)
  }
}
