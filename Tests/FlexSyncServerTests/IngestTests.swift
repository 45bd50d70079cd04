// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncProtocol
import FlexSyncStorage
import Testing

@testable import FlexSyncServer

@Suite("Asymmetric classes: data that are uploaded and never sent down")
struct IngestTests {
  private static let schema = Schema([
    ClassSchema(
      name: "Reading",
      kind: .asymmetric,
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "sensor", type: .string, isNullable: true),
        PropertySchema(name: "place", type: .link, isNullable: true, linkTarget: "Place"),
        PropertySchema(name: "values", type: .double, collection: .list),
      ]
    ),
    ClassSchema(
      name: "Place",
      kind: .embedded,
      primaryKey: nil,
      properties: [PropertySchema(name: "name", type: .string, isNullable: true)]
    ),
    ClassSchema(
      name: "Note",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [PropertySchema(name: "text", type: .string, isNullable: true)]
    ),
  ])
  private static let schemas = [
    "readings": #"""
    {"title":"Reading","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"long"},
    "sensor":{"bsonType":"string"},"values":{"bsonType":"array","items":{"bsonType":"double"}},
    "place":{"title":"Place","bsonType":"object","properties":{"name":{"bsonType":"string"}}}}}
    """#,
    "notes": #"""
    {"title":"Note","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"long"},
    "text":{"bsonType":"string"}}}
    """#,
  ]
  private static let everyNote = #"{"Note":"(TRUEPREDICATE)"}"#

  private func app() -> SmallApp {
    SmallApp(sync: #""asymmetric_tables":["Reading"]"#, schemas: Self.schemas)
  }

  private func client(_ harness: Harness, _ query: String = everyNote) throws -> SyncClient {
    let client = try SyncClient(harness, schema: Self.schema)
    try client.connect()
    client.subscribe(query)
    try client.synchronize()
    return client
  }

  private func reading(_ key: Int64) -> ObjectReference { ObjectReference(table: "Reading", key: .int(key)) }

  private func path(_ object: ObjectReference, _ field: String, _ steps: [PathElement] = []) -> PropertyPath {
    PropertyPath(object: object, field: field, path: steps)
  }

  private func newReading(_ key: Int64, sensor: String) -> [Instruction] {
    let object = reading(key)
    return [
      .createObject(object),
      .update(path(object, "sensor"), .value(.string(sensor)), .isDefault(false)),
      .update(path(object, "place"), .object, .isDefault(false)),
      .update(path(object, "place", [.name("name")]), .value(.string("roof")), .isDefault(false)),
      .arrayInsert(path(object, "values", [.index(0)]), .value(.double(21.5)), priorSize: 0),
    ]
  }

  /// Uploads and keeps nothing, as devices do.
  private func ingest(_ instructions: [Instruction], by client: SyncClient) throws {
    try client.write { objects in
      try objects.apply(instructions)
      try objects.eraseAsymmetricObjects()
      return instructions
    }
  }

  private func note(_ key: Int64, _ text: String) -> [Instruction] {
    let object = ObjectReference(table: "Note", key: .int(key))
    return [
      .createObject(object),
      .update(path(object, "text"), .value(.string(text)), .isDefault(false)),
    ]
  }

  @Test(
    "Asymmetric objects are stored without a subscription, and nobody is told of them",
    arguments: [false, true]
  )
  func stored(isDevelopmentMode: Bool) throws {
    let app = isDevelopmentMode ? SmallApp(isDevelopmentMode: true) : app()
    let harness = try Harness(app: app.path)
    let author = try client(harness)
    let other = try client(harness)
    let versions = [author, other].map(\.progress.download.serverVersion)
    let historyVersion = try #require(harness.server.apps[Harness.appID]).engine.history.version
    try ingest((1...20).flatMap { newReading($0, sensor: "s\($0)") }, by: author)
    try author.synchronize()
    try other.synchronize()
    let state = try harness.openState()
    #expect(try state.schema["Reading"]?.kind == .asymmetric)
    #expect(try state.contents(of: "Reading").count == 20)
    #expect(try state.value("sensor", of: reading(7)) == .string("s7"))
    #expect(try state.contents(of: "Reading")[.int(7)]?.count == newReading(7, sensor: "s7").count)
    #expect(author.rejections.isEmpty && author.failures.isEmpty && other.failures.isEmpty)
    for client in [author, other] {
      #expect(try client.objects.contents(of: "Reading").isEmpty)
    }
    // Nothing of them has been sent, and nothing is kept to be sent.
    #expect([author, other].map(\.progress.download.serverVersion) == versions)
    #expect(harness.server.apps[Harness.appID]?.engine.history.version == historyVersion)
    // A client that comes later is not told either.
    let later = try client(harness)
    #expect(try later.objects.contents(of: "Reading").isEmpty)
  }

  @Test("Other classes of the same transaction sync as usual")
  func mixed() throws {
    let app = app()
    let harness = try Harness(app: app.path)
    let author = try client(harness)
    let other = try client(harness)
    try ingest(newReading(1, sensor: "a") + note(1, "one"), by: author)
    try author.synchronize()
    try other.synchronize()
    #expect(try other.objects.contents(of: "Note").count == 1)
    #expect(try harness.openState().contents(of: "Reading").count == 1)
  }

  @Test("A subscription to an asymmetric class is refused, and the session goes on")
  func subscription() throws {
    let app = app()
    let harness = try Harness(app: app.path)
    let client = try client(harness)
    client.subscribe(#"{"Reading":"(TRUEPREDICATE)","Note":"(TRUEPREDICATE)"}"#)
    try client.synchronize()
    #expect(
      client.queryErrors.values.map { $0 } == [
        #"Invalid query: unsupported query for table "Reading": objects of an asymmetric table cannot be queried"#
      ]
    )
    try ingest(newReading(1, sensor: "a"), by: client)
    try client.synchronize()
    #expect(try harness.openState().contents(of: "Reading").count == 1)
  }

  @Test("An object whose key was ingested before is refused with error 230, and the rest is taken")
  func twice() throws {
    let app = app()
    let harness = try Harness(app: app.path)
    let author = try client(harness)
    let other = try client(harness)
    try ingest(newReading(1, sensor: "first"), by: author)
    try author.synchronize()
    try ingest(newReading(1, sensor: "second") + newReading(2, sensor: "new") + note(5, "kept"), by: other)
    try harness.run(until: { !other.failures.isEmpty }, "error")
    let error = try #require(other.failures.first)
    #expect(error.code == .writeNotAllowed && error.session == 1)
    #expect(error.info.action == .warning && error.info.tryAgain)
    #expect(error.info.compensatingWriteServerVersion == nil && error.info.rejectedClientVersion != nil)
    #expect(
      error.info.rejectedUpdates == [
        RejectedUpdate(
          className: "Reading",
          key: .int(1),
          reason: #"write to "1" in table "Reading" not allowed; "#
            + "an object with this primary key has been ingested before"
        )
      ]
    )
    // The client binds again, and need not send it again.
    other.withdraw { _ in false }
    other.disconnect()
    try other.connect()
    try other.synchronize()
    #expect(other.failures.isEmpty && other.rejections.isEmpty)
    let state = try harness.openState()
    #expect(try state.value("sensor", of: reading(1)) == .string("first"))
    #expect(try state.value("sensor", of: reading(2)) == .string("new"))
    #expect(try state.contents(of: "Note").count == 1)
  }

  @Test("What was ingested can be neither changed nor erased by clients")
  func changes() throws {
    let app = app()
    let harness = try Harness(app: app.path)
    let author = try client(harness)
    try ingest(newReading(1, sensor: "first"), by: author)
    try author.synchronize()
    let change = Instruction.update(
      path(reading(1), "sensor"),
      .value(.string("forged")),
      .isDefault(false)
    )
    for instruction in [change, .eraseObject(reading(1))] {
      let forger = try client(harness)
      try forger.write { _ in [instruction] }
      try harness.run(until: { !forger.failures.isEmpty }, "error")
      #expect(forger.failures.map(\.code) == [.writeNotAllowed])
      forger.disconnect()
    }
    #expect(try harness.openState().value("sensor", of: reading(1)) == .string("first"))
  }

  // MARK: Schema

  private func refusal(_ classes: [ClassSchema]) throws -> String? {
    let app = SmallApp(isDevelopmentMode: true)
    let harness = try Harness(app: app.path)
    let schema = try #require(harness.server.apps[Harness.appID]).engine.schema
    do {
      _ = try schema.accept(ObjectStore.declarations(of: Schema(classes)))
      return nil
    } catch let failure as SessionFailure {
      #expect(failure.code == .invalidSchemaChange && failure.action == .applicationBug && !failure.tryAgain)
      return failure.message
    }
  }

  @Test("Asymmetric classes with links, and links to them, are refused")
  func links() throws {
    let key = PropertySchema(name: "_id", type: .int)
    let note = ClassSchema(name: "Note", primaryKey: key, properties: [])
    let link = PropertySchema(name: "note", type: .link, isNullable: true, linkTarget: "Note")
    let linking = ClassSchema(name: "Reading", kind: .asymmetric, primaryKey: key, properties: [link])
    #expect(
      try refusal([note, linking])
        == #"Invalid schema change (UPLOAD): property "Reading.note" links to class "Note"; "#
        + "asymmetric objects can hold embedded objects, but no links"
    )
    let plain = ClassSchema(name: "Reading", kind: .asymmetric, primaryKey: key, properties: [])
    var linked = note
    linked.properties = [PropertySchema(name: "last", type: .link, isNullable: true, linkTarget: "Reading")]
    #expect(
      try refusal([plain, linked])
        == #"Invalid schema change (UPLOAD): property "Note.last" links to class "Reading", which is asymmetric: "#
        + "nothing can link to its objects"
    )
  }

  @Test("An app directory with relationships of asymmetric classes is refused with file and key")
  func directory() throws {
    let app = app()
    app.folder.write(
      Self.schemas["notes", default: ""].replacing(
        #""text":{"bsonType":"string"}"#,
        with: #""last":{"bsonType":"long"}"#
      ),
      to: "data_sources/s/d/notes/schema.json"
    )
    app.writeRelationships(
      ##"{"last":{"ref":"#/relationship/s/d/readings","foreign_key":"_id","is_list":false}}"##,
      of: "notes"
    )
    let error = #expect(throws: ConfigurationError.self) { try AppDirectory.load(app.path) }
    let problem = try #require(error?.problems.first)
    #expect(problem.file == "sync/config.json" && problem.key == "asymmetric_tables")
    #expect(problem.message.contains(#"class "Reading" is asymmetric, but field "last" of class "Note""#))
  }

  @Test("Collections can be named in place of their classes, and names without a schema are reported")
  func names() throws {
    let app = SmallApp(sync: #""asymmetric_tables":["readings","Nothing"]"#, schemas: Self.schemas)
    let configuration = try AppDirectory.load(app.path)
    #expect(configuration.schema["Reading"]?.kind == .asymmetric)
    #expect(configuration.warnings.contains { $0.message.contains(#"names "Nothing""#) })
  }
}
