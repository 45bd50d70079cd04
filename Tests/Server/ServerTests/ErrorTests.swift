// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import FlexSyncTransport
import FlexSyncWire
import Testing

@testable import FlexSyncServer

@Suite("Bad input harms nobody but its sender")
struct ErrorTests {
  private func checkUnharmed(_ client: SyncClient) throws {
    try client.synchronize()
    #expect(client.isConnected && client.failures.isEmpty)
  }

  @Test(
    "A message that cannot be read ends its connection with the right error",
    arguments: [
      ("hello\n", 102), ("bind x\n", 103), ("upload 1 0 0 0 0 0 0\n", 106), ("mark 7 1\n", 106), ("", 102),
      ("bind 1 2 0 1 0\n{}", 0),
    ]
  )
  func malformedMessages(text: String, code: Int) throws {
    let harness = try Harness()
    let bystander = try SyncClient.ofAllTasks(harness)
    let connection = try harness.connect(try harness.logIn())
    connection.send(raw: text)
    if code == 0 {
      try harness.run(until: { !connection.idents.isEmpty }, "ident")
    } else {
      try harness.run(until: { connection.isClosed }, "close")
      #expect(connection.errors.map(\.code.rawValue) == [code])
      #expect(connection.errors.allSatisfy { $0.session == 0 })
    }
    try checkUnharmed(bystander)
  }

