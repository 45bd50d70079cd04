// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncProtocol
import Testing

@testable import FlexSyncServer

@Suite("The queryable fields change while a client is away")
struct QueryableFieldChangeTests {
  private let app = TemporaryDirectory()
  private static let note = ObjectReference(table: "Note", key: .int(1))

  private static let schema = Schema([
    ClassSchema(
      name: "Note",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "text", type: .string),
        PropertySchema(name: "level", type: .int),
      ]
    )
  ])

  init() {
    app.write(#"{"app_id":"tasktracker-abcde"}"#, to: "root_config.json")
    app.write(#"{"anon-user":{"type":"anon-user"}}"#, to: "auth/providers.json")
    app.write(App.openRule, to: "data_sources/s/default_rule.json")
    app.write(#"{"name":"s","type":"mongodb-atlas"}"#, to: "data_sources/s/config.json")
    app.write(
      """
      {"title":"Note","bsonType":"object","required":["_id","text","level"],
       "properties":{"_id":{"bsonType":"long"},"text":{"bsonType":"string"},"level":{"bsonType":"long"}}}
      """,
      to: "data_sources/s/d/Note/schema.json"
    )
    allow("text")
  }

  private func allow(_ fields: String...) {
    let names = fields.map { "\"\($0)\"" }.joined(separator: ",")
    app.write(
      """
      {"type":"flexible","state":"enabled","service_name":"s","database_name":"d","client_max_offline_days":30,
       "queryable_fields_names":[\(names)]}
      """,
      to: "sync/config.json"
    )
  }

  private func client(_ harness: Harness, _ query: String) throws -> SyncClient {
    let client = try SyncClient(harness, schema: Self.schema)
    try client.connect()
    client.subscribe(#"{"Note":"(\#(query))"}"#)
    try client.synchronize()
    return client
  }

  /// A client that has gone, and one that writes what it misses.
  private func awayAndWriter(_ harness: Harness, _ query: String) throws -> (SyncClient, SyncClient) {
    let away = try client(harness, query)
    away.disconnect()
    try harness.run(until: { !away.isConnected })
    let writer = try client(harness, "TRUEPREDICATE")
    try writer.write(.createObject(Self.note), TaskTracker.set("text", .string("new"), of: Self.note))
    try writer.synchronize()
    return (away, writer)
  }

  @Test("A client that was away goes on when a field has become queryable")
  func addition() throws {
    let harness = try Harness(app: app.path)
    let (away, _) = try awayAndWriter(harness, #"text == \"new\""#)
    try harness.restart { allow("text", "level") }
    try away.connect()
    try away.synchronize()
    #expect(away.failures.isEmpty)
    #expect(try away.objects.value("text", of: Self.note) == .string("new"))
  }

  @Test("A client starts over whose subscription needs a field that was not kept for a time")
  func removalAndReturn() throws {
    let harness = try Harness(app: app.path)
    let (away, writer) = try awayAndWriter(harness, #"text == \"new\""#)
    writer.disconnect()
    try harness.restart { allow("level") }
    try harness.restart { allow("text", "level") }
    try away.connect()
    #expect(away.failures.map(\.code) == [.clientFileExpired])
  }

  @Test("A client starts over whose subscription is not allowed any more")
  func removal() throws {
    let harness = try Harness(app: app.path)
    let (away, _) = try awayAndWriter(harness, #"text == \"new\""#)
    try harness.restart { allow("level") }
    try away.connect()
    #expect(away.failures.map(\.code) == [.badClientFile])
  }
}
