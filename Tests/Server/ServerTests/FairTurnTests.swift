// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncScheduling
import FlexSyncStore
import FlexSyncWire
import Testing

@testable import FlexSyncEngine

@Suite("Turns of the loop that many share")
struct FairTurnTests {
  private static let everything = #"{"Task":"(TRUEPREDICATE)"}"#
  private static let objectCount: UInt32 = 1_000

  /// A server whose turns are over after so many rows and requests.
  private static func harness(stepsPerTurn: Int, limits: DeliveryLimits = DeliveryLimits()) throws -> Harness
  {
    var limits = limits
    // Only steps end a turn, so that a busy machine changes nothing.
    limits.turn = TurnBudget(milliseconds: .max, stepCount: stepsPerTurn)
    let harness = try Harness(limits: limits)
    let writer = try SyncClient(harness, schema: TaskTracker.schema)
    try writer.connect()
    writer.subscribe(everything)
    try writer.synchronize()
    try writer.write { objects in
      let changes = (1...objectCount).flatMap { TaskTracker.newTask($0, assignee: "alice") }
      try objects.apply(changes)
      return changes
    }
    try writer.synchronize()
    writer.disconnect()
    try harness.run(until: { try harness.engine().sessionCount == 0 }, "end of the session")
    return harness
  }

  private func acknowledged(_ client: DirectClient) -> ClientVersion {
    client.downloads.last?.progress.upload.clientVersion ?? 0
  }

  /// The client's newest change that the server has integrated, whether or not it has told the client.
  private func integrated(_ client: DirectClient) -> ClientVersion {
    client.session?.file?.record.uploadClientVersion ?? 0
  }

  private func isBootstrapped(_ client: DirectClient) -> Bool {
    client.downloads.last?.queryVersion == 1 && client.downloads.last?.batchState != .more
  }

  @Test(
    "While many clients bootstrap, another one's upload is acknowledged at once and reaches its readers soon"
  )
  func uploadsBetweenBootstraps() throws {
    let harness = try Self.harness(stepsPerTurn: 100)
    let engine = try harness.engine()
    let userID = try harness.logIn().userID
    let mine = #"{"Task":"(assignee == 'bob')"}"#
    let (writer, reader) = (try DirectClient(harness, userID, mine), try DirectClient(harness, userID, mine))
    let newcomers = try (0..<12).map { _ in try DirectClient(harness, userID, Self.everything) }

    var rounds = 0
    while !newcomers.allSatisfy(isBootstrapped) {
      rounds += 1
      let version = ClientVersion(rounds + 1)
      writer.upload(TaskTracker.newTask(10_000 + UInt32(rounds), assignee: "bob"), version: version)
      let downloadCount = reader.downloads.count
      for _ in 0..<3 { engine.runTurn() }
      #expect(acknowledged(writer) == version)
      #expect(reader.downloads.count > downloadCount)
    }
    // It was not over before it began.
    #expect(rounds > 12 * Int(Self.objectCount) / 100 / 3 / 2)
    #expect(newcomers.allSatisfy { $0.channel.isOpen })
  }

  @Test("Of many large sets of subscriptions that came before an upload it waits for one at most")
  func uploadsBetweenLargeQueries() throws {
    let harness = try Self.harness(stepsPerTurn: 100)
    let engine = try harness.engine()
    let userID = try harness.logIn().userID
    let mine = #"{"Task":"(assignee == 'bob')"}"#
    let writer = try DirectClient(harness, userID, mine)
    let searchers = try (0..<20).map { _ in try DirectClient(harness, userID, mine) }
    for _ in 0..<100 { engine.runTurn() }
    let conditions = (0..<1_000).map { "taskName CONTAINS[c] 'nothing \($0)'" }
    let large = #"{"Task":"(\#(conditions.joined(separator: " OR ")))"}"#
    for searcher in searchers {
      searcher.channel.put(.query(session: 1, queryVersion: 2, body: Array(large.utf8)))
    }
    for version in 2...6 as ClosedRange<UInt64> {
      writer.upload(TaskTracker.newTask(10_000 + UInt32(version), assignee: "bob"), version: version)
      // One of the sets may be read before.
      engine.runTurn()
      if integrated(writer) < version { engine.runTurn() }
      #expect(integrated(writer) == version)
    }
    #expect(searchers.last?.downloads.last?.queryVersion == 1)
    for _ in 0..<10_000 where searchers.contains(where: { $0.downloads.last?.queryVersion != 2 }) {
      engine.runTurn()
    }
    #expect(searchers.allSatisfy { $0.downloads.last?.queryVersion == 2 && $0.channel.isOpen })
  }

