// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import Testing

@testable import FlexSyncQuery

/// Properties whose names are words of the query language, or that identifiers cannot be.
@Suite struct NameTests {
  private static let words = (Token.wordsOfAnyCase.map(\.key) + Token.exactWords.map(\.key)).map(String.init)
  private static let oddNames = [
    "a b", "a.b", "a+b", "a@b", "1st", "#", "#any", "O12", "$0", "$K1", "it's", "say \"it\"", "it's \"it\"",
    "a\\b",
    "a\nb", "ünd", "-", "", "uuid(1)", "T1:2", "any-1",
  ]

  private func bind(_ text: String, name: String, _ arguments: [QueryArgument] = []) throws -> BoundQuery {
    let schema = Schema([
      ClassSchema(
        name: "Task",
        primaryKey: PropertySchema(name: "_id", type: .objectId),
        properties: [
          PropertySchema(name: name, type: .int),
          PropertySchema(name: "next", type: .link, isNullable: true, linkTarget: "Task"),
          PropertySchema(name: "all tasks", type: .link, collection: .list, linkTarget: "Task"),
        ]
      )
    ])
    return try Query.parse(text).bind(to: schema, className: "Task", arguments: arguments)
  }

  @Test(arguments: words)
  func aNumberSignMakesAPropertyOfEveryWord(word: String) throws {
    let query = try bind("#\(word) == 3 AND next.#\(word) > 1", name: word)
    #expect(query == (try bind("#'\(word)' == 3 AND next.#\"\(word)\" > 1", name: word)))
    #expect(try bind(query.canonicalText, name: word) == query, "\(query.canonicalText)")
  }

  @Test(arguments: words)
  func sortingAndDistinctTakeEveryWord(word: String) throws {
    let query = try bind(
      "#\(word) == 3 SORT(#\(word) ASC, next.#\(word) DESC) DISTINCT(#\(word))",
      name: word
    )
    #expect(try bind(query.canonicalText, name: word) == query, "\(query.canonicalText)")
  }

  @Test(arguments: words)
  func wordsInKeyPathArgumentsAreNames(word: String) throws {
    #expect(try bind("$K0 == 3", name: word, [.keyPath(word)]) == bind("#\(word) == 3", name: word))
    #expect(
      try bind("$K0 == 3", name: word, [.keyPath("next.\(word)")]) == bind("next.#\(word) == 3", name: word)
    )
  }

  @Test(arguments: oddNames)
  func quotesAndBase64MakeANameOfAnyText(name: String) throws {
    let base64 = Base64Text.encode(Array(name.utf8))
    let query = try bind("#B64\"\(base64)\" == 3", name: name)
    #expect(try bind(query.canonicalText, name: name) == query, "\(query.canonicalText)")
    guard !name.contains("'"), !name.contains("\\") else { return }
    #expect(try bind("#'\(name)' == 3", name: name) == query)
  }

  @Test func quantifiersMeasuresAndSubqueriesTakeEscapedNames() throws {
    let query = try bind(
      "ALL #'all tasks'.#any > 1 AND #'all tasks'.@count > 2 AND #'all tasks'.@min.#any == 1 "
        + "AND SUBQUERY(#'all tasks', $x, $x.#any == 4).@count > 0 AND @links.Task.next.#any == 1",
      name: "any"
    )
    #expect(try bind(query.canonicalText, name: "any") == query, "\(query.canonicalText)")
  }

  @Test(arguments: [
    ("any", "#any == 3"), ("Null", "#Null == 3"), ("O12", "#O12 == 3"), ("sort", "sort == 3"),
    ("a b", "a\\ b == 3"),
    ("a.b", "#'a.b' == 3"), ("it's", "#\"it's\" == 3"), ("plain", "plain == 3"),
  ])
  func canonicalTextsEscapeOnlyWhatNeedsIt(name: String, canonical: String) throws {
    #expect(try bind("#\"\(name)\" == 3", name: name).canonicalText == canonical)
  }

  @Test(arguments: [
    "# any == 3", "#1 == 3", "#'any == 3", "#B64\"any == 3", "#== 3", "#", "#.any == 3", "a.#@links == 3",
  ])
  func aNumberSignWithoutANameIsASyntaxError(text: String) {
    let error = #expect(throws: QueryError.self) { try bind(text, name: "any") }
    #expect(error?.kind == .syntax)
  }

  @Test func namesInBase64AreChecked() {
    #expect(throws: QueryError.query("'x' is not valid Base64")) { try bind("#B64\"x\" == 3", name: "any") }
    #expect(throws: QueryError.query("#B64\"/w==\" is not a name: its bytes are not UTF-8")) {
      try bind("#B64\"/w==\" == 3", name: "any")
    }
  }
}
