// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel
import FlexSyncTestSupport
import FlexSyncWire
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncRules
@testable import FlexSyncServer
@testable import FlexSyncServerSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Records of what happens in sessions")
struct RecordTests {
  private let folder = TemporaryFolder()

  // MARK: Sync

  private func records(_ harness: Harness, _ filter: RecordFilter = RecordFilter()) throws -> [JSON] {
    var found: [JSON] = []
    let reader = try RecordReader(
      dataFolder: "\(harness.folder.path)/data",
      appID: Harness.appID,
      filter: filter
    ) {
      found.append($0.json)
    }
    try reader.readAll()
    return found
  }

  private func client(_ harness: Harness, _ tokens: Harness.Tokens, _ query: String) throws -> SyncClient {
    let client = try SyncClient(harness, tokens: tokens, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(query)
    try client.synchronize()
    return client
  }

  // Feature 137, 176
  @Test("Sessions, subscriptions, uploads, rejected writes and errors are recorded with user and reason")
  func kinds() throws {
    let harness = try Harness()
    let (tokens, others) = (try harness.logIn(), try harness.logIn())
    let client = try client(harness, tokens, #"{"Task":"(assignee == \"ann\")"}"#)
    let bystander = try self.client(harness, others, #"{"Team":"(TRUEPREDICATE)"}"#)
    try client.write { _ in TaskTracker.newTask(1, assignee: "ann") + TaskTracker.newTask(2, assignee: "bob")
    }
    try client.synchronize()
    client.subscribe(#"{"Task":"(nonsense)"}"#)
    try client.synchronize()
    bystander.disconnect()
    client.disconnect()
    try harness.run(
      until: { try records(harness).count { $0["type"] == "SYNC_SESSION_END" } == 2 },
      "records"
    )

    var mine = RecordFilter()
    mine.userID = tokens.userID
    let found = try records(harness, mine)
    #expect(
      found.compactMap { $0["type"]?.stringValue }.filter { $0 != "SYNC_CLIENT_WRITE" } == [
        "SYNC_SESSION_START", "SYNC_SUBSCRIPTIONS", "SYNC_ERROR", "SYNC_ERROR", "SYNC_SESSION_END",
      ]
    )
    #expect(
      found.allSatisfy { $0["user"]?.stringValue == tokens.userID && $0["session"] == 1 && $0["file"] != 0 }
    )
    let subscription = try #require(found.first { $0["type"] == "SYNC_SUBSCRIPTIONS" })
    #expect(subscription["queries"]?.stringValue == #"{"Task":"(assignee == \"ann\")"}"#)
    let write = try #require(found.last { $0["type"] == "SYNC_CLIENT_WRITE" })
    #expect(write["changesets"] == 1 && write["rejected"] == 1)

    mine.errorsOnly = true
    let errors = try records(harness, mine)
    #expect(errors.map { $0["error"] } == ["ErrorCompensatingWrite", "ErrorBadQuery"])
    // Class → primary key → reason.
    let pk = "65a000000000000000000002"
    #expect(
      errors[0]["writes"] == [
        "Task": [
          (pk): JSON.string(
            #"write to "\#(pk)" in table "Task" not allowed; object is outside of the current query view"#
          )
        ]
      ]
    )
    #expect(errors[0]["role"] == "readAndWriteAll")
    #expect(errors[0]["message"]?.stringValue == Rejection.message)
    #expect(errors[1]["message"]?.stringValue?.hasPrefix("Client provided query with bad syntax") == true)
  }

  @Test("Rejected writes are recorded by the role that rejected them, if one did")
  func roles() throws {
    let table = PermissionTable()
    let harness = try Harness(permissions: table)
    let tokens = try harness.logIn()
    table.users[tokens.userID] = Permissions(
      classes: ["Task": try .role("owner", read: "assignee == 'ann'")]
    )
    let client = try client(harness, tokens, #"{"Task":"(TRUEPREDICATE)","Team":"(TRUEPREDICATE)"}"#)
    try client.write { objects in
      let changes = TaskTracker.newTask(1, assignee: "bob") + [.createObject(TaskTracker.team(1))]
      try objects.apply(changes)
      return changes
    }
    try client.synchronize()
    var errors = RecordFilter()
    errors.errorsOnly = true
    try harness.run(until: { try records(harness, errors).count == 2 }, "records")
    let found = try records(harness, errors)
    #expect(found.map { $0["role"] } == [nil, "owner"])
    #expect(found.map { $0["writes"]?.objectValue?.map(\.name) } == [["Team"], ["Task"]])
    let text = FoundRecord(line: "", json: found[1]).text
    #expect(text.contains(" error=ErrorCompensatingWrite role=owner writes="))
  }

  @Test("Long texts are cut, and long records as a whole, with a word on how much is missing")
  func longTexts() throws {
    func details(_ members: [JSON.Member]) -> [JSON.Member] {
      SyncRecord(time: 0, kind: .error, userID: "u", session: 1, file: 1, details: members).details
    }
    let long = String(repeating: "ä", count: 100_000)
    let query = try #require(details([JSON.Member("queries", .string(long))]).first?.value.stringValue)
    #expect(query == String(repeating: "ä", count: 2048) + "… (200000 bytes)")
    // A cut never goes through a character.
    #expect(ShortenedText.cut("xä" + long, to: 4) == "xä… (200003 bytes)")
    let writes = JSON.object((0..<50_000).map { JSON.Member("\($0)", "not allowed") })
    let shortened = details([JSON.Member("writes", writes), JSON.Member("role", "r")])
    let last = try #require(shortened[0].value.objectValue?.last)
    #expect(last.name == "…" && last.value.stringValue?.hasSuffix(" more") == true)
    #expect(JSON.object(shortened).serialized.utf8.count < 100 << 10)
    #expect(shortened.last?.name == "…")
  }

  @Test("Nobody pushes out what others did: beyond a share of the hour a user's records are left out")
  func shares() throws {
    let harness = try Harness { try? $0.limits.apply("record-bytes-per-user=2KiB") }
    let tokens = try harness.logIn()
    let client = try client(harness, tokens, #"{"Task":"(TRUEPREDICATE)"}"#)
    let text = String(repeating: "x", count: 1_000)
    for number in 1...10 {
      client.subscribe(#"{"Task":"(assignee == \"\#(number)\#(text)\")"}"#)
      try client.synchronize()
    }
    let other = try harness.logIn()
    _ = try self.client(harness, other, #"{"Task":"(TRUEPREDICATE)"}"#)
    try harness.run(
      until: { try records(harness).contains { $0["user"]?.stringValue == other.userID } },
      "records of the other"
    )
    let found = try records(harness).filter { $0["user"]?.stringValue == tokens.userID }
    #expect((2...6).contains(found.count))
  }

  @Test("An error that ends a session is recorded")
  func sessionError() throws {
    let harness = try Harness()
    let client = try client(harness, try harness.logIn(), #"{"Task":"(TRUEPREDICATE)"}"#)
    let unknown = ObjectReference(table: "Unknown", key: .int(1))
    try client.write { _ in [.createObject(unknown)] }
    try harness.run(until: { !client.failures.isEmpty }, "error")
    var filter = RecordFilter()
    filter.errorsOnly = true
    try harness.run(until: { try !records(harness, filter).isEmpty }, "records")
    let record = try #require(try records(harness, filter).first)
    #expect(record["error"] == "ErrorBadChangeset")
    #expect(record["message"]?.stringValue == client.failures[0].info.message)
  }

  @Test("A session that is refused because of its file is recorded and logged with that file")
  func refusedFile() throws {
    let lines = LogLines()
    let harness = try Harness { $0.logger = lines.logger }
    let client = try client(harness, try harness.logIn(), #"{"Task":"(TRUEPREDICATE)"}"#)
    client.disconnect()
    try harness.restart()
    let ident = try #require(client.file?.ident)
    let store = try harness.served.engine.store
    var record = try #require(try store.file(ident: ident))
    record.streamHead = 0
    try store.write { try store.update(record) }
    try client.connect()
    #expect(client.failures.map(\.code) == [.badServerVersion])
    var filter = RecordFilter()
    filter.errorsOnly = true
    try harness.run(until: { try !records(harness, filter).isEmpty }, "records")
    #expect(try records(harness, filter).first?["file"] == .integer(Int64(ident)))
    let line = lines.text.split(separator: "\n").first { $0.contains("session failed") }
    #expect(line?.contains(#""file": \#(ident)"#) == true)
  }

  @Test("Sync goes on where records cannot be written, and they are written when they can be again")
  func failingDisk() throws {
    let harness = try Harness()
    let records = "\(harness.folder.path)/data/\(Harness.appID)/records"
    try harness.restart {
      _ = rename(records, "\(records).away")
      harness.folder.write("not a folder", to: "data/\(Harness.appID)/records")
    }
    let client = try client(harness, try harness.logIn(), #"{"Task":"(TRUEPREDICATE)"}"#)
    try client.write { _ in TaskTracker.newTask(1, assignee: nil) }
    try client.synchronize()
    #expect(client.isConnected && client.failures.isEmpty)
    unlink(records)
    try harness.run(
      until: {
        try client.write { _ in [TaskTracker.set("completed", .bool(true), of: TaskTracker.task(1))] }
        try client.synchronize()
        return try !self.records(harness).isEmpty
      },
      "records"
    )
  }

  // MARK: Files

  private func line(_ number: Int, time: Int64 = 0) -> String {
    SyncRecord(time: time, kind: .clientWrite, userID: "u\(number)", session: 1, file: 1, details: []).line
  }

  private func users(_ folder: String, _ filter: RecordFilter = RecordFilter()) throws -> [Int] {
    var found: [Int] = []
    let reader = try RecordReader(dataFolder: folder, appID: "app", filter: filter) { record in
      found.append(Int(record.json["user"]?.stringValue?.dropFirst() ?? "") ?? -1)
    }
    try reader.readAll()
    return found
  }

  private func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  @Test("Files take no more than they may, keep the newest records, and are read in order")
  func rotation() throws {
    let path = DataFolder.recordFolder(in: folder.path, appID: "app")
    let files = RecordFiles(folder: path, byteCount: 16_000)
    for number in 1...1000 {
      try files.append(line(number))
      #expect(RecordFiles.paths(in: path).map(size).reduce(0, +) <= 16_000)
    }
    let found = try users(folder.path)
    #expect(found.count > 80 && found == Array(found[0]...1000))
  }

  @Test("Half a line that a crash has left harms no other record")
  func tornLine() throws {
    let path = DataFolder.recordFolder(in: folder.path, appID: "app")
    try RecordFiles(folder: path, byteCount: 1 << 20).append(line(1) + String(line(2).dropLast(20)))
    let files = RecordFiles(folder: path, byteCount: 1 << 20)
    try files.append(line(3))
    #expect(try users(folder.path) == [1, 3])
  }

  @Test("Who follows misses nothing when files change their names")
  func following() throws {
    let files = RecordFiles(folder: DataFolder.recordFolder(in: folder.path, appID: "app"), byteCount: 16_000)
    try files.append(line(1))
    var found: [Int] = []
    let reader = try RecordReader(dataFolder: folder.path, appID: "app", filter: RecordFilter()) { record in
      found.append(Int(record.json["user"]?.stringValue?.dropFirst() ?? "") ?? -1)
    }
    try reader.readAll()
    for number in 2...500 {
      try files.append(line(number))
      if number % 7 == 0 { try reader.readNew() }
    }
    try reader.readNew()
    #expect(found == Array(1...500))
  }

  @Test("Records are found by their time")
  func since() throws {
    let files = RecordFiles(
      folder: DataFolder.recordFolder(in: folder.path, appID: "app"),
      byteCount: 1 << 20
    )
    for number in 1...5 { try files.append(line(number, time: Int64(number) * 1000)) }
    var filter = RecordFilter()
    filter.since = UTCTime.milliseconds("1970-01-01T00:00:03Z")
    #expect(try users(folder.path, filter) == [3, 4, 5])
  }

  @Test("No path leads out of the data folder", arguments: ["..", "../data", "", ".", "app/../.."])
  func traversal(appID: String) {
    #expect(throws: ServerError.self) {
      try RecordReader(dataFolder: folder.path, appID: appID, filter: RecordFilter()) { _ in }
    }
  }

  // MARK: Times

  @Test(
    "Times are written and read as RFC 3339",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (951_782_400_123, "2000-02-29T00:00:00.123Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
    ] as [(Int64, String)]
  )
  func times(milliseconds: Int64, text: String) {
    #expect(UTCTime.text(milliseconds: milliseconds) == text)
    #expect(UTCTime.milliseconds(text) == milliseconds)
  }

  @Test("Every day is written as the system's calendar does")
  func calendar() {
    for day in stride(from: -40_000 as Int64, to: 60_000, by: 1) {
      var seconds = time_t(day * 86_400)
      var parts = tm()
      gmtime_r(&seconds, &parts)
      let text = UTCTime.text(milliseconds: day * 86_400_000)
      let numbers = text.prefix(10).split(separator: "-").compactMap { Int32($0) }
      guard numbers == [parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday],
        UTCTime.milliseconds(String(text.prefix(10))) == day * 86_400_000
      else {
        Issue.record("day \(day): \(text)")
        return
      }
    }
  }

  @Test(
    "What is no time is not taken for one",
    arguments: [
      "", "yesterday", "2026-02-29", "2026-13-01", "2026-1-1", "2026-01-01T25:00Z", "2026-01-01T10:00",
      "-2026-01-01",
    ]
  )
  func badTimes(text: String) { #expect(UTCTime.milliseconds(text) == nil) }
}
