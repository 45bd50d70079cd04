// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncWire
import Testing

@testable import FlexSyncServer

/// What a server answers to subscriptions, in its own words.
@Suite("Subscriptions that are taken and refused")
struct QueryRefusalTests {
  private let app = StoreApp()
  private let harness: Harness
  private let client: SyncClient

  init() throws {
    harness = try Harness(app: app.path)
    client = try SyncClient(harness, schema: StoreApp.schema)
    try client.connect()
    client.subscribe(#"{"Store":"(region == \"Northeast\")"}"#)
    try client.synchronize()
    let stores =
      StoreApp.newStore(1, storeID: 1, region: "Northeast", genres: ["comedy"])
      + StoreApp.newStore(2, storeID: 2, region: "Northeast")
    try client.write { objects in
      try objects.apply(stores)
      return stores
    }
    try client.synchronize()
  }

  private func keys() throws -> Set<PrimaryKey> { Set(try client.objects.contents(of: "Store").keys) }

  private func subscribe(_ query: String) throws {
    let escaped = query.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: #"\""#)
    client.subscribe("{\"Store\":\"(\(escaped))\"}")
    try client.synchronize()
  }

  /// Subscribes to what the server refuses.
  private func refusal(of query: String) throws -> String? {
    let count = client.queryErrors.count
    let version = client.queryVersion
    try subscribe(query)
    #expect(client.queryErrors.count == count + 1, "\(query)")
    #expect(client.queryVersion == version, "the set before stays in force: \(query)")
    #expect(try keys() == [.int(1), .int(2)], "and so do its objects: \(query)")
    return client.queryErrors.max { $0.key < $1.key }?.value
  }

  private static func unsupported(_ reason: String) -> String {
    "Invalid query: unsupported query for table \"Store\": \(reason)"
  }

  // Feature 13, 82, 178
  @Test("A field that is not queryable is named, and a set that is good brings sync on")
  func notQueryable() throws {
    let expected = Self.unsupported("key \"secret\" is not a queryable field")
    #expect(try refusal(of: "secret == 'x'") == expected)
    #expect(try refusal(of: "region == 'Northeast' AND secret == 'x'") == expected)
    #expect(try refusal(of: "nothing == 1") == Self.unsupported("key \"nothing\" is not a queryable field"))
    let errors = try #require(client.connection).queryErrors
    #expect(errors.map(\.code) == [.badQuery, .badQuery, .badQuery])
    // The session went on all the time.
    #expect(client.isConnected && client.failures.isEmpty)
    try client.write(
      .update(
        PropertyPath(object: StoreApp.store(1), field: "num_employees"),
        .value(.int(7)),
        .isDefault(false)
      )
    )
    try client.synchronize()
    #expect(try harness.openState().value("num_employees", of: StoreApp.store(1)) == .int(7))
    try subscribe("_id == 2")
    #expect(try keys() == [.int(2)])
  }

  // Feature 178
  @Test("Bad syntax is told as such, with the place")
  func syntax() throws {
    let message = try #require(try refusal(of: "region =="))
    #expect(message.hasPrefix("Client provided query with bad syntax: Invalid predicate: '(region ==)': "))
  }

  // Feature 102, 103
  @Test("Aggregates are refused; @count is for arrays")
  func aggregates() throws {
    for function in ["@avg", "@max", "@min", "@sum"] {
      let expected = Self.unsupported("\(function) is not allowed in a subscription")
      #expect(try refusal(of: "scores.\(function) > 1") == expected)
    }
    #expect(
      try refusal(of: "region.@count > 1")
        == Self.unsupported("@count is only allowed on array fields, and \"region\" is not one")
    )
    try subscribe("genres.@count == 1")
    #expect(try keys() == [.int(1)])
  }

  // Feature 104
  @Test("Sorting, distinct values and limits are refused")
  func clauses() throws {
    for (clause, word) in [
      ("SORT(region ASC)", "SORT"), ("DISTINCT(region)", "DISTINCT"), ("LIMIT(1)", "LIMIT"),
    ] {
      // As a client would send it that does not put the query in parentheses.
      client.subscribe("{\"Store\":\"TRUEPREDICATE \(clause)\"}")
      try client.synchronize()
      #expect(
        client.queryErrors.max { $0.key < $1.key }?.value
          == Self.unsupported("\(word) is not allowed in a subscription")
      )
    }
    #expect(try keys() == [.int(1), .int(2)])
  }

  // Feature 107, 108, 109
  @Test("A list is compared with a constant, not with a list")
  func lists() throws {
    for query in [
      "{'comedy', 'horror', 'suspense'} IN genres", "ANY {'comedy', 'horror', 'suspense'} != ANY genres",
    ] {
      #expect(try refusal(of: query) == Self.unsupported("a list cannot be compared with a list"))
    }
    try subscribe("store_id IN { 1, 3, 5 }")
    #expect(try keys() == [.int(1)])
    try subscribe("'comedy' IN genres")
    #expect(try keys() == [.int(1)])
  }

  // Feature 19, 110
  @Test("Nothing inside of embedded or linked objects can be asked for, also if the configuration names them")
  func paths() throws {
    for (name, path) in [("address", "address.city"), ("owner", "owner.name")] {
      let expected = Self.unsupported("key \"\(name)\" is not a queryable field")
      #expect(try refusal(of: "\(path) == \"foo\"") == expected)
    }
  }

  // Feature 101, 106
  @Test("Comparisons, logic, ranges and texts select on the server as they say")
  func accepted() throws {
    for (query, expected) in [
      ("store_id > 1 AND NOT region == 'x'", [2]), ("store_id BETWEEN {2, 5} OR _id == 1", [1, 2]),
      ("region BEGINSWITH 'North' AND region ENDSWITH 'east' AND store_id != 1", [2]),
      ("region CONTAINS 'the' AND region LIKE 'N*t' AND NOT store_id IN {1}", [2]),
      ("region ==[c] 'NORTHEAST'", [1, 2]), ("FALSEPREDICATE", []),
    ] as [(String, Set<Int64>)] {
      try subscribe(query)
      #expect(try keys() == Set(expected.map(PrimaryKey.int)), "\(query)")
    }
    #expect(client.queryErrors.isEmpty)
  }
}
