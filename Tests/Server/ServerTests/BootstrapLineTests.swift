// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncWire
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncRules

@Suite("Many sessions that ask for query sets")
struct BootstrapLineTests {
  private static let everything = #"{"Task":"(TRUEPREDICATE)"}"#
  private static let nothing = #"{"Task":"(assignee == 'nobody')"}"#
  private static let capacity = 8

  private let table = PermissionTable()
  private let time = AdjustableTime()
  private let harness: Harness

  init() throws {
    harness = try Self.makeHarness(Self.capacity, time, table)
    try Self.addTasks(1...20, harness)
  }

  private static func makeHarness(
    _ capacity: Int,
    _ time: AdjustableTime,
    _ table: PermissionTable? = nil,
    history: HistoryLimits = HistoryLimits()
  ) throws -> Harness {
    var limits = DeliveryLimits(messageByteCount: 500, changesetByteCount: 300)
    limits.simultaneousBootstraps = capacity
    limits.history = history
    return try Harness(clock: time.clock, limits: limits, permissions: table)
  }

  private static func addTasks(
    _ numbers: ClosedRange<UInt32>,
    _ harness: Harness,
    assignee: String = "alice"
  ) throws {
    let admin = try DirectClient(harness, harness.logIn().userID, everything)
    admin.upload(numbers.flatMap { TaskTracker.newTask($0, assignee: assignee) }, version: 2)
    admin.turn()
  }

  /// A client that has asked for another set, and whose connection takes nothing for now.
  private func askingClient(of userID: String) throws -> DirectClient {
    let client = try DirectClient(harness, userID, Self.nothing)
    client.channel.isWritable = false
    client.ask(for: Self.everything, version: 2)
    return client
  }

  private func running(_ clients: [DirectClient]) -> [Int] {
    clients.indices.filter { clients[$0].session?.holdsSnapshot == true }
  }

  @Test("The sessions of one user that ask for other sets take a quarter of the places")
  func manySetsOfOneUser() throws {
    let userID = try harness.logIn().userID
    let clients =
      try (0..<4).map { _ in try askingClient(of: userID) } + [askingClient(of: harness.logIn().userID)]
    try harness.engine().runTurn()
    #expect(running(clients) == [0, 1, 4])
    clients[0].read()
    try harness.engine().runTurn()
    #expect(running(clients) == [1, 2, 4])
  }

  @Test(
    "Of sessions that ask for other sets few read from a snapshot at a time; the others wait, and their uploads are judged by the new set"
  )
  func manySets() throws {
    let clients = try (0...Self.capacity).map { _ in try askingClient(of: harness.logIn().userID) }
    try harness.engine().runTurn()
    let last = try #require(clients.last)
    #expect(running(clients) == Array(0..<Self.capacity))
    let count = last.channel.received.count
    last.channel.isWritable = true
    last.channel.onWritable?()
    last.upload(TaskTracker.newTask(30, assignee: "bob"), version: 2)
    try harness.engine().runTurn()
    #expect(last.session?.isInLine == true && last.channel.received.count == count)
    clients[0].read()
    try harness.engine().runTurn()
    #expect(last.session?.isInLine == false)
    for client in clients { client.read() }
    try harness.engine().runTurn()
    #expect(try harness.openState().contents(of: "Task").count == 21)
    for client in clients {
      let seen = try Set(client.instructions(after: count).compactMap(\.object))
      #expect(seen.isSuperset(of: (1...20).map { TaskTracker.task($0) }))
      #expect(client.channel.isOpen && !client.channel.isPaused)
    }
    #expect(!last.channel.received.contains { if case .error = $0 { true } else { false } })
  }