  @Test("Messages out of order end the connection")
  func order() throws {
    let harness = try Harness()
    let connection = try harness.connect(try harness.logIn())
    connection.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: false)))
    connection.send(.mark(session: 1, request: 1))
    try harness.run(until: { connection.isClosed }, "close")
    #expect(connection.errors.map(\.code) == [.badMessageOrder])
  }

  @Test("A file that this server does not know has to start over")
  func unknownFile() throws {
    let harness = try Harness()
    let connection = try harness.connect(try harness.logIn())
    connection.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: false)))
    connection.send(.ident(ident(SaltedFileIdent(ident: 99, salt: 5))))
    try harness.run(until: { !connection.errors.isEmpty }, "error")
    let error = try #require(connection.errors.first)
    #expect(error.code == .badClientFileIdent && error.session == 1)
    #expect(error.info.action == .clientReset && error.info.shouldClientReset && !error.info.tryAgain)
    // The session is over; what is in flight is swallowed, and the number can be used again.
    connection.send(.mark(session: 1, request: 1))
    connection.send(.unbind(1))
    connection.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: true)))
    try harness.run(until: { !connection.idents.isEmpty }, "ident")
    #expect(connection.marks.isEmpty)
    #expect(!connection.received.contains(.unbound(1)))
  }

  @Test("Salt, user and versions of a file are checked")
  func fileChecks() throws {
    let harness = try Harness()
    let owner = try harness.logIn()
    let connection = try harness.connect(owner)
    connection.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: true)))
    try harness.run(until: { !connection.idents.isEmpty }, "ident")
    let file = try #require(connection.idents.first)
    let cases: [(Harness.Tokens, IdentMessage, ErrorCode)] = [
      (owner, ident(SaltedFileIdent(ident: file.ident, salt: file.salt ^ 2)), .badClientFileIdent),
      (try harness.logIn(), ident(file), .userMismatch),
      (owner, ident(file, download: DownloadCursor(serverVersion: 50, clientVersion: 0)), .badServerVersion),
      (owner, ident(file, download: DownloadCursor(serverVersion: 0, clientVersion: 9)), .badClientVersion),
    ]
    for (tokens, message, code) in cases {
      let connection = try harness.connect(tokens)
      connection.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: false)))
      connection.send(.ident(message))
      try harness.run(until: { !connection.errors.isEmpty }, "error \(code)")
      #expect(connection.errors.map(\.code) == [code])
      #expect(connection.errors.first?.info.action == .clientReset)
    }
  }

  private func ident(_ file: SaltedFileIdent, download: DownloadCursor = .start) -> IdentMessage {
    IdentMessage(
      session: 1,
      file: file,
      download: download,
      latest: .none,
      queryVersion: 0,
      queryBody: Array("{}".utf8)
    )
  }

  @Test(
    "A refused query set leaves the old one in force",
    arguments: [
      (#"{"Task":"(nothing == 1)"}"#, "nothing"), (#"{"Team":"(tasks.taskName == \"x\")"}"#, "tasks"),
      (#"{"Task":"(assignee =="}"#, "bad syntax"), (#"{"Nothing":"(TRUEPREDICATE)"}"#, "Nothing"),
      (#"{"Task":7}"#, "Task"), ("[]", "object"),
    ]
  )
  func refusedQuery(body: String, word: String) throws {
    let harness = try Harness()
    let client = try SyncClient.ofAllTasks(harness)
    client.subscribe(body)
    try client.synchronize()
    #expect(client.queryErrors[2]?.contains(word) == true, "\(client.queryErrors)")
    #expect(client.queryVersion == 1)
    client.subscribe(#"{"Task":"(completed == true)"}"#)
    try client.synchronize()
    #expect(client.queryErrors.count == 1)
    try checkUnharmed(client)
  }

  @Test("A schema that differs is refused with the difference")
  func schemaMismatch() throws {
    let harness = try Harness()
    var task = try #require(TaskTracker.schema["Task"])
    task.properties[1].isNullable = false
    var additional = try #require(TaskTracker.schema["Task"])
    additional.properties.append(PropertySchema(name: "priority", type: .int))
    for (classSchema, word) in [(task, "assignee"), (additional, "priority")] {
      let client = try SyncClient.ofAllTasks(harness)
      try client.write { _ in ObjectStore.declarations(of: Schema([classSchema])) }
      try harness.run(until: { !client.failures.isEmpty }, "error")
      let error = try #require(client.failures.first)
      #expect(error.code == .invalidSchemaChange && error.info.action == .applicationBug)
      #expect(error.info.message.hasPrefix("Invalid schema change (UPLOAD): "))
      #expect(error.info.message.contains(word))
    }
  }

  @Test("In development mode clients extend the schema, and others are told")
  func developmentMode() throws {
    let app = TemporaryFolder()
    app.write(#"{"app_id":"tasktracker-abcde"}"#, to: "root_config.json")
    app.write(#"{"anon-user":{"type":"anon-user"}}"#, to: "auth/providers.json")
    app.write(
      #"{"type":"flexible","state":"enabled","development_mode_enabled":true,"service_name":"s","database_name":"d"}"#,
      to: "sync/config.json"
    )
    app.write(App.openRule, to: "data_sources/s/default_rule.json")
    let harness = try Harness(app: app.path)
    var oldTask = try #require(TaskTracker.schema["Task"])
    oldTask.properties.removeLast()
    let reader = try SyncClient(harness, schema: Schema([oldTask]))
    try reader.connect()
    reader.subscribe(#"{"Task":"(assignee == \"alice\")"}"#)
    try reader.synchronize()
    let writer = try SyncClient.ofAllTasks(harness)
    try writer.write { objects in
      let changes =
        TaskTracker.newTask(1, assignee: "alice") + [
          TaskTracker.set("dueDate", .timestamp(Timestamp(milliseconds: 5000)), of: TaskTracker.task(1))
        ]
      try objects.apply(changes)
      return changes
    }
    try writer.synchronize()
    try reader.synchronize()
    #expect(try reader.objects.contents(of: "Task") == writer.objects.contents(of: "Task"))
    try harness.restart()
    try reader.connect()
    try checkUnharmed(reader)
  }

  @Test(
    "A changeset that cannot be applied ends its session",
    arguments: [
      [0x77], [0x04, 0x00],
      ChangesetCodec.encode([.createObject(ObjectReference(table: "Nothing", key: .int(1)))]),
      ChangesetCodec.encode([.createObject(ObjectReference(table: "Task", key: .int(1)))]),
      ChangesetCodec.encode([
        .createObject(TaskTracker.task(9)), TaskTracker.set("completed", .int(1), of: TaskTracker.task(9)),
      ]),
      ChangesetCodec.encode([
        .createObject(TaskTracker.task(9)), TaskTracker.set("nothing", .int(1), of: TaskTracker.task(9)),
      ]),
    ] as [[UInt8]]
  )
  func badChangeset(changeset: [UInt8]) throws {
    let harness = try Harness()
    let bystander = try SyncClient.ofAllTasks(harness)
    let client = try SyncClient.ofAllTasks(harness)
    let version = client.progress.upload.clientVersion + 50
    client.connection?.send(
      .upload(
        UploadMessage(
          session: 1,
          progress: UploadCursor(
            clientVersion: version,
            serverVersion: client.progress.download.serverVersion
          ),
          lockedServerVersion: client.progress.download.serverVersion,
          entries: [
            UploadEntry(
              clientVersion: version,
              serverVersion: client.progress.download.serverVersion,
              timestamp: 1,
              changeset: changeset
            )
          ]
        )
      )
    )
    try harness.run(until: { !client.failures.isEmpty }, "error")
    #expect(client.failures.map(\.code) == [.badChangeset])
    #expect(try harness.openState().contents(of: "Task").isEmpty)
    try checkUnharmed(bystander)
  }

  @Test("Connections need a valid token and the right protocol")
  func upgrade() throws {
    let harness = try Harness()
    let tokens = try harness.logIn()
    let cases: [(String, [String], Int)] = [
      ("wrong", SubprotocolNegotiation.clientOffer, 401),
      (tokens.refresh, SubprotocolNegotiation.clientOffer, 401),
      (tokens.access, [], 400),
    ]
    for (token, protocols, status) in cases {
      var outcome: WebSocketClient.Outcome?
      WebSocketClient(loop: harness.loop).connect(
        try harness.webSocketURL(token: token),
        protocols: protocols
      ) { outcome = $0 }
      try harness.run(until: { outcome != nil }, "answer")
      guard case .refused(let response) = outcome else {
        Issue.record("not refused: \(String(describing: outcome))")
        continue
      }
      #expect(response.status == status)
    }
  }

  @Test("An app whose sync is disabled says so")
  func syncDisabled() throws {
    let app = TemporaryFolder()
    app.write(#"{"app_id":"tasktracker-abcde"}"#, to: "root_config.json")
    app.write(#"{"anon-user":{"type":"anon-user"}}"#, to: "auth/providers.json")
    app.write(
      #"{"type":"flexible","state":"disabled","development_mode_enabled":true,"service_name":"s","database_name":"d"}"#,
      to: "sync/config.json"
    )
    app.write(App.openRule, to: "data_sources/s/default_rule.json")
    let harness = try Harness(app: app.path)
    let connection = try harness.connect(try harness.logIn())
    connection.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: true)))
    try harness.run(until: { !connection.errors.isEmpty }, "error")
    #expect(connection.errors.first?.info.message == "Sync is not enabled for this app")
    #expect(connection.errors.first?.info.action == .warning)
  }
}
