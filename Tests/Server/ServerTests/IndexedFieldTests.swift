// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import Testing

@testable import FlexSyncServer

/// The rules and the examples of the documentation, on a real socket.
@Suite("The indexed queryable field")
struct IndexedFieldTests {
  private func client(_ field: String, _ first: String) throws -> (SyncClient, StoreApp) {
    let app = StoreApp(indexedField: field)
    let harness = try Harness(app: app.path)
    let client = try SyncClient(harness, schema: StoreApp.schema)
    try client.connect()
    try subscribe(client, first)
    let stores =
      StoreApp.newStore(1, storeID: 1, region: "Northeast", promotions: 9, employees: 9)
      + StoreApp.newStore(2, storeID: 2, region: "Northeast")
      + StoreApp.newStore(3, storeID: 3, region: "South")
    try client.write { objects in
      try objects.apply(stores)
      return stores
    }
    try client.synchronize()
    return (client, app)
  }

  private func subscribe(_ client: SyncClient, _ query: String, on className: String = "Store") throws {
    let escaped = query.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: #"\""#)
    client.subscribe("{\"\(className)\":\"\(escaped)\"}")
    try client.synchronize()
  }

  private func keys(_ client: SyncClient) throws -> Set<PrimaryKey> {
    Set(try client.objects.contents(of: "Store").keys)
  }

  // Feature 112, 114, 115, 116
  @Test("Queries that compare it with constants, joined by AND, are taken")
  func valid() throws {
    let (client, app) = try client("store_id", "(store_id IN {1,2,3})")
    for (query, expected) in [
      ("(store_id IN {1,2,3} AND region==\"Northeast\")", [1, 2]),
      ("(store_id == 1 AND (active_promotions < 5 OR num_employees < 10))", [1]),
      ("(store_id == 1) OR (store_id == 3 AND region == \"South\")", [1, 3]),
      ("(store_id IN {2,3})", [2, 3]), ("(region == \"South\" AND store_id > 0 AND store_id == 3)", [3]),
    ] as [(String, Set<Int64>)] {
      try subscribe(client, query)
      #expect(try keys(client) == Set(expected.map(PrimaryKey.int)), "\(query)")
    }
    #expect(client.queryErrors.isEmpty)
    withExtendedLifetime(app) {}
  }

  // Feature 112, 113, 116
  @Test("It may be a text, and classes that do not have it are queried without it")
  func text() throws {
    let (client, app) = try client("user_id", "(user_id == \"641374b03725038381d2e1fb\")")
    #expect(client.queryErrors.isEmpty)
    #expect(try keys(client) == [.int(1), .int(2), .int(3)])
    try subscribe(client, "(_id == 1)", on: "Person")
    #expect(client.queryErrors.isEmpty)
    try subscribe(client, "(_id == 1)")
    #expect(client.queryErrors.count == 1)
    withExtendedLifetime(app) {}
  }

  // Feature 113, 114, 115, 117, 118, 119, 120
  @Test(
    "Queries without it, with OR, or with another comparison are refused, and the set before stays in force"
  )
  func invalid() throws {
    let (client, app) = try client("store_id", "(store_id IN {1,2,3})")
    let version = client.queryVersion
    let queries = [
      "(store_id IN {1,2,3} OR region==\"Northeast\")",
      "(store_id == 1 AND active_promotions < 5 OR num_employees < 10)",
      "(store_id > 2 AND region==\"Northeast\")", "(region==\"Northeast\")", "(truepredicate)",
      "(NOT store_id == 1)", "(store_id != 1)", "(store_id == 1) OR (region == \"South\")",
      "(store_id == active_promotions)",
    ]
    for query in queries { try subscribe(client, query) }
    let message =
      "Invalid query: unsupported query for table \"Store\": the indexed queryable field \"store_id\" must be "
      + "compared with == or IN to a constant, and joined to the rest of the query by AND"
    #expect(client.queryErrors.sorted { $0.key < $1.key }.map(\.value) == queries.map { _ in message })
    #expect(client.queryVersion == version)
    #expect(try keys(client) == [.int(1), .int(2), .int(3)])
    withExtendedLifetime(app) {}
  }
}
