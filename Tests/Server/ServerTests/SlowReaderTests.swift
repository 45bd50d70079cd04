// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncModel
import FlexSyncTestSupport
import FlexSyncTransport
import FlexSyncWire
import Testing

@testable import FlexSyncEngine

@Suite("Clients that do not read what they are sent")
struct SlowReaderTests {
  private static let everything = #"{"Task":"(TRUEPREDICATE)"}"#

  private func client(_ harness: Harness, _ query: String) throws -> SyncClient {
    let client = try SyncClient(harness, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(query)
    try client.synchronize()
    return client
  }

  private func addTasks(_ numbers: ClosedRange<UInt32>, nameLength: Int, by client: SyncClient) throws {
    // Not to be compressed much.
    var dice = SeededGenerator(seed: UInt64(numbers.lowerBound))
    let letters = (0..<nameLength).map { _ in UInt8(truncatingIfNeeded: dice.next() & 0x3F + 0x30) }
    let name = Value.string(String(decoding: letters, as: UTF8.self))
    try client.write { objects in
      let changes = numbers.flatMap { number in
        TaskTracker.newTask(number, assignee: nil)
          + [TaskTracker.set("taskName", name, of: TaskTracker.task(number))]
      }
      try objects.apply(changes)
      return changes
    }
    try client.synchronize()
  }

  @Test("A client whose socket is full is sent no more, and disconnected when it stays so")
  func stalledSocket() throws {
    var limits = DeliveryLimits()
    limits.stallMilliseconds = 100
    let harness = try Harness(limits: limits)
    let served = try #require(harness.server.apps[Harness.appID])
    let writer = try client(harness, Self.everything)
    // More than the system takes for a socket that nobody reads.
    for first in [1, 41, 81, 121, 161] as [UInt32] {
      try addTasks(first...(first + 39), nameLength: 100_000, by: writer)
    }
    let reader = try client(harness, "{}")
    let ident = try #require(reader.file?.ident)
    reader.connection?.pauseReading()
    reader.subscribe(Self.everything)
    try harness.run(
      until: {
        served.sweep()
        return served.engine.live[ident] == nil
      },
      "end of the session"
    )
    try addTasks(1000...1000, nameLength: 10, by: writer)
    #expect(writer.isConnected && writer.failures.isEmpty)
    reader.disconnect()
    try reader.connect()
    try reader.synchronize()
    #expect(try reader.objects.contents(of: "Task").count == 201)
  }

  @Test("A client that does not read gets, for any number of PINGs, one PONG when it reads again")
  func pongs() throws {
    let harness = try Harness()
    let channel = RecordingChannel()
    let app = try #require(harness.server.apps[Harness.appID])
    app.accept(channel, version: .newest, userID: try harness.logIn().userID)
    channel.put(.ping(timestamp: 1, roundTripTime: 0))
    channel.isWritable = false
    for time in 2...1_000 as ClosedRange<UInt64> { channel.put(.ping(timestamp: time, roundTripTime: 0)) }
    #expect(channel.received == [.pong(1)])
    channel.isWritable = true
    channel.onWritable?()
    #expect(channel.received == [.pong(1), .pong(1_000)])
  }

  @Test("A client that does not read the answers to its requests is not read from until it has read some")
  func answers() throws {
    let harness = try Harness()
    let client = try DirectClient(harness, try harness.logIn().userID, Self.everything)
    client.channel.isWritable = false
    client.channel.put(.mark(session: 1, request: 1))
    client.turn()
    #expect(!client.channel.received.contains(.mark(session: 1, request: 1)))
    client.channel.put(.query(session: 1, queryVersion: 2, body: Array("[".utf8)))
    #expect(client.channel.isPaused)
    client.read()
    client.turn()
    #expect(!client.channel.isPaused)
    #expect(client.channel.received.last == .mark(session: 1, request: 1))
  }

  @Test("A client whose socket is full sends PINGs, and writes, and gets all that is due when it reads again")
  func fullSocket() throws {
    let harness = try Harness()
    let writer = try client(harness, Self.everything)
    for first in [1, 41, 81, 121, 161] as [UInt32] {
      try addTasks(first...(first + 39), nameLength: 100_000, by: writer)
    }
    let reader = try client(harness, "{}")
    let ident = try #require(reader.file?.ident)
    let session = try #require(try harness.engine().live[ident])
    let connection = try #require(reader.connection)
    connection.pauseReading()
    reader.subscribe(Self.everything)
    try harness.run(until: { session.peer?.isWritable == false }, "full socket")
    for number in 1...5_000 as ClosedRange<UInt64> {
      connection.send(.ping(timestamp: number, roundTripTime: 0))
      if number % 100 == 0 {
        try reader.write(TaskTracker.newTask(1_000 + UInt32(number), assignee: nil))
        _ = harness.loop.runPending()
      }
    }
    try harness.run(until: { try harness.openState().contents(of: "Task").count == 250 }, "uploads")
    connection.resumeReading()
    try reader.synchronize()
    let pongs = connection.received.filter { if case .pong = $0 { true } else { false } }
    #expect(pongs == [.pong(5_000)] && reader.isConnected && reader.failures.isEmpty)
    #expect(try reader.objects.contents(of: "Task").count == 250)
  }

  @Test("A client that reads too little is not read ahead for")
  func bounded() throws {
    let harness = try Harness(limits: DeliveryLimits(messageByteCount: 2000, changesetByteCount: 1000))
    let writer = try client(harness, Self.everything)
    try addTasks(1...200, nameLength: 100, by: writer)
    let reader = try BootstrappingClient(harness, Self.everything)
    let received = reader.channel.received.count
    for _ in 0..<5 { try addTasks(300...300, nameLength: 100, by: writer) }
    #expect(reader.session?.bootstrap != nil)
    // What answers its own messages comes, what it has not the room for does not.
    #expect(reader.channel.received.count == received)
    reader.channel.isWritable = true
    reader.channel.onWritable?()
    reader.turn()
    #expect(reader.session?.bootstrap == nil && reader.session?.file?.record.streamHead == 7)
  }

  @Test("Bootstraps that are taken too slowly do not let the write-ahead log grow for ever")
  func pinnedLog() throws {
    var limits = DeliveryLimits(messageByteCount: 2000, changesetByteCount: 1000)
    limits.logByteCount = 400_000
    let harness = try Harness(limits: limits)
    let served = try #require(harness.server.apps[Harness.appID])
    let store = served.engine.store
    let writer = try client(harness, Self.everything)
    try addTasks(1...200, nameLength: 100, by: writer)
    let reader = try BootstrappingClient(harness, Self.everything)

    var greatest: Int64 = 0
    for number in 1...300 as ClosedRange<UInt32> where reader.channel.isOpen {
      try addTasks(number...number, nameLength: 1000, by: writer)
      served.sweep()
      let log = try store.checkpoint()
      if reader.channel.isOpen {
        #expect(log.isPinned && log.byteCount <= max(limits.logByteCount, log.databaseByteCount))
      }
      greatest = max(greatest, log.byteCount)
    }
    #expect(!reader.channel.isOpen && greatest > 400_000)
    #expect(try !store.checkpoint().isPinned)
    try addTasks(400...400, nameLength: 10, by: writer)
    #expect(try store.checkpoint().byteCount < greatest / 4)
    #expect(writer.isConnected && writer.failures.isEmpty)
  }

  @Test("A client that changes its subscriptions and does not read pins few snapshots, and gets its last set")
  func manySubscriptions() throws {
    let harness = try Harness(limits: DeliveryLimits(messageByteCount: 2000, changesetByteCount: 1000))
    let writer = try client(harness, Self.everything)
    try addTasks(1...200, nameLength: 100, by: writer)
    let reader = try BootstrappingClient(harness, Self.everything)
    // Those of one turn count once.
    for version in 2...101 as ClosedRange<UInt64> { reader.subscribe(version, to: version) }
    reader.turn()
    #expect(reader.session?.preparedBootstraps.count == 1)
    for version in 102...200 as ClosedRange<UInt64> {
      reader.subscribe(version, to: version)
      reader.turn()
    }
    #expect(reader.session?.snapshotCount == EngineSession.maximumSnapshotCount)
    #expect(reader.channel.isPaused)
    try addTasks(300...300, nameLength: 10, by: writer)
    #expect(writer.isConnected && writer.failures.isEmpty)
    reader.channel.isWritable = true
    reader.channel.onWritable?()
    while reader.turn() {}
    #expect(!reader.channel.isPaused && reader.session?.holdsSnapshot == false)
    #expect(reader.session?.queryVersion == 200)
  }
}

@Suite("Clients that read slowly what is rejected")
struct SlowRejectionTests {
  private let app = SmallApp(schemas: [
    "notes": #"""
    {"title":"Note","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"string"}}}
    """#
  ])
  private let channel = RecordingChannel()

  private var errors: [ErrorInfo] {
    channel.received.compactMap { if case .error(let error) = $0 { error.info } else { nil } }
  }

  private var revertedVersions: [ServerVersion] {
    channel.received.flatMap { message -> [ServerVersion] in
      guard case .download(let download) = message, download.batchState == .steady else { return [] }
      return download.entries.map(\.serverVersion)
    }
  }

  @Test("The errors of a large rejected upload come as the client takes them, and then what takes it back")
  func largeRejection() throws {
    let harness = try Harness(app: app.path)
    let engine = try harness.engine()
    try #require(harness.server.apps[Harness.appID])
      .accept(channel, version: .newest, userID: try harness.logIn().userID)
    channel.put(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: true)))
    engine.runTurn()
    let idents = channel.received.compactMap {
      if case .ident(_, let file) = $0 { file } else { nil }
    }
    channel.put(
      .ident(
        IdentMessage(
          session: 1,
          file: try #require(idents.first),
          download: .start,
          latest: .none,
          queryVersion: 0,
          queryBody: Array("{}".utf8)
        )
      )
    )
    engine.runTurn()
    // Outside of the view, since there is no subscription.
    let keys = (1...7).map { PrimaryKey.string("\($0)" + String(repeating: "x", count: 500_000)) }
    let changeset = ChangesetCodec.encode(
      keys.map { .createObject(ObjectReference(table: "Note", key: $0)) }
    )
    channel.onReceive = { [unowned channel] message in
      if case .error = message { channel.isWritable = false }
    }
    channel.put(
      .upload(
        UploadMessage(
          session: 1,
          progress: UploadCursor(clientVersion: 2, serverVersion: 0),
          lockedServerVersion: 0,
          entries: [UploadEntry(clientVersion: 2, serverVersion: 0, timestamp: 1, changeset: changeset)]
        )
      )
    )
    while engine.runTurn() {}
    let version = try #require(errors.first?.compensatingWriteServerVersion)
    #expect(errors.count == 1 && !revertedVersions.contains(version))
    channel.isWritable = true
    channel.onWritable?()
    while engine.runTurn() {}
    #expect(errors.flatMap(\.rejectedUpdates).map(\.key) == keys)
    #expect(errors.count == 2 && errors.allSatisfy { $0.compensatingWriteServerVersion == version })
    #expect(revertedVersions.last == version)
  }
}

/// A client in the middle of a bootstrap, whose connection takes no more.
private final class BootstrappingClient {
  let channel = RecordingChannel()
  private let engine: SyncEngine
  private var file: SaltedFileIdent?

  init(_ harness: Harness, _ query: String) throws {
    let served = try #require(harness.server.apps[Harness.appID])
    engine = served.engine
    served.accept(channel, version: .newest, userID: try harness.logIn().userID)
    channel.put(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: true)))
    engine.runTurn()
    let idents = channel.received.compactMap {
      if case .ident(_, let file) = $0 { file } else { nil }
    }
    let file = try #require(idents.first)
    self.file = file
    channel.put(
      .ident(
        IdentMessage(
          session: 1,
          file: file,
          download: .start,
          latest: .none,
          queryVersion: 0,
          queryBody: Array("{}".utf8)
        )
      )
    )
    engine.runTurn()
    channel.onReceive = { [unowned channel] message in
      if case .download = message { channel.isWritable = false }
    }
    channel.put(.query(session: 1, queryVersion: 1, body: Array(query.utf8)))
    engine.runTurn()
    #expect(session?.bootstrap != nil)
    channel.onReceive = nil
  }

  /// Sends another set of subscriptions.
  func subscribe(_ version: QueryVersion, to number: UInt64) {
    let body = Array(#"{"Task":"(progressMinutes < \#(number))"}"#.utf8)
    channel.put(.query(session: 1, queryVersion: version, body: body))
  }

  @discardableResult
  func turn() -> Bool { engine.runTurn() }

  var session: EngineSession? { file.flatMap { engine.live[$0.ident] } }
}
