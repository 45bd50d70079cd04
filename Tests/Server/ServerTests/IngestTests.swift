// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncWire
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncEngine
@testable import FlexSyncRules

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
      properties: [
        PropertySchema(name: "text", type: .string, isNullable: true),
        PropertySchema(name: "any", type: .mixed, isNullable: true),
      ]
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
    "text":{"bsonType":"string"},"any":{"bsonType":"mixed"}}}
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

  // Feature 18
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

  // Feature 17
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

  @Test(
    "What comes for an object that was ingested before is discarded without a word, and the rest is taken"
  )
  func twice() throws {
    let app = app()
    let harness = try Harness(app: app.path)
    let author = try client(harness)
    let other = try client(harness)
    try ingest(newReading(1, sensor: "first"), by: author)
    try author.synchronize()
    try ingest(newReading(1, sensor: "second") + newReading(2, sensor: "new") + note(5, "kept"), by: other)
    try other.synchronize()
    #expect(other.failures.isEmpty && other.rejections.isEmpty)
    let state = try harness.openState()
    #expect(try state.value("sensor", of: reading(1)) == .string("first"))
    #expect(try state.contents(of: "Reading")[.int(1)]?.count == newReading(1, sensor: "first").count)
    #expect(try state.value("sensor", of: reading(2)) == .string("new"))
    #expect(try state.contents(of: "Note").count == 1)
  }

  @Test("Ingested objects can be neither changed nor erased, with the same answer as where there is none")
  func changes() throws {
    let app = app()
    let harness = try Harness(app: app.path)
    let author = try client(harness)
    try ingest(newReading(1, sensor: "first"), by: author)
    try author.synchronize()
    for key in [Int64(1), 2] {
      let change = Instruction.update(path(reading(key), "sensor"), .value(.string("x")), .isDefault(false))
      let forger = try client(harness)
      try forger.write { _ in [change] }
      try harness.run(until: { !forger.failures.isEmpty }, "error")
      #expect(forger.failures.map(\.code) == [.writeNotAllowed])
      forger.disconnect()
      let eraser = try client(harness)
      try eraser.write { _ in [.eraseObject(reading(key))] }
      try eraser.synchronize()
      #expect(eraser.failures.isEmpty && eraser.rejections.isEmpty)
    }
    #expect(try harness.openState().value("sensor", of: reading(1)) == .string("first"))
  }

  @Test("Who may not ingest is refused alike whether the object is there or not, and need not send it again")
  func denied() throws {
    let app = app()
    app.folder.write(
      #"""
      {"roles":[{"name":"roof","apply_when":{},"document_filters":{"read":true,"write":{"sensor":"roof"}},
      "read":true,"write":true,"insert":true,"delete":true,"search":true}]}
      """#,
      to: "data_sources/s/d/readings/rules.json"
    )
    app.folder.write(
      #"""
      {"type":"flexible","state":"enabled","service_name":"s","database_name":"d","asymmetric_tables":["Reading"],
      "queryable_fields_names":["sensor"]}
      """#,
      to: "sync/config.json"
    )
    let harness = try Harness(app: app.path)
    let author = try client(harness)
    try ingest(newReading(1, sensor: "roof"), by: author)
    try author.synchronize()
    let other = try client(harness)
    try ingest(newReading(1, sensor: "cellar") + newReading(2, sensor: "cellar"), by: other)
    try harness.run(until: { !other.failures.isEmpty }, "error")
    let error = try #require(other.failures.first)
    #expect(error.code == .writeNotAllowed && error.session == 1)
    #expect(error.info.action == .warning && error.info.tryAgain)
    #expect(error.info.compensatingWriteServerVersion == nil && error.info.rejectedClientVersion != nil)
    let updates = error.info.rejectedUpdates
    #expect(updates.map(\.key) == [.int(1), .int(2)])
    #expect(updates.first?.reason.replacing("1", with: "2") == updates.last?.reason)
    other.withdraw { _ in false }
    other.disconnect()
    try other.connect()
    try other.synchronize()
    #expect(other.failures.isEmpty && other.rejections.isEmpty)
    #expect(try harness.openState().contents(of: "Reading").count == 1)
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

  @Test("Links to asymmetric classes are refused")
  func links() throws {
    let key = PropertySchema(name: "_id", type: .int)
    let plain = ClassSchema(name: "Reading", kind: .asymmetric, primaryKey: key, properties: [])
    let link = PropertySchema(name: "last", type: .link, isNullable: true, linkTarget: "Reading")
    let linked = ClassSchema(name: "Note", primaryKey: key, properties: [link])
    #expect(
      try refusal([plain, linked])
        == #"Invalid schema change (UPLOAD): property "Note.last" links to class "Reading", which is asymmetric: "#
        + "no property can link to its objects"
    )
  }

  @Test("Asymmetric objects are stored with their links", arguments: [false, true])
  func linking(isDevelopmentMode: Bool) throws {
    let app = SmallApp(
      isDevelopmentMode: isDevelopmentMode,
      sync: #""asymmetric_tables":["Reading"]"#,
      schemas: isDevelopmentMode
        ? [:]
        : [
          "readings": #"""
          {"title":"Reading","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"long"},
          "note":{"bsonType":"long"},"notes":{"bsonType":"array","items":{"bsonType":"long"}}}}
          """#,
          "notes": Self.schemas["notes", default: ""],
        ]
    )
    if !isDevelopmentMode {
      app.writeRelationships(
        ##"""
        {"note":{"ref":"#/relationship/s/d/notes","foreign_key":"_id","is_list":false},
        "notes":{"ref":"#/relationship/s/d/notes","foreign_key":"_id","is_list":true}}
        """##,
        of: "readings"
      )
    }
    let harness = try Harness(app: app.path)
    let key = PropertySchema(name: "_id", type: .int)
    let linking = ClassSchema(
      name: "Reading",
      kind: .asymmetric,
      primaryKey: key,
      properties: [
        PropertySchema(name: "note", type: .link, isNullable: true, linkTarget: "Note"),
        PropertySchema(name: "notes", type: .link, collection: .list, linkTarget: "Note"),
      ]
    )
    let note = ClassSchema(
      name: "Note",
      primaryKey: key,
      properties: [PropertySchema(name: "text", type: .string, isNullable: true)]
    )
    let client = try SyncClient(harness, schema: Schema([linking, note]))
    try client.connect()
    client.subscribe(Self.everyNote)
    try client.synchronize()
    let link = Value.link(Link(className: "Note", key: .int(1)))
    let instructions: [Instruction] = [
      .createObject(reading(7)),
      .update(path(reading(7), "note"), .value(link), .isDefault(false)),
      .arrayInsert(path(reading(7), "notes", [.index(0)]), .value(link), priorSize: 0),
    ]
    try ingest(self.note(1, "one") + instructions, by: client)
    try client.synchronize()
    #expect(client.failures.isEmpty && client.rejections.isEmpty)
    let state = try harness.openState()
    #expect(try state.value("note", of: reading(7)) == link)
    #expect(try state.contents(of: "Reading")[.int(7)]?.count == instructions.count)
    // The object goes, and the reading stays.
    try client.write { objects in
      let erasure = [Instruction.eraseObject(ObjectReference(table: "Note", key: .int(1)))]
      try objects.apply(erasure)
      return erasure
    }
    try client.synchronize()
    #expect(try harness.openState().contents(of: "Reading")[.int(7)] != nil)
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

  @Test("Nothing can link to an asymmetric object, not even a property of type mixed")
  func mixedLink() throws {
    let app = app()
    let harness = try Harness(app: app.path)
    let client = try client(harness)
    let note = ObjectReference(table: "Note", key: .int(1))
    let link = Value.link(Link(className: "Reading", key: .int(1)))
    try client.write { _ in
      [.createObject(note), .update(path(note, "any"), .value(link), .isDefault(false))]
    }
    try harness.run(until: { !client.failures.isEmpty || client.historyCount == 0 }, "answer")
    #expect(client.failures.map(\.code) == [.badChangeset])
    #expect(
      client.failures.first?.info.message.contains("a link to an object of the asymmetric class 'Reading'")
        == true
    )
  }

  @Test("Collections can be named in place of their classes, and names without a schema are reported")
  func names() throws {
    let app = SmallApp(sync: #""asymmetric_tables":["readings","Nothing"]"#, schemas: Self.schemas)
    let configuration = try AppDirectory.load(app.path)
    #expect(configuration.schema["Reading"]?.kind == .asymmetric)
    #expect(configuration.warnings.contains { $0.message.contains(#"names "Nothing""#) })
  }
}
