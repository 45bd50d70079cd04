// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import Testing

@Suite struct CanonicalTextTests {
  private static let schema = Schema([
    ClassSchema(
      name: "Task",
      primaryKey: PropertySchema(name: "_id", type: .objectId),
      properties: [
        PropertySchema(name: "name", type: .string), PropertySchema(name: "minutes", type: .int),
        PropertySchema(name: "score", type: .double), PropertySchema(name: "data", type: .binary),
        PropertySchema(name: "due date", type: .timestamp),
        PropertySchema(name: "tags", type: .string, collection: .list),
        PropertySchema(name: "team", type: .link, isNullable: true, linkTarget: "Task"),
      ]
    )
  ])

  private func canonical(_ text: String, _ arguments: QueryArgument...) throws -> String {
    try Query.parse(text).bind(to: Self.schema, className: "Task", arguments: arguments).canonicalText
  }

  @Test(arguments: [
    ("truepredicate", "TRUEPREDICATE"), ("NOT FALSEPREDICATE", "!(FALSEPREDICATE)"),
    ("name == 'a' && minutes>1 || minutes < 3", "(name == \"a\" and minutes > 1 or minutes < 3)"),
    ("(name == 'a' or name == 'b') and minutes = 1", "(name == \"a\" or name == \"b\") and minutes == 1"),
    ("name != nil", "name != NULL"), ("score == 2", "score == 2"), ("score > 2.5", "score > 2.5"),
    ("minutes == 1.0", "minutes == 1"), ("minutes == \"7\"", "minutes == 7"),
    ("minutes BETWEEN {1, 5}", "minutes >= 1 and minutes <= 5"), ("minutes in {3,1}", "minutes IN {3, 1}"),
    ("'red' in tags", "\"red\" == tags"), ("any tags ==[c] 'x'", "ANY tags ==[c] \"x\""),
    ("tags.@count == 2", "tags.@size == 2"),
    ("due\\ date == 2023-11-14@22:13:20", "due\\ date == T1700000000:0"),
    ("due\\ date == 2024-02-29@23:59:59", "due\\ date == T1709251199:0"),
    ("due\\ date == 2000-2-29T0:0:0", "due\\ date == T951782400:0"),
    ("name == 'a\\nb'", "name == B64\"YVxuYg==\""), ("data == bin('abc')", "data == binary(\"abc\")"),
    ("team.name == 'x' sort(name asc) limit(3)", "team.name == \"x\" SORT(name ASC) LIMIT(3)"),
    ("((name == 'a' or name == 'b') or name == 'c')", "(name == \"a\" or name == \"b\" or name == \"c\")"),
  ])
  func writesInTheReferencesStyle(text: String, expected: String) throws {
    #expect(try canonical(text) == expected)
  }

  @Test(arguments: [
    ("minutes + 1 * true == 2", "(minutes + (NULL + NULL)) == 2"), ("minutes == nil + 1", "minutes == NULL"),
    ("minutes - 69.7 / 0 == 2", "(minutes - (0.5 / 0)) == 2"), ("minutes < -2.5 / 0", "minutes < (-0.5 / 0)"),
    ("score == 2.5 / 0", "score == inf"), ("minutes == 2.5 / 0 * 0", "minutes == nan"),
  ])
  func writesOutcomesOfArithmeticThatAreNoLiteralsAsArithmetic(text: String, expected: String) throws {
    #expect(try canonical(text) == expected)
    #expect(try canonical(expected) == expected)
  }

  @Test func writesArgumentsAsLiterals() throws {
    #expect(try canonical("name == $0", .value(.string("tab\there"))) == "name == B64\"dGFiCWhlcmU=\"")
    #expect(try canonical("minutes IN $0", .list([.int(1), .null])) == "minutes IN {1, NULL}")
    let key = try #require(ObjectId(hex: "507f1f77bcf86cd799439011"))
    let link = Value.link(Link(className: "Task", key: .objectId(key)))
    #expect(
      try canonical("team == $0", .value(link)) == "team == obj(\"class_Task\",oid(507f1f77bcf86cd799439011))"
    )
    #expect(try canonical("data == $0", .value(.binary([0, 255]))) == "data == binary(B64\"AP8=\")")
  }

  @Test func combinesTheSubscriptionsOfASetPerClass() {
    let body = QuerySetBody.combine([
      (className: "Team", text: "TRUEPREDICATE"), (className: "Task", text: "b == 1"),
      (className: "Task", text: "a == 1"), (className: "Task", text: "b == 1"),
    ])
    #expect(body.map(\.className) == ["Task", "Team"])
    #expect(body.map(\.text) == ["(a == 1) OR (b == 1)", "(TRUEPREDICATE)"])
    #expect(QuerySetBody.combine([]).isEmpty)
  }
}
