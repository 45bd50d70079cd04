// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncWire
import Testing

@testable import FlexSyncServer

@Suite("Messages that mean no good")
struct HostileMessageTests {
  @Test("A frame that announces more than a message may have ends its connection, unread")
  func announcedFrame() throws {
    let harness = try Harness()
    let bystander = try harness.openSession()
    for length in [UInt64(1) << 32, 1 << 62, .max >> 1, .max] {
      let client = try upgraded(harness)
      client.send(RawFrame.client(2, [1, 2, 3], announcing: length))
      try harness.run(until: { client.isClosed }, "end")
    }
    try harness.checkServes(bystander)
  }

  @Test("A message in very many tiny fragments ends its connection before it takes much memory")
  func fragments() throws {
    let harness = try Harness()
    let bystander = try harness.openSession()
    let client = try upgraded(harness)
    client.send(RawFrame.client(2, [1], isFinal: false))
    let piece = [[UInt8]](repeating: RawFrame.client(0, [1], isFinal: false), count: 5_000).flatMap { $0 }
    for _ in 0..<20 where !client.isClosed {
      client.send(piece)
      try harness.wait(milliseconds: 1)
    }
    try harness.run(until: { client.isClosed }, "end")
    try harness.checkServes(bystander)
  }

  private func upgraded(_ harness: Harness) throws -> RawClient {
    let client = try RawClient(harness)
    try client.upgrade(harness, headers: ["Authorization: Bearer \(try harness.logIn().access)"])
    #expect(client.status == 101)
    return client
  }

  @Test(
    "A body that announces more than it may, or more than deflate can gain, ends its connection",
    arguments: [
      ("upload 1 1 4294967296 10 5 1 1\n", ErrorCode.badSyntax),
      ("upload 1 1 33554433 10 5 1 1\n", .badSyntax),
      ("upload 1 1 33554432 10 5 1 1\n0123456789", .badDecompression),
      ("upload 1 0 18446744073709551615 0 5 1 1\n", .badSyntax),
      ("upload 1 0 18446744073709551616 0 5 1 1\n", .badSyntax), ("query 1 1 99999999999\n{}", .badSyntax),
      ("ident 1 1 7 0 0 0 0 0 4294967295\n{}", .badSyntax), ("bind 2 4294967295 0 1 0\n{}", .badSyntax),
    ]
  )
  func announcedBody(message: String, code: ErrorCode) throws {
    let harness = try Harness()
    let bystander = try harness.openSession()
    let connection = try harness.openSession()
    connection.send(raw: message)
    try harness.run(until: { connection.isClosed }, "end")
    #expect(connection.errors.map(\.code) == [code])
    try harness.checkServes(bystander)
  }

  @Test("A compressed bomb of empty changesets ends its session, and others are served")
  func bomb() throws {
    let harness = try Harness()
    let bystander = try harness.openSession()
    let connection = try harness.openSession()
    // 2.5 MB of heads, all the same, are a few KB on the wire.
    let entry = UploadEntry(clientVersion: 5, serverVersion: 1, timestamp: 1, changeset: [])
    let upload = UploadMessage(
      session: 1,
      progress: UploadCursor(clientVersion: 5, serverVersion: 1),
      lockedServerVersion: 1,
      entries: [UploadEntry](repeating: entry, count: 250_000)
    )
    connection.send(.upload(upload))
    try harness.run(until: { !connection.errors.isEmpty }, "error", seconds: 60)
    #expect(connection.errors.map(\.code) == [.badClientVersion])
    try harness.checkServes(bystander)
  }

  @Test("JSON that is nested without end is refused where it stands")
  func nestedJSON() throws {
    let harness = try Harness()
    let bystander = try harness.openSession()
    for depth in [2_000, 100_000] {
      let connection = try harness.openSession()
      let nested = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
      connection.send(.query(session: 1, queryVersion: 1, body: Array(nested.utf8)))
      try harness.run(until: { !connection.queryErrors.isEmpty }, "query error")
      let options = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      var bind = BindMessage(session: 2, options: BindOptions(), needsFileIdent: true)
      bind.parameters = Array(options.utf8)
      connection.send(.bind(bind))
      try harness.run(until: { connection.isClosed }, "end")
      #expect(connection.errors.map(\.code) == [.badSyntax])
    }
    try harness.checkServes(bystander)
  }

  @Test("A query that is nested or joined without end is refused, and the session goes on")
  func nestedQuery() throws {
    let harness = try Harness()
    let bystander = try harness.openSession()
    let connection = try harness.openSession()
    let queries = [
      String(repeating: "(", count: 100_000) + "TRUEPREDICATE" + String(repeating: ")", count: 100_000),
      String(repeating: "!", count: 200_000) + "TRUEPREDICATE",
      [String](repeating: "TRUEPREDICATE", count: 100_000).joined(separator: " AND "),
    ]
    for (index, query) in queries.enumerated() {
      let body = Array(#"{"Task":"\#(query)"}"#.utf8)
      connection.send(.query(session: 1, queryVersion: UInt64(index + 1), body: body))
      try harness.run(
        until: { connection.queryErrors.count == index + 1 },
        "query error \(index)",
        seconds: 30
      )
    }
    connection.send(.mark(session: 1, request: 1))
    try harness.run(until: { connection.marks == [1] }, "mark")
    try harness.checkServes(bystander)
  }

  @Test("Versions and times at the end of their range change nothing for others")
  func extremes() throws {
    let harness = try Harness()
    let bystander = try harness.openSession()
    let connection = try harness.openSession()
    let most = UInt64(Int64.max)
    let changeset = ChangesetCodec.encode(
      ObjectStore.declarations(of: TaskTracker.schema) + TaskTracker.newTask(1, assignee: nil)
    )
    let upload = UploadMessage(
      session: 1,
      progress: UploadCursor(clientVersion: most, serverVersion: 1),
      lockedServerVersion: 1,
      entries: [UploadEntry(clientVersion: most, serverVersion: 1, timestamp: most, changeset: changeset)]
    )
    connection.send(
      .query(session: 1, queryVersion: most, body: Array(#"{"Task":"TRUEPREDICATE"}"#.utf8))
    )
    connection.send(.upload(upload))
    connection.send(.mark(session: 1, request: most))
    connection.send(.ping(timestamp: most, roundTripTime: most))
    try harness.run(until: { connection.marks == [most] || connection.isClosed }, "mark")
    #expect(connection.isOpen)
    try harness.checkServes(bystander)
    let reader = try SyncClient(harness, schema: TaskTracker.schema)
    try reader.connect()
    reader.subscribe(#"{"Task":"(TRUEPREDICATE)"}"#)
    try reader.synchronize()
    try reader.write(TaskTracker.set("taskName", .string("mine"), of: TaskTracker.task(1)))
    try reader.synchronize()
    #expect(try reader.objects.value("taskName", of: TaskTracker.task(1)) == .string("mine"))
  }
}
