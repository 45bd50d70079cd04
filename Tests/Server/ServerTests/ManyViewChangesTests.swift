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
