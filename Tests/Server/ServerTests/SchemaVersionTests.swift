// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncWire
import Testing

@testable import FlexSyncServer

@Suite("What a client is told of the schema")
struct SchemaVersionTests {
  private static let note = #"""
    {"title":"Note","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"long"}}}
    """#

  private func bind(_ connection: WireConnection, version: UInt64, needsFileIdent: Bool = true) {
    var options = BindOptions()
    options.schemaVersion = version
    connection.send(.bind(BindMessage(session: 1, options: options, needsFileIdent: needsFileIdent)))
  }

  private func isRefused(_ version: UInt64, by app: SmallApp) throws -> ErrorMessage? {
    let harness = try Harness(app: app.path)
    let connection = try harness.connect(try harness.logIn())
    bind(connection, version: version)
    try harness.run(until: { !connection.idents.isEmpty || !connection.errors.isEmpty }, "answer")
    #expect(connection.isOpen)
    return connection.errors.first
  }

  @Test("A client with another version of the schema is refused with error 235", arguments: [1, 42, 1 << 62])
  func otherVersion(version: UInt64) throws {
    let app = SmallApp(schemas: ["notes": Self.note])
    let error = try #require(try isRefused(version, by: app))
    #expect(error.code == .badSchemaVersion && error.session == 1)
    #expect(error.info.action == .applicationBug && !error.info.tryAgain)
    #expect(
      error.info.message.hasPrefix(
        "Client provided invalid schema version (BIND): it has version \(version), but the app has version 0."
      )
    )
    #expect(try isRefused(0, by: app) == nil)
  }

  @Test("The version can be set in sync/config.json")
  func configuredVersion() throws {
    let app = SmallApp(sync: #""schema_version":3"#, schemas: ["notes": Self.note])
    #expect(try isRefused(3, by: app) == nil)
    #expect(try isRefused(0, by: app)?.code == .badSchemaVersion)
  }

  @Test("A client that has a file already is refused, too, and goes on with the right version")
  func knownFile() throws {
    let app = SmallApp(schemas: ["notes": Self.note])
    let harness = try Harness(app: app.path)
    let client = try SyncClient(harness, schema: Schema())
    try client.connect()
    try client.synchronize()
    let file = try #require(client.file)
    client.disconnect()
    let connection = try harness.connect(try harness.logIn())
    bind(connection, version: 42, needsFileIdent: false)
    connection.send(
      .ident(
        IdentMessage(
          session: 1,
          file: file,
          download: client.progress.download,
          latest: client.progress.latest,
          queryVersion: 0,
          queryBody: Array("{}".utf8)
        )
      )
    )
    try harness.run(until: { !connection.errors.isEmpty }, "error")
    #expect(connection.errors.map(\.code) == [.badSchemaVersion])
    try client.connect()
    try client.synchronize()
    #expect(client.failures.isEmpty)
  }

  @Test("The schema comes with version 0, before anything is subscribed to, and not again")
  func schemaBeforeSubscriptions() throws {
    let harness = try Harness()
    let client = try SyncClient(harness, schema: Schema())
    try client.connect()
    let task = try #require(try client.objects.schema["Task"])
    #expect(Set(task.properties) == Set(TaskTracker.schema["Task"]?.properties ?? []))
    var later: [Instruction] = []
    client.onChangeset = { later += $0 }
    client.subscribe(#"{"Task":"(TRUEPREDICATE)"}"#)
    try client.synchronize()
    #expect(later.allSatisfy { $0.object != nil })
    // A client that resumes has it.
    client.disconnect()
    try client.connect()
    try client.synchronize()
    #expect(later.allSatisfy { $0.object != nil } && client.failures.isEmpty)
  }
}
