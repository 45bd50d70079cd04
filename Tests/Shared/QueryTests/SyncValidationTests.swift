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
        PropertySchema(name: "friends", type: .link, collection: .list, linkTarget: "Person"),
        PropertySchema(name: "scores", type: .int, collection: .list),
        PropertySchema(name: "place", type: .link, isNullable: true, linkTarget: "Point"),
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
      name: "Point",
      kind: .embedded,
      primaryKey: nil,
      properties: [
        PropertySchema(name: "type", type: .string),
        PropertySchema(name: "coordinates", type: .double, collection: .list),
      ]
    ),
    ClassSchema(
      name: "Measurement",
      kind: .asymmetric,
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: []
    ),
  ])

  private static let fields: Set<String> = [
    "store_id", "region", "active_promotions", "num_employees", "genres", "owner", "address", "friends",
    "scores",
    "place",
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

  private static let aggregates = ["@avg", "@max", "@min", "@sum"]

  // Feature 102
  @Test(arguments: aggregates)
  func refusesAggregates(function: String) {
    let expected = Self.refusal("\(function) is not allowed in a subscription")
    #expect(message("scores.\(function) == 1") == expected)
    #expect(message("region == 'x' AND NOT scores.\(function) > 1") == expected)
  }

  // Feature 103
  @Test func allowsCountsOfArraysOnly() {
    #expect(message("genres.@count > 2") == nil)
    #expect(message("genres.@size > 2 AND genres[SIZE] < 5") == nil)
    for text in ["region.@count == 1", "owner.@count == 1"] {
      let field = String(text.prefix { $0 != "." })
      #expect(
        message(text) == Self.refusal("@count is only allowed on array fields, and \"\(field)\" is not one")
      )
    }
  }

  // Feature 104
  @Test(arguments: [
    ("SORT(region ASC)", "SORT"), ("DISTINCT(region)", "DISTINCT"), ("LIMIT(1)", "LIMIT"),
    ("LIMIT(1) SORT(region ASC)", "LIMIT"),
  ])
  func refusesClauses(clause: String, word: String) {
    #expect(
      message("TRUEPREDICATE \(clause)") == Self.refusal("\(word) is not allowed in a subscription")
    )
  }

  // Feature 109
  @Test(arguments: [
    "{'comedy','horror','suspense'} IN genres", "ANY {'comedy','horror','suspense'} != ANY genres",
    "genres == {'comedy'}", "ALL genres IN {'comedy'}",
  ])
  func refusesListsAgainstLists(text: String) {
    #expect(message(text) == Self.refusal("a list cannot be compared with a list"))
  }

  // Feature 110
  @Test(arguments: ["owner._id == 1", "address.city == \"foo\"", "friends._id == 1", "friends[0]._id == 1"])
  func refusesPathsThroughLinksAndEmbeddedObjects(text: String) {
    let path = text.prefix { $0 != " " }.split(separator: "0").joined(separator: "FIRST")
    #expect(
      message(text)
        == Self.refusal(
          "key \"\(path)\" goes through a link or an embedded object; only fields of the table itself can be queried"
        )
    )
  }

  @Test(arguments: [
    "place GEOWITHIN geoCircle([1, 2], 0.1)", "place GEOWITHIN geoCircle([-1, -2, 3], 1)",
    "NOT place GEOWITHIN geoBox([1, 2], [3, 4])",
    "place GEOWITHIN geoPolygon({[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]}) AND region == 'x'",
  ])
  func acceptsPlacesOnQueryablePoints(text: String) {
    #expect(message(text) == nil)
  }

  private static let noPoint =
    "GEOWITHIN is only allowed on a field with one embedded GeoJSON point (type and coordinates), and "

  @Test(arguments: [
    ("secret GEOWITHIN geoCircle([1, 2], 0.1)", "key \"secret\" is not a queryable field"),
    ("region GEOWITHIN geoCircle([1, 2], 0.1)", noPoint + "\"region\" is not one"),
    ("address GEOWITHIN geoCircle([1, 2], 0.1)", noPoint + "\"address\" is not one"),
    ("friends GEOWITHIN geoCircle([1, 2], 0.1)", noPoint + "\"friends\" is not one"),
    ("place == NULL", "key \"place\" holds points, which can only be queried with GEOWITHIN"),
    ("place.type == 'Point'", "key \"place\" holds points, which can only be queried with GEOWITHIN"),
    (
      "place GEOWITHIN geoCircle([-180.1, 2], 0.1)",
      "Invalid region in GEOWITHIN query for parameter 'GeoCircle([-180.1, 2.0], 0.1)': "
        + "'Longitude/latitude is out of bounds, lng: -180.1 lat: 2.0'"
    ),
  ])
  func refusesPlacesElsewhere(text: String, reason: String) {
    #expect(message(text) == Self.refusal(reason))
  }

  /// What the language has besides, and subscriptions do not (QueryLanguage §10).
  @Test(arguments: [
    ("store_id + 1 == 2", "arithmetic is not allowed in a subscription"),
    ("SUBQUERY(friends, $x, TRUEPREDICATE).@count > 0", "SUBQUERY is not allowed in a subscription"),
    ("@links.Person.x.@count > 0", "@links is not allowed in a subscription"),
    ("@links.@count > 0", "@links is not allowed in a subscription"),
    ("store_id == 'x'", "Unsupported comparison between type 'int' and type 'string'"),
    ("store_id == $0", "Request for argument at index 0 but no arguments are provided"),
    ("$K0 == 1", "Request for argument at index 0 but no arguments are provided"),
  ])
  func refusesWhatSubscriptionsMayNotAsk(text: String, reason: String) {
    #expect(message(text) == Self.refusal(reason))
  }

  private static func refusal(_ reason: String) -> String {
    "Invalid query: unsupported query for table \"Store\": \(reason)"
  }

  // Feature 106
  @Test func warnsOfComparisonsThatIgnoreCase() throws {
    let text = "region ==[c] 'x' AND (region BEGINSWITH[c] 'y' OR genres CONTAINS[c] 'z') AND store_id == 1"
    let query = try Query.parse(text).bind(to: Self.schema, className: "Store")
    let warnings = SyncQueryWarning.warnings(about: query.predicate)
    #expect(warnings == [.ignoresCase(field: "region"), .ignoresCase(field: "genres")])
    #expect(
      warnings.first?.description
        == "The comparison with \"region\" ignores case ([c]), so it cannot use an index; store the text in lower "
        + "case and compare that"
    )
    #expect(message(text) == nil)
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

  /// 256 KiB are 262,144 bytes.
  @Test func refusesQueriesBeyondTheSizeLimit() {
    let text = "region == \"" + String(repeating: "x", count: 256 * 1024 - 12) + "\""
    #expect(message(text) == nil)
    let error = #expect(throws: SyncQueryError.self) { try check(text + " ") }
    #expect(error?.kind == .limitsExceeded)
    #expect(
      error?.message == "query for table \"Store\" has 262145 bytes; a query may have at most 262144 bytes"
    )
  }

  @Test func refusesLikePatternsThatCouldTakeLong() {
    let longest = String(repeating: "?", count: SyncQueryValidator.maximumPatternByteCount)
    #expect(message("region LIKE '\(longest)'") == nil)
    let error = #expect(throws: SyncQueryError.self) { try check("region LIKE[c] '\(longest)*'") }
    #expect(error?.kind == .limitsExceeded)
    #expect(
      error?.message
        == "query for table \"Store\" has a LIKE pattern of 1025 bytes; a pattern may have at most 1024 bytes"
    )
    #expect(message("region LIKE region") == Self.refusal("the pattern of LIKE must be a constant"))
  }

  @Test(arguments: [
    "store_id == 1", "1 == store_id", "store_id IN {1,2,3}", "store_id IN {1,2,3} AND region==\"Northeast\"",
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
    let reason =
      "the indexed queryable field \"store_id\" must be compared with == or IN to a constant, and joined to the rest of "
      + "the query by AND"
    #expect(message(text, indexed: "store_id") == Self.refusal(reason))
  }
}
