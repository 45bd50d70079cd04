// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import Testing

@Suite struct SyncValidationTests {
  private static let schema = Schema([
    ClassSchema(
      name: "Store",
      primaryKey: PropertySchema(name: "_id", type: .objectId),
      properties: [
        PropertySchema(name: "store_id", type: .int), PropertySchema(name: "region", type: .string),
        PropertySchema(name: "active_promotions", type: .int),
        PropertySchema(name: "num_employees", type: .int),
        PropertySchema(name: "secret", type: .string),
        PropertySchema(name: "genres", type: .string, collection: .list),
        PropertySchema(name: "owner", type: .link, isNullable: true, linkTarget: "Person"),
        PropertySchema(name: "address", type: .link, isNullable: true, linkTarget: "Address"),
      ]
    ),
    ClassSchema(name: "Person", primaryKey: PropertySchema(name: "_id", type: .int), properties: []),
    ClassSchema(
      name: "Address",
      kind: .embedded,
      primaryKey: nil,
      properties: [PropertySchema(name: "city", type: .string)]
    ),
    ClassSchema(
      name: "Measurement",
      kind: .asymmetric,
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: []
    ),
  ])

  private static let fields: Set<String> = [
    "store_id", "region", "active_promotions", "num_employees", "genres", "owner", "address",
  ]

  private func check(_ text: String, on className: String = "Store", indexed: String? = nil)
    throws(SyncQueryError)
  {
    let policy = SyncQueryPolicy(
      queryableFields: ["Store": Self.fields],
      indexedFields: indexed.map { ["Store": $0] } ?? [:]
    )
    let validator = SyncQueryValidator(schema: Self.schema, policy: policy)
    _ = try validator.predicate(className: className, text: text)
  }

  private func message(_ text: String, on className: String = "Store", indexed: String? = nil) -> String? {
    do {
      try check(text, on: className, indexed: indexed)
      return nil
    } catch {
      return error.message
    }
  }

  @Test(arguments: [
    "TRUEPREDICATE", "(TRUEPREDICATE) OR (region == \"x\")", "store_id IN {1, 2, 3}", "'comedy' IN genres",
    "\"comedy\" == genres", "genres.@count > 2", "region BEGINSWITH[c] 'n' and store_id BETWEEN {1, 5}",
    "_id == oid(507f1f77bcf86cd799439011)", "NOT region LIKE 'a*'", "ALL genres == 'comedy'",
  ])
  func acceptsPlainQueriesOnQueryableFields(text: String) {
    #expect(message(text) == nil)
  }

  @Test(arguments: ["secret == 'x'", "nothing == 1", "region == 'x' AND secret CONTAINS 'y'"])
  func refusesFieldsThatAreNotQueryable(text: String) {
    let name = text.hasPrefix("nothing") ? "nothing" : "secret"
    #expect(
      message(text)
        == "Invalid query: unsupported query for table \"Store\": key \"\(name)\" is not a queryable field"
    )
  }

  @Test(arguments: [
    "TRUEPREDICATE SORT(region ASC)", "TRUEPREDICATE DISTINCT(region)", "TRUEPREDICATE LIMIT(1)",
    "genres.@max == 1", "genres.@sum == 1", "genres.@min == 1", "genres.@avg == 1", "region.@count == 1",
    "{'comedy', 'horror'} IN genres", "ANY {'comedy'} != ANY genres", "genres == {'comedy'}",
    "owner._id == 1", "address.city == 'Rome'", "store_id + 1 == 2",
    "SUBQUERY(genres, $x, TRUEPREDICATE).@count > 0",
    "@links.Person.x.@count > 0", "store_id == 'x'",
  ])
  func refusesWhatSubscriptionsMayNotAsk(text: String) {
    #expect(message(text)?.hasPrefix("Invalid query: unsupported query for table \"Store\": ") == true)
  }

  @Test func refusesClassesThatCannotBeQueried() {
    #expect(message("TRUEPREDICATE", on: "Address")?.contains("embedded") == true)
    #expect(message("TRUEPREDICATE", on: "Measurement")?.contains("asymmetric") == true)
    #expect(message("TRUEPREDICATE", on: "Nowhere")?.contains("does not exist") == true)
  }

  @Test func namesBadSyntax() {
    let expected = "Client provided query with bad syntax: Invalid predicate: 'region ==': "
    #expect(message("region ==")?.hasPrefix(expected) == true)
  }

  @Test func refusesQueriesBeyondTheSizeLimit() {
    let text = "region == \"" + String(repeating: "x", count: 256 * 1024) + "\""
    let error = #expect(throws: SyncQueryError.self) { try check(text) }
    #expect(error?.kind == .limitsExceeded)
  }

  @Test(arguments: [
    "store_id == 1", "store_id IN {1,2,3}", "store_id IN {1,2,3} AND region==\"Northeast\"",
    "store_id == 1 AND (active_promotions < 5 OR num_employees < 10)",
    "(store_id == 1) OR (store_id == 2 and region == \"x\")",
  ])
  func acceptsQueriesThatPinTheIndexedField(text: String) {
    #expect(message(text, indexed: "store_id") == nil)
  }

  @Test(arguments: [
    "store_id IN {1,2,3} OR region==\"Northeast\"",
    "store_id == 1 AND active_promotions < 5 OR num_employees < 10",
    "store_id > 2 AND region==\"Northeast\"", "region==\"Northeast\"", "truepredicate", "NOT store_id == 1",
    "store_id != 1",
  ])
  func refusesQueriesThatDoNotPinTheIndexedField(text: String) {
    #expect(message(text, indexed: "store_id")?.contains("indexed queryable field \"store_id\"") == true)
  }
}
