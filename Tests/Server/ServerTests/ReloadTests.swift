// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import Testing

@testable import FlexSyncServer

@Suite("Reading an app directory again while it is served")
struct ReloadTests {
  private let app = NoteApp()
  private static let note = NoteApp.note

  init() { allow(queries: "level", read: "true") }

  private func allow(queries field: String, read: String) {
    app.allow(queries: "level", field)
    app.folder.write(
      """
      {"roles":[{"name":"all","apply_when":{},"document_filters":{"read":\(read),"write":\(read)},
        "read":true,"write":true,"insert":true,"delete":true}]}
      """,
      to: "data_sources/s/default_rule.json"
    )
  }

  private func set(_ field: String, _ value: Value) -> Instruction {
    .update(PropertyPath(object: Self.note, field: field), .value(value), .isDefault(false))
  }

  @Test("New rules hold for sessions that go on; a directory that cannot be used changes nothing")
  func rules() throws {
    let harness = try Harness(app: app.path)
    let client = try app.client(harness, "TRUEPREDICATE")
    try client.write(.createObject(Self.note), set("level", .int(1)))
    try client.synchronize()
    let connection = try #require(client.connection)
    allow(queries: "level", read: #"{"level":{"$gt":1}}"#)
    harness.server.reload()
    try client.synchronize()
    #expect(try client.objects.contents(of: "Note").isEmpty)
    app.folder.write("{", to: "data_sources/s/default_rule.json")
    harness.server.reload()
    try client.synchronize()
    #expect(try client.objects.contents(of: "Note").isEmpty)
    allow(queries: "level", read: #"{"level":{"$lt":2}}"#)
    harness.server.reload()
    try client.synchronize()
    #expect(try client.objects.contents(of: "Note").count == 1)
    #expect(client.connection === connection && client.failures.isEmpty)
  }

  @Test("Only sessions whose subscriptions are not allowed any more start over")
  func queryableFields() throws {
    allow(queries: "text", read: "true")
    let harness = try Harness(app: app.path)
    let (levels, texts) = (try app.client(harness, "level > 0"), try app.client(harness, "text == 'x'"))
    allow(queries: "level", read: "true")
    harness.server.reload()
    try levels.synchronize()
    try harness.run(until: { !texts.failures.isEmpty }, "error")
    #expect(levels.failures.isEmpty && levels.isConnected)
    #expect(texts.failures.map(\.code) == [.badClientFile])
  }
}
