// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncWire
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncRules
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

  @Test("The default roles do not open a class that the directory no longer declares")
  func removedClass() throws {
    let harness = try Harness(app: app.path)
    let client = try app.client(harness, "TRUEPREDICATE")
    try client.write(.createObject(Self.note), set("level", .int(1)))
    try client.synchronize()
    app.rename(to: "Memo")
    harness.server.reload()
    try client.synchronize()
    #expect(try client.objects.contents(of: "Note").isEmpty)
    app.rename(to: "Note")
    harness.server.reload()
    try client.synchronize()
    #expect(try client.objects.contents(of: "Note").count == 1)
    #expect(client.failures.isEmpty)
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

  @Test(
    "A requested set that is not allowed any more when its turn comes is refused, and the one before it counts",
    arguments: [["text == 'x'"], ["level >= 0", "text == 'x'"]]
  )
  func requestedSet(queries: [String]) throws {
    allow(queries: "text", read: "true")
    let table = PermissionTable()
    table.customUserData = CustomUserDataPlace(className: "Note", userField: "text")
    var limits = DeliveryLimits()
    limits.turn = TurnBudget(stepCount: 60)
    let harness = try Harness(app: app.path, limits: limits, permissions: table)
    let userID = try harness.logIn().userID
    let admin = try DirectClient(harness, try harness.logIn().userID, #"{"Note":"(level >= 0)"}"#)
    admin.upload(notes(2...300), version: 2)
    let engine = try harness.engine()
    engine.runTurn()
    // It is told the difference to another view as ordinary changes, which takes several turns.
    let version = try #require(SyncProtocolVersion(rawValue: 13))
    let client = try DirectClient(harness, userID, #"{"Note":"(level > 0)"}"#, version)
    func hasSet() -> Bool {
      client.downloads.contains { $0.queryVersion == 1 && $0.batchState == .last }
    }
    try harness.run(until: hasSet, "the first set")

    // The user's custom data change in the turn that takes the sets, so that its view has to change first.
    for (offset, query) in queries.enumerated() {
      let body = Array(#"{"Note":"(\#(query))"}"#.utf8)
      client.channel.put(
        .query(session: 1, queryVersion: QueryVersion(offset + 2), body: body)
      )
    }
    table.users[userID] = Permissions(classes: [
      "Note": try .role(of: "Note", in: NoteApp.schema, read: "level > 1")
    ])
    admin.upload([.createObject(Self.note), set("text", .string(userID))], version: 3)
    engine.runTurn()
    #expect(engine.pendingQueries.count == queries.count)
    allow(queries: "level", read: "true")
    harness.server.reload()
    func refusals() -> [QueryVersion] {
      client.channel.received.compactMap {
        if case .queryError(_, _, let version, _) = $0 { version } else { nil }
      }
    }
    try harness.run(until: { !refusals().isEmpty }, "the refusal")
    #expect(refusals() == [QueryVersion(queries.count + 1)])
    let count = client.channel.received.count
    admin.upload([set("level", .int(2))], version: 4)
    try harness.run(until: { client.channel.received.count > count }, "the change")
    #expect(try client.instructions(after: count).contains(set("level", .int(2))))
    #expect(client.downloads.last?.queryVersion == QueryVersion(queries.count))
    #expect(client.session != nil && client.channel.isOpen)
  }

  private func notes(_ keys: ClosedRange<Int64>) -> [Instruction] {
    keys.flatMap { key -> [Instruction] in
      let note = ObjectReference(table: "Note", key: .int(key))
      let level = PropertyPath(object: note, field: "level")
      return [.createObject(note), .update(level, .value(.int(1)), .isDefault(false))]
    }
  }
}