  @Test("Bootstraps that begin together go on together, and bring the same as one that is alone")
  func bootstrapsSideBySide() throws {
    let harness = try Self.harness(stepsPerTurn: 64)
    let engine = try harness.engine()
    let userID = try harness.logIn().userID
    let clients = try (0..<5).map { _ in try DirectClient(harness, userID, Self.everything) }
    var turns = 0
    var ends: [Int] = clients.map { _ in 0 }
    while ends.contains(0) {
      turns += 1
      #expect(engine.runTurn() || clients.allSatisfy(isBootstrapped))
      for index in clients.indices where ends[index] == 0 && isBootstrapped(clients[index]) {
        ends[index] = turns
      }
    }
    let (first, last) = (try #require(ends.min()), try #require(ends.max()))
    // The first ones have begun a few turns before the last.
    #expect(last - first <= last / 4, "\(ends)")
    let contents = try clients.map { try $0.instructions(after: 0) }
    #expect(contents.allSatisfy { $0 == contents[0] })
    let created = contents[0].filter { if case .createObject = $0 { true } else { false } }
    #expect(created.count == Int(Self.objectCount))
  }

  @Test("A user's bootstrap takes no longer because another user has many")
  func bootstrapsOfTwoUsers() throws {
    let harness = try Self.harness(stepsPerTurn: 64)
    let engine = try harness.engine()
    let greedy = try harness.logIn().userID
    let many = try (0..<12).map { _ in try DirectClient(harness, greedy, Self.everything) }
    let one = try DirectClient(harness, harness.logIn().userID, Self.everything)
    while !isBootstrapped(one), engine.runTurn() {}
    #expect(isBootstrapped(one) && !many.contains(where: isBootstrapped))
    while engine.runTurn() {}
    #expect(many.allSatisfy(isBootstrapped))
  }

  @Test("A small first set of subscriptions does not wait for a part of each large bootstrap under way")
  func smallBootstrapBesideLargeOnes() throws {
    let harness = try Self.harness(stepsPerTurn: 64)
    let engine = try harness.engine()
    let large = try (0..<40).map { _ in try DirectClient(harness, harness.logIn().userID, Self.everything) }
    while large.contains(where: { $0.session?.bootstrap?.reader.mayBeShort != false }) { engine.runTurn() }
    let newcomer = try harness.logIn().userID
    let small = #"{"Task":"(_id == oid(65a000000000000000000001))"}"#
    // The server takes one turn for each of this client's three requests.
    let client = try DirectClient(harness, newcomer, small)
    #expect(isBootstrapped(client))
    #expect(try client.instructions(after: 0).contains(.createObject(TaskTracker.task(1))))
    #expect(!large.contains(where: isBootstrapped))
  }

  /// Closes a client's connection with each message that it gets.
  private func takesOneMessageAtATime(_ client: DirectClient) {
    client.channel.onReceive = { [unowned channel = client.channel] _ in channel.isWritable = false }
  }

  @Test("Clients that read slowly do not go before others whenever their connections are writable again")
  func slowBootstraps() throws {
    let harness = try Self.harness(
      stepsPerTurn: 64,
      limits: DeliveryLimits(messageByteCount: 500, changesetByteCount: 300)
    )
    let engine = try harness.engine()
    let slow = try (0..<40).map { _ in try DirectClient(harness, harness.logIn().userID, Self.everything) }
    slow.forEach(takesOneMessageAtATime)
    while slow.contains(where: { $0.channel.isWritable }) { engine.runTurn() }
    // Who has had a message, and more is to come, no longer counts as one that begins.
    #expect(slow.allSatisfy { $0.session?.bootstrap?.reader.mayBeShort == false })
    let newcomer = try harness.logIn().userID
    for client in slow { client.read() }
    let small = #"{"Task":"(_id == oid(65a000000000000000000001))"}"#
    let client = try DirectClient(harness, newcomer, small)
    #expect(isBootstrapped(client) && !slow.contains(where: isBootstrapped))
  }

  @Test("Sessions of a connection that is read slowly continue in turn")
  func sessionsOfOneConnection() throws {
    let harness = try Self.harness(
      stepsPerTurn: 64,
      limits: DeliveryLimits(messageByteCount: 500, changesetByteCount: 300)
    )
    let engine = try harness.engine()
    let client = try DirectClient(harness, harness.logIn().userID, Self.everything)
    takesOneMessageAtATime(client)
    client.channel.isWritable = false
    client.channel.put(.bind(BindMessage(session: 2, options: BindOptions(), needsFileIdent: true)))
    engine.runTurn()
    let file = client.channel.received.compactMap { if case .ident(2, let file) = $0 { file } else { nil } }
    client.channel.put(.ident(.resuming(try #require(file.first), in: 2)))
    engine.runTurn()
    client.channel.put(.query(session: 2, queryVersion: 1, body: Array(Self.everything.utf8)))
    let count = client.downloads.count
    for _ in 0..<20 {
      client.read()
      while client.channel.isWritable, engine.runTurn() {}
    }
    let sessions = client.downloads.dropFirst(count).map(\.session)
    // The second one's first message takes it several parts.
    #expect(sessions.suffix(10).filter { $0 == 1 }.count == 5, "\(sessions)")
  }

  @Test(
    "Clients with a backlog that they read slowly do not go before others whenever their connections are writable"
  )
  func slowBacklogs() throws {
    let harness = try Self.harness(
      stepsPerTurn: 24,
      limits: DeliveryLimits(messageByteCount: 500, changesetByteCount: 300)
    )
    let engine = try harness.engine()
    let carols = #"{"Task":"(assignee == 'carol')"}"#
    let writer = try DirectClient(harness, harness.logIn().userID, carols)
    let slow = try (0..<40).map { _ in try DirectClient(harness, harness.logIn().userID, carols) }
    let bobs = #"{"Task":"(assignee == 'bob')"}"#
    let others = try (0..<2).map { _ in try DirectClient(harness, harness.logIn().userID, bobs) }
    while engine.runTurn() {}
    slow.forEach(takesOneMessageAtATime)
    for number in 2...20 as ClosedRange<UInt32> {
      writer.upload(TaskTracker.newTask(60_000 + number, assignee: "carol"), version: UInt64(number))
    }
    while engine.runTurn() {}
    let counts = slow.map(\.downloads.count)
    for client in slow { client.read() }
    let count = others[1].downloads.count
    others[0].upload(TaskTracker.newTask(70_000, assignee: "bob"), version: 2)
    for _ in 0..<2 { engine.runTurn() }
    #expect(others[1].downloads.count > count)
    // Their turn comes as well.
    while engine.runTurn() {}
    #expect(zip(slow, counts).allSatisfy { $0.downloads.count > $1 })
  }

  @Test("Uploads that come together are done in several turns, in the order of each client")
  func manyUploads() throws {
    let harness = try Self.harness(stepsPerTurn: 40)
    let engine = try harness.engine()
    let userID = try harness.logIn().userID
    let query = #"{"Task":"(assignee == 'bob')"}"#
    let clients = try (0..<10).map { _ in try DirectClient(harness, userID, query) }
    for version in 2...11 as ClosedRange<UInt64> {
      for (number, client) in clients.enumerated() {
        client.upload(
          TaskTracker.newTask(20_000 + UInt32(number) * 100 + UInt32(version), assignee: "bob"),
          version: version
        )
      }
    }
    var turns = 0
    while engine.runTurn() { turns += 1 }
    #expect(turns > 5)
    #expect(clients.allSatisfy { acknowledged($0) == 11 })
    #expect(try harness.openState().contents(of: "Task").count == Int(Self.objectCount) + 100)
  }

  @Test("A client need not keep what it uploads during its bootstrap when it has all of that")
  func uploadInsideBootstrap() throws {
    let harness = try Self.harness(stepsPerTurn: 50)
    let engine = try harness.engine()
    let client = try DirectClient(harness, try harness.logIn().userID, Self.everything)
    client.upload(TaskTracker.newTask(30_000, assignee: "bob"), version: 2)
    #expect(engine.runTurn() && !isBootstrapped(client))
    while engine.runTurn() {}
    #expect(isBootstrapped(client) && client.downloads.last?.progress.download.clientVersion == 2)
  }

  @Test(
    "Readers get all that was uploaded at once, also if somebody else asks for something in the same turn"
  )
  func manyUploadsBesideAnother() throws {
    let harness = try Self.harness(stepsPerTurn: 100)
    let engine = try harness.engine()
    let userID = try harness.logIn().userID
    let mine = #"{"Task":"(assignee == 'bob')"}"#
    let clients = try (0..<3).map { _ in try DirectClient(harness, userID, mine) }
    while engine.runTurn() {}
    // Few enough for one transaction, and more than are matched with the views in one turn.
    clients[1].channel.put(.query(session: 1, queryVersion: 2, body: Array(mine.utf8)))
    for number in 1...20 {
      let task = TaskTracker.newTask(20_000 + UInt32(number), assignee: "bob")
      clients[0].upload(task, version: ClientVersion(number + 1))
    }
    while engine.runTurn() {}
    let created = try clients[2].instructions(after: 0).filter {
      if case .createObject = $0 { true } else { false }
    }
    #expect(created.count == 20)
  }

  @Test("A client that goes ends its bootstrap, and the work for it")
  func leavingClient() throws {
    let harness = try Self.harness(stepsPerTurn: 50)
    let engine = try harness.engine()
    let client = try DirectClient(harness, try harness.logIn().userID, Self.everything)
    #expect(engine.runTurn())
    let session = try #require(client.session)
    client.channel.onClose?(ChannelClosure(code: 1001, reason: "", error: nil))
    #expect(!session.holdsSnapshot)
    #expect(!engine.runTurn())
  }

  // MARK: Subscriptions that match nothing

  /// A clock that goes on whenever it is looked at, also inside of statements.
  private final class Ticker {
    private var time: UInt64 = 0

    func now() -> UInt64 {
      time += 1
      return time
    }
  }

  @Test(
    "A scan gives way however few rows match, and finds the same",
    arguments: ["", " AND progressMinutes > 5"]
  )
  func scansGiveWay(more: String) throws {
    let harness = try Self.harness(stepsPerTurn: 100)
    let schema = try harness.engine().schema
    let words = (0..<50).map { "taskName LIKE[c] '*word \($0)*'" }.joined(separator: " OR ")
    let old = try schema.view(body: "{}")
    let view = try schema.view(body: #"{"Task":"(taskName == 'task 1000' OR (\#(words))\#(more))"}"#)
    let objects = try harness.openState()
    let ticker = Ticker()
    var sliced = ViewDifference(from: HeldView(old), to: view, now: ticker.now)
    var pauses = 0
    var found: [Instruction] = []
    while true {
      let meter = TurnMeter(TurnBudget(milliseconds: 1), now: ticker.now)
      guard let (changeset, isAtEnd) = try sliced.next(from: objects, byteCount: 1_000_000, meter) else {
        pauses += 1
        continue
      }
      found += try ChangesetCodec.decode(changeset).instructions
      if isAtEnd { break }
    }
    var whole = ViewDifference(from: HeldView(old), to: view)
    let all = try #require(try whole.next(from: objects, byteCount: 1_000_000, .unlimited()))
    #expect(pauses > 50)
    #expect(try all.isAtEnd && ChangesetCodec.decode(all.changeset).instructions == found)
    #expect(found.contains { if case .createObject = $0 { true } else { false } })
  }

  // MARK: Changes that concern many

  @Test("A change that concerns many readers reaches them all in several turns, and each gets all of it")
  func manyReaders() throws {
    let harness = try Self.harness(stepsPerTurn: 80)
    let engine = try harness.engine()
    let userID = try harness.logIn().userID
    let query = #"{"Task":"(assignee == 'bob')"}"#
    let clients = try (0..<100).map { _ in try DirectClient(harness, userID, query) }
    let counts = clients.map(\.channel.received.count)
    for version in 2...4 as ClosedRange<UInt64> {
      clients[0].upload(TaskTracker.newTask(40_000 + UInt32(version), assignee: "bob"), version: version)
      engine.runTurn()
      #expect(acknowledged(clients[0]) == version)
    }
    #expect(clients.suffix(50).contains { $0.session?.file?.liveView == nil })
    // One that waits for everything to come gets it, though its stream lags behind.
    let last = try #require(clients.last)
    last.channel.put(.mark(session: 1, request: 1))
    while engine.runTurn() {}
    for (client, count) in zip(clients, counts).dropFirst() {
      let created = try client.instructions(after: count).filter {
        if case .createObject = $0 { true } else { false }
      }
      #expect(created.compactMap(\.object) == (2...4).map { TaskTracker.task(40_000 + $0) })
      #expect(client.session?.file?.liveView != nil)
    }
    let messages = last.channel.received
    let mark = try #require(messages.lastIndex { if case .mark = $0 { true } else { false } })
    #expect(mark == messages.count - 1)
  }

  /// Uploads transactions of one new task each.
  private func upload(_ numbers: Range<UInt32>, by writer: DirectClient, after version: ClientVersion) {
    let server = writer.downloads.last?.progress.download.serverVersion ?? 0
    let entries = numbers.enumerated().map { index, number in
      UploadEntry(
        clientVersion: version + UInt64(index) + 1,
        serverVersion: server,
        timestamp: 1_000_000 + UInt64(number),
        changeset: ChangesetCodec.encode(TaskTracker.newTask(number, assignee: "bob"))
      )
    }
    let progress = UploadCursor(clientVersion: version + UInt64(entries.count), serverVersion: server)
    let message = UploadMessage(
      session: 1,
      progress: progress,
      lockedServerVersion: server,
      entries: entries
    )
    writer.channel.put(.upload(message))
  }

  @Test("Changes are matched with the views in several turns, and each reader gets all of them")
  func manyChanges() throws {
    let harness = try Self.harness(stepsPerTurn: 8)
    let engine = try harness.engine()
    let userID = try harness.logIn().userID
    let query = #"{"Task":"(assignee == 'bob')"}"#
    let writers = try (0..<3).map { _ in try DirectClient(harness, userID, query) }
    let readers = try (0..<3).map { _ in try DirectClient(harness, userID, query) }
    while engine.runTurn() {}
    let counts = readers.map(\.channel.received.count)
    var greatest: UInt64 = 0
    for round in 0..<20 as Range<UInt32> {
      for (index, writer) in writers.enumerated() {
        let first = 50_000 + round * 60 + UInt32(index) * 20
        upload(first..<first + 20, by: writer, after: 1 + UInt64(round) * 20)
      }
      engine.runTurn()
      greatest = max(greatest, engine.views.unreadCount)
    }
    while engine.runTurn() { greatest = max(greatest, engine.views.unreadCount) }
    #expect(greatest > 0 && greatest < 400 && engine.views.unreadCount == 0)
    #expect(writers.allSatisfy { acknowledged($0) == 401 })
    for (reader, count) in zip(readers, counts) {
      let created = try reader.instructions(after: count).filter {
        if case .createObject = $0 { true } else { false }
      }
      #expect(created.count == 1200 && Set(created.compactMap(\.object)).count == 1200)
    }
  }
}
