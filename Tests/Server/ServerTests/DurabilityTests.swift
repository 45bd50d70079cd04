// SPDX-License-Identifier: Apache-2.0

import DiskProbe
import FlexSyncChangeset
import FlexSyncCore
import FlexSyncWire
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncServerSupport

@Suite("What the server tells is on disk")
struct DurabilityTests {
  private let harness: Harness
  private let syncs: SyncCounter
  private let engine: SyncEngine
  private let userID: String

  init() throws {
    // Its file system has to be there before the server opens a file.
    _ = SyncCounter(folder: "")
    harness = try Harness()
    syncs = SyncCounter(folder: harness.folder.path)
    engine = try #require(harness.server.apps[Harness.appID]).engine
    userID = try harness.logIn().userID
  }

  /// A connection, bound with a new file.
  private func bind() throws -> (channel: RecordingChannel, file: SaltedFileIdent) {
    let channel = try connect()
    channel.put(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: true)))
    engine.runTurn()
    let idents = channel.received.compactMap {
      if case .ident(_, let file) = $0 { file } else { nil }
    }
    return (channel, try #require(idents.first))
  }

  private func connect() throws -> RecordingChannel {
    let channel = RecordingChannel()
    try #require(harness.server.apps[Harness.appID]).accept(channel, version: .newest, userID: userID)
    return channel
  }

  private func identify(
    _ channel: RecordingChannel,
    _ file: SaltedFileIdent,
    download: DownloadCursor = .start
  ) {
    channel.put(
      .ident(
        IdentMessage(
          session: 1,
          file: file,
          download: download,
          latest: LatestServerVersion(serverVersion: 0, salt: 0),
          queryVersion: 0,
          queryBody: Array("{}".utf8)
        )
      )
    )
  }

  /// A client that sees all tasks.
  private func openSession() throws -> (channel: RecordingChannel, file: SaltedFileIdent) {
    let (channel, file) = try bind()
    identify(channel, file)
    engine.runTurn()
    let body = Array(#"{"Task":"(TRUEPREDICATE)"}"#.utf8)
    channel.put(.query(session: 1, queryVersion: 1, body: body))
    engine.runTurn()
    return (channel, file)
  }

  private func upload(
    _ clientVersion: UInt64,
    base serverVersion: UInt64 = 2,
    _ changes: [Instruction] = []
  ) -> ClientMessage {
    let entry = UploadEntry(
      clientVersion: clientVersion,
      serverVersion: serverVersion,
      timestamp: 1000,
      changeset: ChangesetCodec.encode(changes)
    )
    return .upload(
      UploadMessage(
        session: 1,
        progress: UploadCursor(clientVersion: clientVersion, serverVersion: serverVersion),
        lockedServerVersion: serverVersion,
        entries: changes.isEmpty ? [] : [entry]
      )
    )
  }

  /// The syncs that had happened when the server told an upload cursor.
  private final class Told { var syncCounts: [Int] = [] }

  private func listen(_ channel: RecordingChannel, from clientVersion: UInt64) -> Told {
    let told = Told()
    channel.onReceive = { [syncs] message in
      guard case .download(let download) = message,
        download.progress.upload.clientVersion >= clientVersion
      else { return }
      told.syncCounts.append(syncs.count)
    }
    return told
  }

  @Test("The uploads of one turn share one sync, and are acknowledged after it")
  func groupCommit() throws {
    let channels = try (0..<20).map { _ in try openSession().channel }
    let listeners = channels.map { listen($0, from: 10) }
    let before = syncs.count
    for (number, channel) in channels.enumerated() {
      channel.put(upload(10, base: 2, TaskTracker.newTask(UInt32(number), assignee: nil)))
    }
    #expect(syncs.count == before)
    engine.runTurn()
    #expect(syncs.count == before + 1)
    for listener in listeners { #expect(listener.syncCounts.first == before + 1) }
  }

  @Test("The progress of an upload without changes costs no sync until the client is told it")
  func lazyProgress() throws {
    let channel = try openSession().channel
    let told = listen(channel, from: 10)
    let before = syncs.count
    channel.put(upload(10))
    engine.runTurn()
    #expect(syncs.count == before && told.syncCounts.isEmpty)
    let other = try openSession().channel
    let beforeWrite = syncs.count
    channel.put(upload(11))
    engine.runTurn()
    other.put(upload(10, base: 2, TaskTracker.newTask(1, assignee: nil)))
    engine.runTurn()
    #expect(syncs.count == beforeWrite + 1)
    #expect(told.syncCounts == [beforeWrite + 1])
  }

  @Test("A session that ends leaves no progress that the next one is told unsynced")
  func nextSession() throws {
    let (channel, file) = try bind()
    identify(channel, file)
    engine.runTurn()
    channel.put(upload(10, base: 1))
    engine.runTurn()
    channel.put(.unbind(1))
    let next = try connect()
    next.put(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: false)))
    let told = listen(next, from: 10)
    let before = syncs.count
    identify(next, file, download: DownloadCursor(serverVersion: 1, clientVersion: 0))
    engine.runTurn()
    #expect(told.syncCounts.first == before + 1)
  }

  @Test("A private file is replaced as a whole")
  func privateFile() throws {
    let path = "\(harness.folder.path)/secret"
    try FileSystem.writePrivately([1, 2, 3], to: path)
    try FileSystem.writePrivately([4], to: path)
    #expect(try FileSystem.contents(of: path) == [4])
    #expect(try FileSystem.entries(of: harness.folder.path).contains("secret.new") == false)
  }
}
