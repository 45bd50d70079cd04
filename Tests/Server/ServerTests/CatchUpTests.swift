// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncScheduling
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
    let table: PermissionTable
    private let userID: String
    private var clientVersion: ClientVersion = 1

    /// - Parameter isRestricted: whether the user of the client that is away may see less since then.
    init(isRestricted: Bool) throws {
      var limits = DeliveryLimits()
      limits.turn = TurnBudget(stepCount: 100)
      limits.history = HistoryLimits(recentCount: 10, pieceByteCount: 1_000)
      table = PermissionTable()
      let harness = try Harness(limits: limits, permissions: table)
      self.harness = harness
      away = try SyncClient(harness, schema: TaskTracker.schema)
      try away.connect()
      away.subscribe(CatchUpTests.everything)
      try away.synchronize()
      away.disconnect()
      try harness.run(until: { try harness.engine().sessionCount == 0 })
      userID = try harness.logIn().userID
      writer = try DirectClient(harness, userID, CatchUpTests.small)
      if isRestricted { try restrict() }
      for number in 1...CatchUpTests.versionCount { try write(UInt32(number)) }
    }

    /// Has the user of the client that is away see less.
    func restrict() throws {
      table.users[away.userID] = Permissions(classes: ["Task": try .role(read: "assignee == 'bob'")])
      try harness.engine().permissionsMayHaveChanged(of: away.userID)
    }

    /// Makes a version of the history, and has it acknowledged.
    func write(_ number: UInt32) throws { try write(TaskTracker.newTask(number, assignee: "bob")) }

    func write(_ instructions: [Instruction]) throws {
      clientVersion += 1
      writer.upload(instructions, version: clientVersion)
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
      try instructions(channel).compactMap { if case .createObject(let object) = $0 { object } else { nil } }
    }

    /// What a stream brings, in its order.
    func instructions(_ channel: RecordingChannel) throws -> [Instruction] {
      try channel.received.flatMap { message in
        guard case .download(let download) = message else { return [] as [Instruction] }
        return try download.entries.flatMap { try ChangesetCodec.decode($0.changeset).instructions }
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

  @Test(
    "What a client has written meanwhile is merged with what it has missed, in many turns",
    arguments: [false, true]
  )
  func offlineWrites(isRestricted: Bool) throws {
    let world = try World(isRestricted: isRestricted)
    for number in 1...20 as ClosedRange<UInt32> {
      try world.away.write { objects in
        let changes =
          TaskTracker.newTask(number, assignee: "bob")
          + [TaskTracker.set("taskName", .string("offline \(number)"), of: TaskTracker.task(number))]
        try objects.apply(changes)
        return changes
      }
    }
    try world.away.connect()
    try world.away.synchronize()
    let engine = try world.harness.engine()
    #expect(try engine.store.objects.contents(of: "Task") == world.away.objects.contents(of: "Task"))
    #expect(try world.away.objects.contents(of: "Task").count == Self.versionCount)
    try world.away.expectWhatItSelects("after the merge")
  }

  @Test(
    "What has not been acknowledged is loaded in many turns before it is merged with, and others are served meanwhile"
  )
  func unacknowledged() throws {
    let world = try World(isRestricted: false)
    let channel = try world.comeBack()
    let engine = try world.harness.engine()
    while engine.runTurn() {}
    let base = try #require(world.away.progress.download.serverVersion as ServerVersion?)
    let change = TaskTracker.newTask(5, assignee: "bob")
    let entry = UploadEntry(
      clientVersion: 100,
      serverVersion: base,
      timestamp: 1,
      originFileIdent: 0,
      changeset: ChangesetCodec.encode(change)
    )
    let cursor = UploadCursor(clientVersion: 100, serverVersion: base)
    channel.put(
      .upload(UploadMessage(session: 1, progress: cursor, lockedServerVersion: base, entries: [entry]))
    )
    var turns = 0
    while engine.runTurn(),
      try engine.store.file(ident: world.away.file?.ident ?? 0)?.uploadClientVersion != 100
    {
      turns += 1
      try world.write(UInt32(1000 + turns))
    }
    #expect(turns >= Self.versionCount / 100)
    #expect(channel.isOpen)
  }

  @Test("Permissions that are looked up again and are the same do not begin a change of the view anew")
  func samePermissions() throws {
    let world = try World(isRestricted: true)
    let channel = try world.comeBack()
    let engine = try world.harness.engine()
    var turns = 0
    while engine.runTurn(), try world.created(channel).isEmpty, turns < 1_000 {
      turns += 1
      engine.permissionsMayHaveChanged(of: world.away.userID)
    }
    #expect(turns > Self.versionCount / 100)
    while engine.runTurn() {}
    #expect(try world.created(channel).count == Self.versionCount)
    #expect(channel.isOpen)
  }

  @Test("What is erased while a view changes in many turns takes nothing out of what was placed before")
  func erasedMeanwhile() throws {
    let world = try World(isRestricted: false)
    let engine = try world.harness.engine()
    let first = try world.comeBack()
    while engine.runTurn() {}
    // The client itself has got none of what was sent when its connection breaks.
    first.onClose?(ChannelClosure(code: nil, reason: "", error: nil))
    while engine.runTurn() {}
    let task = TaskTracker.task(5)
    for number in 1...100 {
      try world.write([TaskTracker.set("taskName", .string("name \(number)"), of: task)])
    }
    try world.restrict()
    let second = try world.comeBack()
    let file = try #require(world.away.file?.ident)
    func placedCount() throws -> Int {
      let record = try #require(try engine.store.file(ident: file))
      return try engine.store.streamEntries(file: file, after: record.streamHead).count
    }
    while engine.runTurn(), try placedCount() == 0 {}
    #expect(try placedCount() > 0)
    try world.write([.eraseObject(task)])
    while engine.runTurn() {}
    var isThere = false
    for instruction in try world.instructions(second) where instruction.object == task {
      switch instruction {
      case .createObject: isThere = true
      case .eraseObject: isThere = false
      default: #expect(isThere, "\(instruction)")
      }
    }
    #expect(try !isThere && world.created(second).count == Self.versionCount)
  }
}
