// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncWire
import Testing

@testable import FlexSyncServer

@Suite("Sessions of one connection, and files of others")
struct SessionIsolationTests {
  @Test(
    "Another user's file cannot be bound beside one's own, and neither its owner nor one's own session notices"
  )
  func anotherUsersFile() throws {
    let harness = try Harness()
    let owner = try harness.connect(try harness.logIn())
    let file = try owner.openSession(1, harness)
    let thief = try harness.openSession()
    thief.send(.bind(BindMessage(session: 2, options: BindOptions(), needsFileIdent: false)))
    thief.send(.ident(.resuming(file, in: 2)))
    try harness.run(until: { !thief.errors.isEmpty }, "refusal")
    #expect(thief.errors.map(\.code) == [.userMismatch] && thief.errors.first?.session == 2)
    #expect(!thief.downloads.contains { $0.session == 2 })
    for connection in [owner, thief] {
      connection.send(.mark(session: 1, request: 1))
      try harness.run(until: { connection.marks == [1] }, "mark")
      #expect(connection.isOpen && connection.errors(of: 1).isEmpty)
    }
  }

  @Test("The number of a file says nothing without its salt")
  func guessing() throws {
    let harness = try Harness()
    let tokens = try harness.logIn()
    let file = try harness.connect(tokens).openSession(1, harness)
    let connection = try harness.connect(tokens)
    for (session, salt) in [Int64(1), -file.salt, file.salt &+ 1, .max, .min].enumerated() {
      let session = UInt64(session + 1)
      connection.send(.bind(BindMessage(session: session, options: BindOptions(), needsFileIdent: false)))
      connection.send(.ident(.resuming(SaltedFileIdent(ident: file.ident, salt: salt), in: session)))
      try harness.run(until: { !connection.errors(of: session).isEmpty }, "refusal")
      #expect(connection.errors(of: session).map(\.code) == [.badClientFileIdent])
    }
  }

  @Test("A file that is new to a session cannot be exchanged for another one in IDENT")
  func exchangedFile() throws {
    let harness = try Harness()
    let tokens = try harness.logIn()
    let old = try harness.connect(tokens).openSession(1, harness)
    let connection = try harness.connect(tokens)
    connection.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: true)))
    try harness.run(until: { !connection.idents.isEmpty }, "ident")
    connection.send(.ident(.resuming(old, in: 1)))
    try harness.run(until: { !connection.errors.isEmpty }, "refusal")
    #expect(connection.errors.map(\.code) == [.badClientFileIdent])
  }

  @Test("A token in BIND makes nobody somebody else: the session is that of the connection's user")
  func tokenInBind() throws {
    let harness = try Harness()
    let victim = try harness.logIn()
    let file = try harness.connect(victim).openSession(1, harness)
    let connection = try harness.openSession()
    var bind = BindMessage(session: 2, options: BindOptions(), needsFileIdent: false)
    bind.token = victim.access
    connection.send(.bind(bind))
    connection.send(.ident(.resuming(file, in: 2)))
    try harness.run(until: { !connection.errors.isEmpty }, "refusal")
    #expect(connection.errors.map(\.code) == [.userMismatch])
  }

  @Test("Each session of a connection is sent what its own subscriptions match, and nothing else")
  func views() throws {
    let harness = try Harness()
    let connection = try harness.connect(try harness.logIn())
    let names: [UInt64: String] = [1: "ann", 2: "ben"]
    for (session, name) in names.sorted(by: { $0.key < $1.key }) {
      _ = try connection.openSession(session, harness)
      let body = Array(#"{"Task":"(assignee == \"\#(name)\")"}"#.utf8)
      connection.send(.query(session: session, queryVersion: 1, body: body))
    }
    try harness.run(until: { connection.downloads.count { $0.queryVersion == 1 } == 2 }, "bootstraps")
    let writer = try SyncClient(harness, schema: TaskTracker.schema)
    try writer.connect()
    writer.subscribe(#"{"Task":"(TRUEPREDICATE)"}"#)
    try writer.synchronize()
    try writer.write { objects in
      let changes = TaskTracker.newTask(1, assignee: "ann") + TaskTracker.newTask(2, assignee: "ben")
      try objects.apply(changes)
      return changes
    }
    try writer.synchronize()
    for session in names.keys { connection.send(.mark(session: session, request: 1)) }
    try harness.run(until: { connection.marks.count == 2 }, "marks")
    for (session, number) in [(UInt64(1), UInt32(1)), (2, 2)] {
      let received = try connection.downloads.filter { $0.session == session }.flatMap(\.entries)
        .flatMap { try ChangesetCodec.decode($0.changeset).instructions }.compactMap(\.object)
      #expect(Set(received) == [TaskTracker.task(number)], "session \(session)")
    }
  }

  @Test("Messages for a session of another connection, or of none, end the connection that sends them")
  func foreignSessions() throws {
    let harness = try Harness()
    let owner = try harness.openSession()
    let messages: [ClientMessage] = [
      .mark(session: 1, request: 9), .unbind(1),
      .query(session: 1, queryVersion: 9, body: []),
    ]
    for message in messages {
      let connection = try harness.connect(try harness.logIn())
      connection.send(message)
      try harness.run(until: { connection.isClosed }, "end")
      #expect(connection.errors.map(\.code) == [.badSessionIdent])
    }
    try harness.checkServes(owner)
  }
}
