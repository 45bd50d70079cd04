// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import FlexSyncWire
import Testing

@testable import FlexSyncServer

@Suite("Schemas that cannot be taken leave no trace")
struct SchemaGrowthTests {
  private let app = TemporaryFolder()

  init() {
    app.write(#"{"app_id":"tasktracker-abcde"}"#, to: "root_config.json")
    app.write(#"{"anon-user":{"type":"anon-user"}}"#, to: "auth/providers.json")
    app.write(
      #"{"type":"flexible","state":"enabled","development_mode_enabled":true,"service_name":"s","database_name":"d"}"#,
      to: "sync/config.json"
    )
    app.write(App.openRule, to: "data_sources/s/default_rule.json")
  }

  private func synchronizedClient(_ harness: Harness, _ schema: Schema, _ query: String) throws -> SyncClient
  {
    let client = try SyncClient(harness, schema: schema)
    try client.connect()
    client.subscribe(query)
    try client.synchronize()
    return client
  }

  private func upload(_ declarations: [Instruction], from client: SyncClient) {
    let version = client.progress.upload.clientVersion + 50
    let serverVersion = client.progress.download.serverVersion
    client.connection?.send(
      .upload(
        UploadMessage(
          session: 1,
          progress: UploadCursor(clientVersion: version, serverVersion: serverVersion),
          lockedServerVersion: serverVersion,
          entries: [
            UploadEntry(
              clientVersion: version,
              serverVersion: serverVersion,
              timestamp: 1,
              changeset: ChangesetCodec.encode(declarations)
            )
          ]
        )
      )
    )
  }

  private static let note = ClassSchema(
    name: "Note",
    primaryKey: PropertySchema(name: "_id", type: .int),
    properties: []
  )

  @Test("A class that came with a bad property is declared to others when a client declares it rightly")
  func partialDeclaration() throws {
    let harness = try Harness(app: app.path)
    let bystander = try synchronizedClient(harness, TaskTracker.schema, #"{"Task":"(TRUEPREDICATE)"}"#)
    let author = try synchronizedClient(harness, TaskTracker.schema, #"{"Task":"(TRUEPREDICATE)"}"#)
    var broken = SchemaGrowthTests.note
    broken.properties = [PropertySchema(name: "to", type: .link, isNullable: true, linkTarget: "Nowhere")]
    upload(ObjectStore.declarations(of: Schema([broken])), from: author)
    try harness.run(until: { !author.failures.isEmpty }, "error")
    #expect(author.failures.map(\.code) == [.invalidSchemaChange])
    _ = try synchronizedClient(harness, Schema([SchemaGrowthTests.note]), #"{"Note":"(TRUEPREDICATE)"}"#)
    bystander.subscribe(#"{"Note":"(TRUEPREDICATE)"}"#)
    try bystander.synchronize()
    #expect(try bystander.objects.schema["Note"] != nil)
  }

  @Test("A class with too many properties is refused, and harms nobody else")
  func tooManyProperties() throws {
    let harness = try Harness(app: app.path)
    let bystander = try synchronizedClient(harness, TaskTracker.schema, #"{"Task":"(TRUEPREDICATE)"}"#)
    let author = try synchronizedClient(harness, TaskTracker.schema, #"{"Task":"(TRUEPREDICATE)"}"#)
    var wide = SchemaGrowthTests.note
    wide.properties = (0..<1000).map { PropertySchema(name: "field\($0)", type: .int) }
    upload(ObjectStore.declarations(of: Schema([wide])), from: author)
    try harness.run(until: { !author.failures.isEmpty }, "error")
    #expect(author.failures.map(\.code) == [.invalidSchemaChange])
    try bystander.synchronize()
    #expect(bystander.isConnected)
    #expect(try harness.openState().schema["Note"] == nil)
  }
}