  @Test(
    "The server does not read the connection of a session that waits and has sent much",
    arguments: [1, 70_000]
  )
  func deferredBytes(count: Int) throws {
    let clients = try (0...Self.capacity).map { _ in try askingClient(of: harness.logIn().userID) }
    try harness.engine().runTurn()
    let last = try #require(clients.last)
    let name = String(repeating: "n", count: count)
    let task = TaskTracker.task(30)
    let naming = TaskTracker.set("taskName", .string(name), of: task)
    last.upload(TaskTracker.newTask(30, assignee: "bob") + [naming], version: 2)
    try harness.engine().runTurn()
    #expect(last.channel.isPaused == (count > 64 << 10))
    for client in clients { client.read() }
    try harness.engine().runTurn()
    #expect(!last.channel.isPaused)
    #expect(try harness.openState().value("taskName", of: task) == .string(name))
  }

  @Test(
    "The next place goes to the user with the fewest bootstraps under way, however long others have waited"
  )
  func usersTakeTurns() throws {
    let users = try (0..<Self.capacity - 1).map { _ in try harness.logIn().userID }
    // The first may have two while most places are free; the others get one each, and some wait.
    let pairs = try (0..<2).map { _ in try askingClient(of: users[0]) }
    try harness.engine().runTurn()
    let clients = try pairs + (0..<12).map { try askingClient(of: users[1 + $0 % 6]) }
    try harness.engine().runTurn()
    #expect(running(clients) == Array(0..<Self.capacity))
    let newcomer = try askingClient(of: harness.logIn().userID)
    try harness.engine().runTurn()
    #expect(newcomer.session?.isInLine == true)
    clients[2].read()
    try harness.engine().runTurn()
    // This user and the newcomer have none under way; this one has waited longer.
    #expect(running(clients) == [0, 1] + Array(3...Self.capacity))
    clients[0].read()
    try harness.engine().runTurn()
    #expect(newcomer.session?.holdsSnapshot == true)
    #expect(running(clients) == [1] + Array(3...Self.capacity))
  }

  /// Clients of one user that ask for another set and take nothing for now, until no more of them are read.
  private func slowClients(of userID: String) throws -> [DirectClient] {
    var clients: [DirectClient] = []
    repeat {
      clients.append(try askingClient(of: userID))
      time.advance(seconds: 11)
      try harness.engine().runTurn()
    } while clients.last?.session?.holdsSnapshot == true
    return clients
  }

  @Test("However many clients of a few users read slowly, they leave places for other users")
  func slowClientsOfFewUsers() throws {
    let counts = try (0..<4).map { _ in try slowClients(of: harness.logIn().userID).count - 1 }
    #expect(counts == [16, 12, 9, 7])
    let newcomers = try (0..<Self.capacity).map { _ in try askingClient(of: harness.logIn().userID) }
    try harness.engine().runTurn()
    #expect(running(newcomers) == Array(newcomers.indices))
  }

  @Test("If many users fill all places, those with more than a fair share make room for others")
  func fairShare() throws {
    let many = try slowClients(of: harness.logIn().userID)
    var others: [DirectClient] = []
    repeat {
      others.append(try askingClient(of: harness.logIn().userID))
      time.advance(seconds: 11)
      try harness.engine().runTurn()
    } while others.last?.session?.holdsSnapshot == true
    let newcomer = try askingClient(of: harness.logIn().userID)
    for client in many + others {
      client.channel.onReceive = { [channel = client.channel] _ in channel.isWritable = false }
      client.read()
    }
    while try harness.engine().runTurn() {}
    try harness.engine().relievePlaces()
    #expect(many.count { !$0.channel.isOpen } == 2)
    while try harness.engine().runTurn() {}
    #expect(others.allSatisfy(\.channel.isOpen) && others.last?.session?.holdsSnapshot == true)
    #expect(newcomer.session?.holdsSnapshot == true)
  }

