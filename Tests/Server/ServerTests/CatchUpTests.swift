// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncWire
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncRules

@Suite("Clients that come back after a long absence")
struct CatchUpTests {
  private static let everything = #"{"Task":"(TRUEPREDICATE)"}"#
  private static let small = #"{"Task":"(assignee == 'bob')"}"#
  private static let versionCount = 300

  /// A server with a client that has missed much, and one that is connected.
  private final class World {
    let harness: Harness
    let away: SyncClient
    let writer: DirectClient
    private let userID: String
    private var clientVersion: ClientVersion = 1

    /// - Parameter isRestricted: whether the user of the client that is away may see less since then.
    init(isRestricted: Bool) throws {
      var limits = DeliveryLimits()
      limits.turn = TurnBudget(stepCount: 100)
      limits.history = HistoryLimits(recentCount: 10, pieceByteCount: 1_000)
      let table = PermissionTable()
      let harness = try Harness(limits: limits, permissions: table)
      self.harness = harness
      away = try SyncClient(harness, schema: TaskTracker.schema)
      try away.connect()
      away.subscribe(CatchUpTests.everything)
      try away.synchronize()
      away.disconnect()
      try harness.run(until: { try harness.engine().sessionCount == 0 })
      if isRestricted {
        table.users[away.userID] = Permissions(classes: ["Task": try .role(read: "assignee == 'bob'")])
        try harness.engine().permissionsMayHaveChanged(of: away.userID)
      }
      userID = try harness.logIn().userID
      writer = try DirectClient(harness, userID, CatchUpTests.small)
      for number in 1...CatchUpTests.versionCount { try write(UInt32(number)) }
    }

    /// Makes a version of the history, and has it acknowledged.
    func write(_ number: UInt32) throws {
      clientVersion += 1
      writer.upload(TaskTracker.newTask(number, assignee: "bob"), version: clientVersion)
      while try harness.engine().runTurn(), !isAcknowledged {}
      #expect(isAcknowledged)
    }

    var isAcknowledged: Bool { writer.downloads.last?.progress.upload.clientVersion == clientVersion }

    /// Brings the client back, as far as its IDENT.
    func comeBack() throws -> RecordingChannel {
      let served = try #require(harness.server.apps[Harness.appID])
      let channel = RecordingChannel()
      served.accept(channel, version: .newest, userID: away.userID)
      channel.put(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: false)))
      channel.put(
        .ident(
          IdentMessage(
            session: 1,
            file: try #require(away.file),
            download: away.progress.download,
            latest: away.progress.latest,
            queryVersion: away.queryVersion,
            queryBody: Array(away.queryBody.utf8)
          )
        )
      )
      return channel
    }

    /// The tasks that a stream creates, in its order.
    func created(_ channel: RecordingChannel) throws -> [ObjectReference] {
      try channel.received.flatMap { message in
        guard case .download(let download) = message else { return [] as [ObjectReference] }
        return try download.entries.flatMap { try ChangesetCodec.decode($0.changeset).instructions }
          .compactMap { if case .createObject(let object) = $0 { object } else { nil } }
      }
    }
  }

  @Test(
    "What a client has missed is gone through in many turns, and others are served between them",
    arguments: [false, true]
  )
  func manyTurns(isRestricted: Bool) throws {
    let world = try World(isRestricted: isRestricted)
    let channel = try world.comeBack()
    let engine = try world.harness.engine()
    var turns = 0
    while engine.runTurn(), try world.created(channel).isEmpty {
      turns += 1
      // Its client waits for a bounded number of turns only.
      try world.write(UInt32(1000 + turns))
    }
    #expect(turns > Self.versionCount / 100)
    while engine.runTurn() {}
    let created = try world.created(channel)
    #expect(created.count == Self.versionCount + turns && Set(created).count == created.count)
    #expect(channel.isOpen)
  }

  @Test("A client whose session ends before goes on when it comes back", arguments: [false, true])
  func brokenSessions(isRestricted: Bool) throws {
    let world = try World(isRestricted: isRestricted)
    let engine = try world.harness.engine()
    var count = 0
    var channel = try world.comeBack()
    while engine.runTurn(), try world.created(channel).isEmpty {
      count += 1
      channel = try world.comeBack()
    }
    while engine.runTurn() {}
    #expect(count > 3)
    let created = try world.created(channel)
    #expect(created.count == Self.versionCount)
    #expect(Set(created).count == created.count)
  }

  @Test(
    "After a restart in between the client gets all that it has missed, and nothing twice",
    arguments: [false, true]
  )
  func restart(isRestricted: Bool) throws {
    let world = try World(isRestricted: isRestricted)
    let channel = try world.comeBack()
    let engine = try world.harness.engine()
    let file = try #require(try engine.store.file(ident: world.away.file?.ident ?? 0))
    func placed() throws -> [StreamEntry] {
      try engine.store.streamEntries(file: file.ident, after: file.streamHead)
    }
    while engine.runTurn(), try placed().isEmpty {}
    #expect(try !placed().isEmpty)
    #expect(try engine.store.file(ident: file.ident)?.streamHead == file.streamHead)
    #expect(try world.created(channel).isEmpty)
    try world.harness.restart()
    try world.away.connect()
    try world.away.synchronize()
    #expect(try world.away.objects.contents(of: "Task").count == Self.versionCount)
    try world.away.expectWhatItSelects("after the restart")
  }
}
