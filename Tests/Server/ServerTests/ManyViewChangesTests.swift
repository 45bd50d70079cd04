// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncScheduling
import FlexSyncStore
import FlexSyncWire
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncRules

@Suite("Changes of permissions that concern many sessions")
struct ManyViewChangesTests {
  private static let everything = #"{"Task":"(TRUEPREDICATE)"}"#
  private static let capacity = 8

  private let table = PermissionTable()
  private let time = AdjustableTime()
  private let harness: Harness

  init() throws { harness = try Self.makeHarness(Self.capacity, time, table) }

  private static func makeHarness(_ capacity: Int, _ time: AdjustableTime, _ table: PermissionTable? = nil)
    throws -> Harness
  {
    var limits = DeliveryLimits(messageByteCount: 500, changesetByteCount: 300)
    limits.simultaneousBootstraps = capacity
    return try Harness(clock: time.clock, limits: limits, permissions: table)
  }

  private func addTasks(_ numbers: ClosedRange<UInt32>) throws {
    let admin = try SyncClient(harness, schema: TaskTracker.schema)
    try admin.connect()
    admin.subscribe(Self.everything)
    try admin.synchronize()
    try admin.write { objects in
      let changes = numbers.flatMap { TaskTracker.newTask($0, assignee: $0 % 2 == 0 ? "alice" : "bob") }
      try objects.apply(changes)
      return changes
    }
    try admin.synchronize()
    admin.disconnect()
    try harness.run(until: { try harness.engine().sessionCount == 0 }, "end of the session")
  }

  /// Clients of one user whose connections take no more for now.
  private func clients(_ count: Int, _ userID: String) throws -> [DirectClient] {
    try (0..<count).map { _ in
      let client = try DirectClient(harness, userID, Self.everything)
      client.channel.isWritable = false
      return client
    }
  }

  private func allow(_ assignee: String, to userID: String) throws {
    table.users[userID] = Permissions(classes: ["Task": try .role(read: "assignee == '\(assignee)'")])
    try harness.engine().permissionsMayHaveChanged()
    try harness.engine().runTurn()
  }

  private func running(_ clients: [DirectClient]) -> [Int] {
    clients.indices.filter { clients[$0].session?.holdsSnapshot == true }
  }

  @Test("Of 200 sessions few read from a snapshot at a time, in order, and all end with what they may see")
  func manySessions() throws {
    try addTasks(1...20)
    let userID = try harness.logIn().userID
    let clients = try clients(200, userID)
    let counts = clients.map(\.channel.received.count)
    try allow("alice", to: userID)
    var order: [Int] = []
    var greatest = 0
    while case let running = running(clients), let first = running.first {
      greatest = max(greatest, running.count)
      order.append(first)
      clients[first].read()
      try harness.engine().runTurn()
    }
    #expect(greatest == Self.capacity)
    #expect(order == Array(0..<200))
    for (client, count) in zip(clients, counts) {
      let erased = try client.instructions(after: count)
      #expect(Set(erased.compactMap(\.object)) == Set((0..<10).map { TaskTracker.task($0 * 2 + 1) }))
      #expect(client.channel.isOpen && !client.channel.isPaused)
    }
  }

  @Test(
    "A session that waits is told nothing but that the server is there, and its uploads are judged afterwards"
  )
  func waiting() throws {
    try addTasks(1...20)
    let userID = try harness.logIn().userID
    let clients = try clients(Self.capacity + 1, userID)
    let last = try #require(clients.last)
    try allow("alice", to: userID)
    #expect(running(clients).count == Self.capacity && last.session?.holdsSnapshot == false)
    let count = last.channel.received.count
    last.channel.isWritable = true
    last.channel.onWritable?()
    last.upload(TaskTracker.newTask(30, assignee: "bob"), version: 2)
    last.upload([TaskTracker.set("taskName", .string("mine"), of: TaskTracker.task(2))], version: 3)
    last.channel.put(.mark(session: 1, request: 1))
    try harness.engine().runTurn()
    #expect(!last.channel.isPaused && last.channel.received.count == count)
    last.channel.put(.ping(timestamp: 7, roundTripTime: 0))
    #expect(last.channel.received.dropFirst(count) == [.pong(7)])
    clients[0].read()
    try harness.engine().runTurn()
    #expect(last.channel.received.contains { if case .mark = $0 { true } else { false } })
    let state = try harness.openState()
    #expect(try state.contents(of: "Task").count == 20)
    #expect(try state.value("taskName", of: TaskTracker.task(2)) == .string("mine"))
    let errors = last.channel.received.compactMap { message in
      if case .error(let error) = message { error.info.rejectedUpdates.map(\.key) } else { nil }
    }
    #expect(errors == [[TaskTracker.task(30).key]])
  }