  @Test("A client that reads slowly takes no place again with the further sets that it has asked for")
  func furtherSetsOfASlowClient() throws {
    let harness = try Self.makeHarness(1, time)
    try Self.addTasks(1...20, harness)
    try Self.addTasks(21...40, harness, assignee: "bob")
    func askingClient() throws -> DirectClient {
      let client = try DirectClient(harness, harness.logIn().userID, Self.nothing)
      client.channel.isWritable = false
      client.ask(for: #"{"Task":"(assignee == 'alice')"}"#, version: 2)
      client.turn()
      return client
    }
    let slow = try askingClient()
    time.advance(seconds: 11)
    slow.ask(for: Self.everything, version: 3)
    slow.turn()
    #expect(slow.session?.snapshotCount == 2)
    slow.channel.onReceive = { [channel = slow.channel] message in
      if case .download(let download) = message, download.queryVersion == 3 { channel.isWritable = false }
    }
    slow.read()
    while try harness.engine().runTurn() {}
    #expect(slow.session?.snapshotCount == 1 && slow.session?.bootstrap != nil)
    let newcomer = try askingClient()
    #expect(newcomer.session?.holdsSnapshot == true)
  }

  @Test("Clients that read slowly keep the others of their user waiting only if they are very many")
  func slowClientsOfOneUser() throws {
    let userID = try harness.logIn().userID
    let most = 2 * Self.capacity
    let clients = try (0...most).map { _ in try askingClient(of: userID) }
    try harness.engine().runTurn()
    #expect(running(clients) == [0, 1])
    for count in stride(from: 4, through: most, by: 2) {
      time.advance(seconds: 11)
      try harness.engine().runTurn()
      #expect(running(clients) == Array(0..<count))
    }
    time.advance(seconds: 31)
    try harness.engine().runTurn()
    #expect(running(clients) == Array(0..<most))
    // Others are not concerned.
    let other = try askingClient(of: harness.logIn().userID)
    try harness.engine().runTurn()
    #expect(other.session?.holdsSnapshot == true)
    try harness.engine().relievePlaces()
    try harness.engine().runTurn()
    #expect(other.session?.holdsSnapshot == true)
    #expect(running(clients) == Array(Self.capacity...most))
  }

  @Test(
    "A client that asks for further sets before it has the first gets as many places as its user may have"
  )
  func manySetsOfOneClient() throws {
    let userID = try harness.logIn().userID
    let client = try askingClient(of: userID)
    try harness.engine().runTurn()
    for version in 3...6 as ClosedRange<QueryVersion> {
      client.ask(for: version % 2 == 0 ? Self.everything : Self.nothing, version: version)
      try harness.engine().runTurn()
    }
    #expect(client.session?.snapshotCount == 2 && client.session?.isInLine == true)
    let second = try askingClient(of: userID)
    let other = try askingClient(of: harness.logIn().userID)
    try harness.engine().runTurn()
    #expect(second.session?.isInLine == true && other.session?.holdsSnapshot == true)
    client.upload(TaskTracker.newTask(30, assignee: "bob"), version: 2)
    client.read()
    while try harness.engine().runTurn() {}
    #expect(second.session?.holdsSnapshot == true)
    #expect(client.downloads.last?.queryVersion == 6 && client.session?.holdsSnapshot == false)
    #expect(try harness.openState().contents(of: "Task").count == 21)
    #expect(!client.channel.received.contains { if case .error = $0 { true } else { false } })
  }

  /// A client of an older make that has a part of a set, and has connected again and asked for another one.
  ///
  /// - Returns: Its new connection, which takes nothing for now.
  private func clientWithKeptBatches(_ harness: Harness, _ userID: String) throws -> DirectClient {
    let version = try #require(SyncProtocolVersion(rawValue: 13))
    let client = try DirectClient(harness, userID, Self.nothing, version)
    let progress = try #require(client.downloads.last?.progress)
    client.channel.onReceive = { [channel = client.channel] message in
      if case .download = message { channel.isWritable = false }
    }
    client.ask(for: Self.everything, version: 9)
    client.turn()
    #expect(client.downloads.last?.batchState == .more)
    return try client.reconnected(to: harness, userID, Self.nothing, version, progress)
  }

  @Test(
    "A client that asks again for a set that it has in part gets it after the bootstrap that is under way"
  )
  func keptBatchesDuringABootstrap() throws {
    let harness = try Self.makeHarness(1, time)
    try Self.addTasks(1...20, harness)
    let client = try clientWithKeptBatches(harness, harness.logIn().userID)
    client.turn()
    #expect(client.session?.holdsSnapshot == false)
    client.channel.isWritable = false
    client.ask(for: #"{"Task":"(assignee == 'alice')"}"#, version: 2)
    client.turn()
    #expect(client.session?.holdsSnapshot == true)
    client.ask(for: Self.everything, version: 9)
    client.turn()
    #expect(client.session?.isInLine == true)
    client.read()
    while try harness.engine().runTurn() {}
    #expect(client.downloads.last?.queryVersion == 9)
    #expect(client.session?.isInLine == false && client.session?.holdsSnapshot == false)
  }

  @Test("The sets that the clients of one user have in part take no more places than others")
  func keptBatchesOfOneUser() throws {
    let userID = try harness.logIn().userID
    let clients = try (0..<4).map { _ in try clientWithKeptBatches(harness, userID) }
    while try harness.engine().runTurn() {}
    for client in clients {
      client.channel.isWritable = false
      client.ask(for: Self.everything, version: 9)
    }
    for _ in 0..<4 { try harness.engine().runTurn() }
    #expect(running(clients) == [0, 1])
    clients[0].read()
    while try harness.engine().runTurn() {}
    #expect(running(clients) == [1, 2])
  }

  @Test("A session whose turn comes when much has happened keeps its place in line while it catches up")
  func catchingUpInLine() throws {
    let harness = try Self.makeHarness(1, time, history: HistoryLimits(recentCount: 2))
    try Self.addTasks(1...20, harness)
    let engine = try harness.engine()
    let userID = try harness.logIn().userID
    let reader = try DirectClient(harness, harness.logIn().userID, Self.nothing)
    let first = try DirectClient(harness, userID, Self.nothing)
    let writer = try DirectClient(harness, harness.logIn().userID, Self.nothing)
    reader.channel.isWritable = false
    reader.ask(for: Self.everything, version: 2)
    engine.runTurn()
    first.channel.isWritable = false
    first.ask(for: Self.everything, version: 2)
    engine.runTurn()
    for version in 2...20 as ClosedRange<ClientVersion> {
      writer.upload(TaskTracker.newTask(UInt32(100 + version), assignee: "bob"), version: version)
      engine.runTurn()
    }
    let second = try DirectClient(harness, userID, Self.nothing)
    second.channel.isWritable = false
    second.ask(for: Self.everything, version: 2)
    engine.runTurn()
    #expect(first.session?.isInLine == true && second.session?.isInLine == true)
    reader.read()
    while engine.runTurn() {}
    #expect(running([first, second]) == [0])
  }

  @Test("Clients that do not read are disconnected when so many do not that others cannot begin")
  func manySlowClients() throws {
    let harness = try Self.makeHarness(1, time)
    try Self.addTasks(1...20, harness)
    func askingClient() throws -> DirectClient {
      let client = try DirectClient(harness, harness.logIn().userID, Self.nothing)
      client.channel.isWritable = false
      client.ask(for: Self.everything, version: 2)
      client.turn()
      time.advance(seconds: 11)
      return client
    }
    let clients = try (0..<8).map { _ in try askingClient() }
    time.advance(seconds: 31)
    try harness.engine().runTurn()
    try harness.engine().relievePlaces()
    #expect(clients.allSatisfy { $0.session?.holdsSnapshot == true })
    let newcomer = try askingClient()
    #expect(newcomer.session?.isInLine == true)
    try harness.engine().relievePlaces()
    try harness.engine().runTurn()
    #expect(clients.count { $0.session == nil && !$0.channel.isOpen } == 1)
    #expect(newcomer.session?.holdsSnapshot == true)
  }

  @Test("A client that goes on reading slowly is not disconnected, however many wait")
  func slowReader() throws {
    let harness = try Self.makeHarness(1, time)
    try Self.addTasks(1...20, harness)
    let reader = try DirectClient(harness, harness.logIn().userID, Self.nothing)
    reader.channel.onReceive = { [channel = reader.channel] _ in channel.isWritable = false }
    reader.ask(for: Self.everything, version: 2)
    reader.turn()
    reader.ask(for: Self.nothing, version: 3)
    reader.turn()
    #expect(reader.session?.isInLine == true)
    for _ in 0..<5 {
      time.advance(seconds: 20)
      try harness.engine().runTurn()
      try harness.engine().relievePlaces()
      #expect(reader.session?.holdsSnapshot == true)
      reader.read()
      try harness.engine().runTurn()
    }
  }

  @Test("Changes of views leave a quarter of the places to the sets that clients ask for")
  func viewChangesBeforeTheLine() throws {
    let changing = try (0..<12).map { _ in
      let userID = try harness.logIn().userID
      table.users[userID] = Permissions(classes: ["Task": try .role(read: "assignee == 'alice'")])
      return (try DirectClient(harness, userID, Self.everything), userID)
    }
    let reading = try (0..<Self.capacity).map { _ in try askingClient(of: harness.logIn().userID) }
    try harness.engine().runTurn()
    let waiting = try askingClient(of: harness.logIn().userID)
    try harness.engine().runTurn()
    #expect(waiting.session?.isInLine == true)
    for (client, userID) in changing {
      client.channel.isWritable = false
      table.users[userID] = Permissions(classes: ["Task": try .role(read: "assignee == 'bob'")])
    }
    try harness.engine().permissionsMayHaveChanged()
    try harness.engine().runTurn()
    for client in reading { client.read() }
    try harness.engine().runTurn()
    #expect(waiting.session?.holdsSnapshot == true)
    while try harness.engine().runTurn() {}
    #expect(running(changing.map(\.0)).count == Self.capacity - 1)
  }

  @Test(
    "A session in line whose permissions change gets its new view, and then the set that it has asked for"
  )
  func permissionsInLine() throws {
    let harness = try Self.makeHarness(1, time, table)
    let engine = try harness.engine()
    let userID = try harness.logIn().userID
    let reader = try DirectClient(harness, harness.logIn().userID, Self.everything)
    let waiting = try DirectClient(harness, userID, Self.everything)
    reader.channel.isWritable = false
    for client in [reader, waiting] {
      client.ask(for: #"{"Task":"(assignee == 'alice')"}"#, version: 2)
      engine.runTurn()
    }
    #expect(reader.session?.holdsSnapshot == true && waiting.session?.isInLine == true)
    table.users[userID] = Permissions(classes: ["Task": try .role(read: "taskName != 'secret'")])
    engine.permissionsMayHaveChanged(of: userID)
    engine.runTurn()
    reader.read()
    while engine.runTurn() {}
    #expect(waiting.downloads.last?.queryVersion == 2)
    #expect(waiting.session?.isInLine == false && waiting.session?.holdsSnapshot == false)
  }

  @Test("A session that ends while it waits in line leaves nothing behind")
  func endInLine() throws {
    let clients = try (0..<Self.capacity + 2).map { _ in try askingClient(of: harness.logIn().userID) }
    try harness.engine().runTurn()
    clients[Self.capacity].channel.onClose?(ChannelClosure(code: nil, reason: "", error: nil))
    clients[0].read()
    try harness.engine().runTurn()
    #expect(clients[Self.capacity + 1].session?.holdsSnapshot == true)
    clients[Self.capacity + 1].read()
    while try harness.engine().runTurn() {}
    #expect(try harness.engine().line.isEmpty)
  }
}
