// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncWire
import Testing

@testable import FlexSyncEngine

/// What a client sends again for ever if it is not told to stop.
@Suite("Uploads that are too long")
struct OversizeTests {
  private func session(_ harness: Harness) throws -> WireConnection {
    let connection = try harness.connect(try harness.logIn())
    connection.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: true)))
    try harness.run(until: { !connection.idents.isEmpty }, "ident")
    connection.send(
      .ident(
        IdentMessage(
          session: 1,
          file: try #require(connection.idents.first),
          download: .start,
          latest: .none,
          queryVersion: 0,
          queryBody: Array("{}".utf8)
        )
      )
    )
    try harness.run(until: { !connection.downloads.isEmpty }, "download")
    return connection
  }

  @Test("A transaction that is too long ends its session with an error that says so, and nothing else")
  func changeset() throws {
    let harness = try Harness()
    let connection = try session(harness)
    let name = Value.string(String(repeating: "x", count: 9 << 20))
    let changeset = ChangesetCodec.encode(
      [1, 2].flatMap { number in
        TaskTracker.newTask(number, assignee: nil)
          + [TaskTracker.set("taskName", name, of: TaskTracker.task(number))]
      }
    )
    let upload = UploadMessage(
      session: 1,
      progress: UploadCursor(clientVersion: 5, serverVersion: 1),
      lockedServerVersion: 1,
      entries: [UploadEntry(clientVersion: 5, serverVersion: 1, timestamp: 1, changeset: changeset)]
    )
    connection.send(.upload(upload))
    try harness.run(until: { !connection.errors.isEmpty }, "error", seconds: 60)
    let error = try #require(connection.errors.first)
    #expect(error.session == 1 && error.code == .badChangeset && error.info.action == .applicationBug)
    #expect(!error.info.tryAgain && error.info.message.contains("Split it into several transactions"))
    #expect(connection.isOpen)
  }

  @Test("A message that is too long to be read ends the connection with an error that says so")
  func message() throws {
    let harness = try Harness()
    let bystander = try session(harness)
    let connection = try session(harness)
    connection.send(raw: [UInt8](repeating: 0x20, count: UploadLimits().messageByteCount + 1))
    try harness.run(until: { connection.isClosed }, "close", seconds: 60)
    let error = try #require(connection.errors.first)
    #expect(error.session == 0 && error.code == .badChangesetSize)
    #expect(!error.info.tryAgain && error.info.action == .protocolViolation)
    #expect(error.info.message.contains("smaller write transactions"))
    bystander.send(.mark(session: 1, request: 1))
    try harness.run(until: { bystander.marks == [1] }, "mark")
  }
}