  /// A client that has asked for another set, and whose connection takes nothing for now.
  private func askingClient(of userID: String) throws -> DirectClient {
    let client = try DirectClient(harness, userID, #"{"Task":"(assignee == 'nobody')"}"#)
    client.channel.isWritable = false
    client.channel.put(.query(session: 1, queryVersion: 2, body: Array(Self.everything.utf8)))
    return client
  }

  @Test("The sessions of one user that ask for other sets take a quarter of the places")
  func manySetsOfOneUser() throws {
    try addTasks(1...20)
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
    try addTasks(1...20)
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
    try addTasks(1...20)
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
    try addTasks(1...20)
    let users = try (0..<4).map { _ in try harness.logIn().userID }
    // Two of each are read, and two wait.
    let clients = try (0..<16).map { try askingClient(of: users[$0 % 4]) }
    try harness.engine().runTurn()
    #expect(running(clients) == Array(0..<Self.capacity))
    let newcomer = try askingClient(of: harness.logIn().userID)
    try harness.engine().runTurn()
    #expect(newcomer.session?.isInLine == true)
    clients[0].read()
    try harness.engine().runTurn()
    #expect(newcomer.session?.holdsSnapshot == true)
    #expect(running(clients) == Array(1..<Self.capacity))
    clients[1].read()
    try harness.engine().runTurn()
    // Both of these users have one under way; this one has waited longer.
    #expect(running(clients) == Array(2..<Self.capacity) + [8])
  }

  @Test("Clients that read slowly still count for their user")
  func slowClientsOfOneUser() throws {
    try addTasks(1...20)
    let userID = try harness.logIn().userID
    let clients = try (0..<3).map { _ in try askingClient(of: userID) }
    try harness.engine().runTurn()
    time.advance(seconds: 11)
    try harness.engine().runTurn()
    #expect(running(clients) == [0, 1])
    clients[1].read()
    try harness.engine().runTurn()
    #expect(running(clients) == [0, 2])
  }

  @Test(
    "A client that asks for further sets before it has the first takes places of its user's other clients"
  )
  func manySetsOfOneClient() throws {
    try addTasks(1...20)
    let userID = try harness.logIn().userID
    let first = try askingClient(of: userID)
    try harness.engine().runTurn()
    first.channel.put(.query(session: 1, queryVersion: 3, body: Array(Self.everything.utf8)))
    try harness.engine().runTurn()
    #expect(first.session?.snapshotCount == 2)
    let second = try askingClient(of: userID)
    try harness.engine().runTurn()
    #expect(second.session?.isInLine == true)
    first.read()
    try harness.engine().runTurn()
    #expect(second.session?.holdsSnapshot == true)
  }

  @Test("Clients that do not read are disconnected when so many do not that others cannot begin")
  func manySlowClients() throws {
    let harness = try Self.makeHarness(1, time)
    let admin = try DirectClient(harness, harness.logIn().userID, Self.everything)
    admin.upload((1...20).flatMap { TaskTracker.newTask($0, assignee: "alice") }, version: 2)
    admin.turn()
    func askingClient() throws -> DirectClient {
      let client = try DirectClient(harness, harness.logIn().userID, #"{"Task":"(assignee == 'nobody')"}"#)
      client.channel.isWritable = false
      client.channel.put(.query(session: 1, queryVersion: 2, body: Array(Self.everything.utf8)))
      client.turn()
      time.advance(seconds: 11)
      return client
    }
    let clients = try (0..<8).map { _ in try askingClient() }
    admin.turn()
    try harness.engine().relievePlaces()
    #expect(clients.allSatisfy { $0.session?.holdsSnapshot == true })
    let newcomer = try askingClient()
    #expect(newcomer.session?.isInLine == true)
    try harness.engine().relievePlaces()
    admin.turn()
    #expect(clients.count { $0.session == nil && !$0.channel.isOpen } == 1)
    #expect(newcomer.session?.holdsSnapshot == true)
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
      let query = #"{"Task":"(assignee == 'alice')"}"#
      client.channel.put(.query(session: 1, queryVersion: 2, body: Array(query.utf8)))
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
    try addTasks(1...20)
    let clients = try (0..<Self.capacity + 2).map { _ in try askingClient(of: harness.logIn().userID) }
    try harness.engine().runTurn()
    clients[Self.capacity].channel.onClose?(ChannelClosure(code: nil, reason: "", error: nil))
    clients[0].read()
    try harness.engine().runTurn()
    #expect(clients[Self.capacity + 1].session?.holdsSnapshot == true)
    #expect(try harness.engine().line.isEmpty)
  }

  @Test(
    "Clients that read slowly hold up the others for a while only; permissions that return end the waiting"
  )
  func slowClients() throws {
    try addTasks(1...20)
    let userID = try harness.logIn().userID
    let clients = try clients(3 * Self.capacity, userID)
    try allow("alice", to: userID)
    #expect(running(clients) == Array(0..<Self.capacity))
    time.advance(seconds: 9)
    try harness.engine().runTurn()
    #expect(running(clients).count == Self.capacity)
    time.advance(seconds: 2)
    try harness.engine().runTurn()
    #expect(running(clients) == Array(0..<2 * Self.capacity))
    // Those that wait never notice; those in the middle begin again.
    table.users[userID] = nil
    try harness.engine().permissionsMayHaveChanged()
    try harness.engine().runTurn()
    for client in clients.suffix(Self.capacity) {
      let count = client.channel.received.count
      client.read()
      #expect(client.channel.received.count == count && client.session != nil)
    }
    #expect(clients.prefix(2 * Self.capacity).allSatisfy { $0.session == nil })
  }
}
