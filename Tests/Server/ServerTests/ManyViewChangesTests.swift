// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
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

  init() throws {
    var limits = DeliveryLimits(messageByteCount: 500, changesetByteCount: 300)
    limits.simultaneousBootstraps = Self.capacity
    harness = try Harness(clock: time.clock, limits: limits, permissions: table)
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
    "A session that waits is told nothing and its uploads are judged afterwards; its connection is not read"
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
    #expect(last.channel.isPaused && last.channel.received.count == count)
    clients[0].read()
    try harness.engine().runTurn()
    #expect(!last.channel.isPaused)
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
    #expect(last.channel.isPaused && last.channel.received.count == count)
    clients[0].read()
    try harness.engine().runTurn()
    #expect(!last.channel.isPaused && last.session?.isInLine == false)
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
