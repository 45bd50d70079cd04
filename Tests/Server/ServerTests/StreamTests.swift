// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncScheduling
import FlexSyncWire
import Testing

@testable import FlexSyncEngine

/// The stream of a client file on the wire (protocol §5).
@Suite("The stream of a client file")
struct StreamTests {
  private let harness: Harness
  private let engine: SyncEngine
  private let tokens: Harness.Tokens
  private static let query = Array(#"{"Task":"(TRUEPREDICATE)"}"#.utf8)

  init() throws {
    harness = try Harness()
    engine = try #require(harness.server.apps[Harness.appID]).engine
    tokens = try harness.logIn()
  }

  /// A client that sees all tasks.
  private func open() throws -> (wire: WireConnection, file: SaltedFileIdent) {
    let wire = try harness.connect(tokens)
    wire.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: true)))
    try harness.run(until: { !wire.idents.isEmpty }, "ident")
    let file = try #require(wire.idents.first)
    identify(wire, file, .start, .none, queryVersion: 0, query: Array("{}".utf8))
    wire.send(.query(session: 1, queryVersion: 1, body: Self.query))
    try harness.run(until: { wire.downloads.contains { $0.queryVersion == 1 } }, "bootstrap")
    return (wire, file)
  }

  private func identify(
    _ wire: WireConnection,
    _ file: SaltedFileIdent,
    _ download: DownloadCursor,
    _ latest: LatestServerVersion,
    queryVersion: UInt64 = 1,
    query: [UInt8] = Self.query
  ) {
    wire.send(
      .ident(
        IdentMessage(
          session: 1,
          file: file,
          download: download,
          latest: latest,
          queryVersion: queryVersion,
          queryBody: query
        )
      )
    )
  }

  private func resume(_ file: SaltedFileIdent, _ download: DownloadCursor, _ latest: LatestServerVersion)
    throws -> WireConnection
  {
    let wire = try harness.connect(tokens)
    wire.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: false)))
    identify(wire, file, download, latest)
    wire.send(.mark(session: 1, request: 1))
    try harness.run(until: { !wire.marks.isEmpty || !wire.errors.isEmpty }, "resumption")
    return wire
  }

  private func upload(_ wire: WireConnection, _ version: UInt64, base: UInt64, _ changes: [Instruction]) {
    var entries: [UploadEntry] = []
    if !changes.isEmpty {
      let changeset = ChangesetCodec.encode(changes)
      entries = [
        UploadEntry(clientVersion: version, serverVersion: base, timestamp: version, changeset: changeset)
      ]
    }
    let progress = UploadCursor(clientVersion: version, serverVersion: base)
    wire.send(
      .upload(UploadMessage(session: 1, progress: progress, lockedServerVersion: base, entries: entries))
    )
  }

  private func acknowledged(_ wire: WireConnection, _ version: UInt64) -> Bool {
    wire.downloads.last.map { $0.progress.upload.clientVersion >= version } ?? false
  }

  @Test("It goes on behind any entry, also in the middle of a message, and brings nothing twice")
  func resumption() throws {
    let (reader, file) = try open()
    let start = try #require(reader.downloads.last).progress
    reader.drop()
    let (writer, _) = try open()
    for number in 1...5 as ClosedRange<UInt32> {
      upload(writer, 10 + UInt64(number), base: 2, TaskTracker.newTask(number, assignee: nil))
    }
    try harness.run(until: { acknowledged(writer, 15) }, "acknowledgement")
    let first = try resume(file, start.download, start.latest)
    let entries = first.downloads.flatMap(\.entries)
    #expect(entries.count == 5)
    let latest = try #require(first.downloads.last).progress.latest
    first.drop()
    for (index, entry) in entries.enumerated() {
      let cursor = DownloadCursor(serverVersion: entry.serverVersion, clientVersion: entry.clientVersion)
      let again = try resume(file, cursor, latest)
      #expect(again.errors.isEmpty)
      #expect(again.downloads.flatMap(\.entries) == Array(entries[(index + 1)...]))
      again.drop()
    }
  }

  @Test("An acknowledgement moves the upload cursor and not the stream, and is not answered itself")
  func acknowledgement() throws {
    let (wire, _) = try open()
    let before = try #require(wire.downloads.last).progress
    upload(wire, 12, base: 2, TaskTracker.newTask(1, assignee: nil))
    try harness.run(until: { acknowledged(wire, 12) }, "acknowledgement")
    let after = try #require(wire.downloads.last).progress
    #expect(after.download.serverVersion == before.download.serverVersion && after.latest == before.latest)
    #expect(after.upload == UploadCursor(clientVersion: 12, serverVersion: 2))
    let count = wire.downloads.count
    for version in 13...20 as ClosedRange<UInt64> { upload(wire, version, base: 2, []) }
    wire.send(.mark(session: 1, request: 1))
    try harness.run(until: { !wire.marks.isEmpty }, "mark")
    #expect(wire.downloads.count == count)
  }

  @Test("What was integrated before comes again without effect")
  func retransmission() throws {
    let (wire, file) = try open()
    let progress = try #require(wire.downloads.last).progress
    // Twice would be seen.
    let changes: [Instruction] = [
      .addInteger(PropertyPath(object: TaskTracker.task(1), field: "progressMinutes"), delta: 5)
    ]
    upload(wire, 12, base: 2, TaskTracker.newTask(1, assignee: nil) + changes)
    try harness.run(until: { acknowledged(wire, 12) }, "acknowledgement")
    let version = engine.history.version
    wire.drop()
    let again = try resume(file, progress.download, progress.latest)
    #expect(again.downloads.first?.progress.upload.clientVersion == 12)
    upload(again, 12, base: 2, TaskTracker.newTask(1, assignee: nil) + changes)
    again.send(.mark(session: 1, request: 2))
    try harness.run(until: { again.marks.contains(2) }, "mark")
    #expect(again.errors.isEmpty && engine.history.version == version)
  }

  @Test("Uploads are judged by the set that the client presents, also if its stream followed another one")
  func uploadAfterPresentedSet() throws {
    let everything = String(decoding: Self.query, as: UTF8.self)
    let client = try DirectClient(harness, tokens.userID, everything)
    let nothing = Array(#"{"Task":"(FALSEPREDICATE)"}"#.utf8)
    client.channel.put(.query(session: 1, queryVersion: 2, body: nothing))
    while engine.runTurn() {}
    client.channel.onClose?(ChannelClosure(code: nil, reason: "", error: nil))
    let channel = try client.comeBack(to: harness, tokens.userID, everything)
    client.upload(TaskTracker.newTask(1, assignee: nil), version: 12, over: channel)
    while engine.runTurn() {}
    #expect(try engine.store.objects.row(of: TaskTracker.task(1)) != nil)
    #expect(!channel.received.contains { if case .error = $0 { true } else { false } })
  }

  @Test("A change that is based on what the client had said to need no more makes it start over")
  func forgottenBase() throws {
    let (wire, file) = try open()
    let (writer, _) = try open()
    upload(writer, 12, base: 2, TaskTracker.newTask(1, assignee: nil))
    try harness.run(until: { wire.downloads.last?.progress.download.serverVersion == 3 }, "download")
    let progress = try #require(wire.downloads.last).progress
    upload(wire, 12, base: progress.download.serverVersion, [])
    try harness.run(until: { try engine.store.file(ident: file.ident)?.trimmedVersion == 3 }, "trimming")
    wire.drop()
    let again = try resume(file, progress.download, progress.latest)
    upload(again, 14, base: 2, [TaskTracker.set("taskName", .string("old"), of: TaskTracker.task(1))])
    try harness.run(until: { !again.errors.isEmpty }, "error")
    #expect(again.errors.first?.code == .badServerVersion)
    #expect(again.errors.first?.info.action == .clientReset)
  }
}
