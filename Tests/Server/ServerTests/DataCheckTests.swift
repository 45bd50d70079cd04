// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncConfiguration
@testable import FlexSyncServer
@testable import FlexSyncServerSupport

@Suite("An app directory compared with the data")
struct DataCheckTests {
  private static let extra = ObjectReference(table: "Extra", key: .int(1))

  /// Lets a client add a class with an object in development mode, which is then turned off.
  private func harness(_ app: SmallApp, _ lines: LogLines) throws -> Harness {
    let harness = try Harness(app: app.path) { $0.logger = lines.logger }
    let schema = Schema([
      ClassSchema(name: "Extra", primaryKey: PropertySchema(name: "_id", type: .int), properties: [])
    ])
    let client = try SyncClient(harness, schema: schema)
    try client.connect()
    client.subscribe(#"{"Extra":"(TRUEPREDICATE)"}"#)
    try client.synchronize()
    try client.write(.createObject(Self.extra))
    try client.synchronize()
    try #require(client.failures.isEmpty)
    client.disconnect()
    app.folder.write(Self.sync(""), to: "sync/config.json")
    app.folder.write(Self.note, to: "data_sources/s/d/notes/schema.json")
    return harness
  }

  private static func sync(_ more: String) -> String {
    #"{"type":"flexible","state":"enabled","service_name":"s","database_name":"d"\#(more)}"#
  }

  private static let note =
    #"{"title":"Note","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"long"}}}"#

  @Test("Reload, start and check warn of a class with objects that was added in development mode")
  func developmentModeOff() throws {
    let (app, lines) = (SmallApp(isDevelopmentMode: true), LogLines())
    let harness = try harness(app, lines)
    let warning = #"the data have objects of "Extra", which the app directory does not declare"#
    #expect(!lines.text.contains(warning))
    harness.server.reload()
    #expect(lines.text.ranges(of: "warning \(warning)").count == 1)
    try harness.restart()
    #expect(lines.text.ranges(of: "warning \(warning)").count == 2)
    let data = "\(harness.folder.path)/data"
    let command = try Command(["check", "--app", app.path, "--data", data])
    #expect(command.status == 0 && command.output.contains(warning), "\(command.output)")
    #expect(try Command(["check", "--app", app.path, "--data", data, "--strict"]).status == 1)
    // The files that the warning speaks of are what is missing.
    let target = harness.folder.file("schema")
    #expect(try Command(["apps", "schema", "--app", app.path, "--data", data, "--to", target]).status == 0)
    let path = "data_sources/s/d/Extra/schema.json"
    // The server may run as another user than the command.
    harness.folder.write("", to: "ordinary")
    let isOrdinary = FileSystem.isReadableByAll("\(harness.folder.path)/ordinary")
    for name in [path, "data_sources"] {
      #expect(FileSystem.isReadableByAll("\(target)/\(name)") == isOrdinary)
    }
    app.folder.write(try MigrationApp.text(of: "\(target)/\(path)"), to: path)
    harness.server.reload()
    #expect(lines.text.ranges(of: warning).count == 2)
    let complete = try Command(["apps", "schema", "--app", app.path, "--data", data])
    #expect(complete.status == 0 && complete.output.isEmpty)
    #expect(complete.errors.contains("declares all classes and properties"))
  }

  @Test("check finds all properties that have another type in the data")
  func contradiction() throws {
    let app = NoteApp()
    let harness = try Harness(app: app.path)
    let data = "\(harness.folder.path)/data"
    #expect(try Command(["check", "--app", app.path, "--data", data]).status == 0)
    let path = "data_sources/s/d/Note/schema.json"
    let text = try MigrationApp.text(of: "\(app.path)/\(path)")
    app.folder.write(
      text.replacing(#""text":{"bsonType":"string"}"#, with: #""text":{"bsonType":"int"}"#)
        .replacing(#""level":{"bsonType":"long"}"#, with: #""level":{"bsonType":"double"}"#),
      to: path
    )
    #expect(try Command(["check", "--app", app.path]).status == 0)
    let command = try Command(["check", "--app", app.path, "--data", data])
    #expect(command.status == 1 && command.output.contains("cannot be served"))
    for property in ["text", "level"] {
      let error = "Property 'Note.\(property)' is declared differently in the server's data"
      #expect(command.output.contains(error), "\(command.output)")
    }
    #expect(try Command(["check", "--app", app.path, "--data", "\(data)/none"]).status == 1)
  }

  @Test("Reload, start and check warn of subscriptions that the directory no longer allows")
  func forbiddenSubscriptions() throws {
    let (app, lines) = (NoteApp(), LogLines())
    app.allow(queries: "text", "level")
    let harness = try Harness(app: app.path) { $0.logger = lines.logger }
    for query in [#"text == \"a\""#, #"text == \"b\""#, "level == 1"] {
      try app.client(harness, query).disconnect()
    }
    let check = ["check", "--strict", "--app", app.path, "--data", "\(harness.folder.path)/data"]
    #expect(try Command(check).status == 0)
    app.allow(queries: "level")
    let warning = "2 client files have subscriptions that the app directory does not allow, such as: "
    let command = try Command(check)
    #expect(command.status == 1 && command.output.contains(warning), "\(command.output)")
    #expect(command.output.contains("Note.text") || command.output.contains(#""text""#), "\(command.output)")
    #expect(!lines.text.contains(warning))
    harness.server.reload()
    #expect(lines.text.contains(warning))
  }

  @Test("check warns of subscriptions that do not compare a new indexed field with a constant")
  func newIndexedField() throws {
    let app = NoteApp()
    app.allow(queries: "text", "level")
    let harness = try Harness(app: app.path)
    for query in [#"text == \"a\""#, "level == 1", "level > 1"] {
      try app.client(harness, query).disconnect()
    }
    app.allow(queries: "text", "level", indexed: "level")
    let command = try Command([
      "check", "--strict", "--app", app.path, "--data", "\(harness.folder.path)/data",
    ])
    let warning = "2 client files have subscriptions that the app directory does not allow, such as: "
    #expect(command.status == 1 && command.output.contains(warning), "\(command.output)")
    #expect(command.output.contains(#"the indexed queryable field "level""#), "\(command.output)")
  }

  @Test("check says that the data folder has no data of the app, and warns if it has those of another one")
  func otherAppID() throws {
    let harness = try Harness()
    let data = "\(harness.folder.path)/data"
    let app = SmallApp(schemas: ["notes": Self.note])
    let folder = TemporaryFolder()
    let empty = try Command(["check", "--strict", "--app", app.path, "--data", folder.path])
    #expect(empty.status == 0)
    #expect(empty.output.contains("notes:\n  the data folder has no data of \(Harness.appID)"))
    app.folder.write(#"{"app_id":"renamed-abcde"}"#, to: "root_config.json")
    let renamed = try Command(["check", "--strict", "--app", app.path, "--data", data])
    #expect(renamed.status == 1)
    #expect(renamed.output.contains("It has those of \(Harness.appID)"), "\(renamed.output)")
  }

  @Test("Reload, start and check say that the version of the schema has changed, once")
  func schemaVersion() throws {
    let (app, lines) = (SmallApp(schemas: ["notes": Self.note]), LogLines())
    let harness = try Harness(app: app.path) { $0.logger = lines.logger }
    app.folder.write(Self.sync(#","schema_version":2"#), to: "sync/config.json")
    let warning = "schema_version is 2, and was 0: clients of the former version are refused"
    let command = try Command(["check", "--app", app.path, "--data", "\(harness.folder.path)/data"])
    #expect(
      command.output.contains(warning)
        && command.output.contains("clients must open their realms with this version")
    )
    #expect(!lines.text.contains(warning))
    harness.server.reload()
    harness.server.reload()
    try harness.restart()
    #expect(lines.text.ranges(of: warning).count == 1)
    app.folder.write(Self.sync(""), to: "sync/config.json")
    try harness.restart()
    #expect(lines.text.contains("schema_version is 0, and was 2"))
  }

  @Test("A directory that a reload refuses is not noted: the next one is compared with the one in use")
  func refusedReload() throws {
    let (app, lines) = (SmallApp(isDevelopmentMode: true), LogLines())
    let harness = try harness(app, lines)
    app.folder.write(Self.sync(#","schema_version":2"#), to: "sync/config.json")
    app.folder.write(
      Self.note.replacing("Note", with: "Extra").replacing("long", with: "string"),
      to: "data_sources/s/d/extras/schema.json"
    )
    harness.server.reload()
    let warning = "schema_version is 2, and was 0"
    #expect(!lines.text.contains(warning))
    let store = try harness.engine().store
    #expect(try AppNote.read(store)?.schemaVersion == 0)
    app.folder.write(
      Self.note.replacing("Note", with: "Extra"),
      to: "data_sources/s/d/extras/schema.json"
    )
    harness.server.reload()
    #expect(lines.text.contains(warning))
    #expect(try AppNote.read(store)?.schemaVersion == 2)
  }

  @Test("Start and reload warn of mails that nobody delivers")
  func mails() throws {
    let (app, lines) = (SmallApp(schemas: ["notes": Self.note]), LogLines())
    func provide(_ config: String) {
      app.folder.write(
        #"{"local-userpass":{"type":"local-userpass","config":{\#(config)}}}"#,
        to: "auth/providers.json"
      )
    }
    provide(#""autoConfirm":true"#)
    var delivery: MailDelivery?
    let harness = try Harness(app: app.path) {
      $0.logger = lines.logger
      $0.mailDelivery = delivery
    }
    #expect(!lines.text.contains("--mail-command"))
    provide(#""autoConfirm":false"#)
    let warning = "nobody who registers can log in until you run flexsyncd users confirm"
    harness.server.reload()
    #expect(lines.text.ranges(of: warning).count == 1)
    #expect(
      try Command(["check", "--app", app.path]).output.contains(
        "auth/providers.json: local-userpass.config.autoConfirm"
      )
    )
    try harness.restart()
    #expect(lines.text.ranges(of: warning).count == 2)
    provide(#""autoConfirm":true,"resetPasswordUrl":"https://app.example.com/reset""#)
    harness.server.reload()
    #expect(lines.text.contains("users who ask for a new password get no mail"))
    delivery = .folder(harness.folder.file("mail"))
    provide(#""autoConfirm":false"#)
    try harness.restart()
    #expect(lines.text.ranges(of: warning).count == 2)
  }
}

@Suite("Schema files for what clients have added")
struct SchemaFileTests {
  private static let key = PropertySchema(name: "_id", type: .objectId)

  private static func list(_ name: String, _ type: ValueType, _ kind: CollectionKind, _ isNullable: Bool)
    -> PropertySchema
  {
    PropertySchema(name: name, type: type, isNullable: isNullable, collection: kind)
  }

  private static func link(_ name: String, _ target: String, _ kind: CollectionKind = .single)
    -> PropertySchema
  {
    PropertySchema(
      name: name,
      type: .link,
      isNullable: kind == .single || kind == .dictionary,
      collection: kind,
      linkTarget: target
    )
  }

  private static let scalars: [ValueType] = [
    .int, .bool, .string, .binary, .timestamp, .float, .double, .decimal, .objectId, .uuid,
  ]

  private static let schema = Schema([
    ClassSchema(
      name: "All",
      primaryKey: key,
      properties: scalars.flatMap { type in
        [
          PropertySchema(name: "\(type)", type: type),
          PropertySchema(name: "\(type)_", type: type, isNullable: true),
          list("\(type)_list", type, .list, false), list("\(type)_list_", type, .list, true),
          list("\(type)_set", type, .set, false), list("\(type)_dictionary", type, .dictionary, true),
        ]
      } + [
        PropertySchema(name: "any", type: .mixed, isNullable: true), list("anys", .mixed, .list, true),
      ]
    ),
    ClassSchema(
      name: "Owner",
      primaryKey: PropertySchema(name: "_id", type: .string),
      properties: [
        link("one", "All"), link("many", "All", .list), link("some", "All", .set),
        link("named", "All", .dictionary), link("self", "Owner"), link("address", "Address"),
        link("addresses", "Address", .list), link("places", "Address", .dictionary),
      ]
    ),
    ClassSchema(
      name: "Address",
      kind: .embedded,
      primaryKey: nil,
      properties: [
        PropertySchema(name: "street", type: .string), link("landlord", "Owner"), link("detail", "Detail"),
      ]
    ),
    ClassSchema(
      name: "Detail",
      kind: .embedded,
      primaryKey: nil,
      properties: [link("links", "All", .list), PropertySchema(name: "floor", type: .int, isNullable: true)]
    ),
    ClassSchema(name: "Reading", kind: .asymmetric, primaryKey: key, properties: [link("of", "Owner")]),
  ])

  private func files(_ schema: Schema, _ app: SmallApp) throws -> SchemaFiles {
    SchemaFiles(of: schema, missingFrom: try AppDirectory.load(app.path))
  }

  @Test("A directory with the files declares the schema of which they were made")
  func roundTrip() throws {
    let app = SmallApp(isDevelopmentMode: true)
    let made = try files(Self.schema, app)
    #expect(made.notes == [#"add "Reading" to asymmetric_tables in sync/config.json"#])
    for (path, content) in made.files { app.folder.write(content, to: path) }
    let config = try MigrationApp.text(of: "\(app.path)/sync/config.json")
    app.folder.write(
      config.replacing("}", with: #","asymmetric_tables":["Reading"]}"#),
      to: "sync/config.json"
    )
    let read = try AppDirectory.load(app.path)
    #expect(read.schema.classes.map(\.name) == Self.schema.classes.map(\.name))
    for classSchema in Self.schema.classes { #expect(read.schema[classSchema.name] == classSchema) }
    #expect(try files(Self.schema, app).files.isEmpty)
  }

  @Test("A class that the directory has keeps its folder, and gets what it lacks even in an embedded object")
  func additions() throws {
    let app = SmallApp(schemas: [
      "owners": """
      {"title":"Owner","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"string"},
       "address":{"bsonType":"object","title":"Address","properties":{"street":{"bsonType":"string"}}}}}
      """
    ])
    var stored = try AppDirectory.load(app.path).schema
    #expect(try files(stored, app).files.isEmpty)
    stored["Address"]?.properties.append(PropertySchema(name: "city", type: .string, isNullable: true))
    let made = try files(stored, app)
    #expect(made.files.map(\.path) == ["data_sources/s/d/owners/schema.json"])
    #expect(made.files.first?.content.contains(#""city""#) == true)
  }

  @Test("What schema.json cannot express is left out with a note")
  func inexpressible() throws {
    let schema = Schema([
      ClassSchema(name: "Tree", primaryKey: Self.key, properties: [Self.link("root", "Node")]),
      ClassSchema(
        name: "Node",
        kind: .embedded,
        primaryKey: nil,
        properties: [PropertySchema(name: "n", type: .int), Self.link("children", "Node", .list)]
      ),
      ClassSchema(name: "../x", primaryKey: Self.key, properties: []),
    ])
    let made = try files(schema, SmallApp(isDevelopmentMode: true))
    #expect(made.files.map(\.path) == ["data_sources/s/d/Tree/schema.json"])
    #expect(made.notes.count == 2)
    #expect(made.notes.contains { $0.hasPrefix(#"property "Node.children" is left out"#) })
  }
}
