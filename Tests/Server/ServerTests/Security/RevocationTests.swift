// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncRules

@Suite("What waits for a client when a permission is taken away")
struct RevocationTests {
  private static let everything = #"{"Task":"(TRUEPREDICATE)"}"#

  private let table = PermissionTable()
  private let harness: Harness

  init() throws { harness = try Harness(permissions: table) }

  private func client() throws -> SyncClient {
    let client = try SyncClient(harness, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(Self.everything)
    try client.synchronize()
    return client
  }

  private func write(_ client: SyncClient, _ instructions: [Instruction]) throws {
    try client.write(instructions)
    try client.synchronize()
  }

  /// Task 1 stays visible without its name; 2 and 4 become bob's secrets, 3 is erased.
  private func changeSecretly(_ admin: SyncClient) throws {
    for number in 1...3 as ClosedRange<UInt32> {
      try write(
        admin,
        [TaskTracker.set("taskName", .string("secret \(number)"), of: TaskTracker.task(number))]
      )
    }
    try write(admin, TaskTracker.newTask(4, assignee: "bob"))
    try write(admin, [TaskTracker.set("taskName", .string("secret 4"), of: TaskTracker.task(4))])
    try write(admin, [TaskTracker.set("completed", .bool(true), of: TaskTracker.task(1))])
    try admin.erase(TaskTracker.task(3))
    try admin.synchronize()
  }

  private func addTasks(_ admin: SyncClient) throws {
    try write(
      admin,
      TaskTracker.newTask(1, assignee: "alice") + TaskTracker.newTask(2, assignee: "bob")
        + TaskTracker.newTask(3, assignee: "alice")
    )
  }

  private func revoke(of userID: String, _ harness: Harness) throws {
    table.users[userID] = Permissions(
      classes: ["Task": try .role(read: "assignee == 'alice'", readable: .allExcept(["taskName"]))]
    )
    try harness.engine().permissionsMayHaveChanged(of: userID)
  }

  private func isSecret(_ instruction: Instruction) -> Bool {
    if case .update(_, .value(.string(let text)), _) = instruction { return text.hasPrefix("secret") }
    return false
  }

  @Test("What the server still has in hand is not delivered", arguments: [14, 13])
  func liveSession(version: Int) throws {
    let admin = try client()
    try addTasks(admin)
    let userID = try harness.logIn().userID
    let reader = try DirectClient(harness, userID, Self.everything, try #require(.init(rawValue: version)))
    reader.channel.isWritable = false
    let count = reader.channel.received.count
    try changeSecretly(admin)
    #expect(reader.channel.received.count == count)
    try revoke(of: userID, harness)
    try harness.engine().runTurn()
    reader.channel.isWritable = true
    reader.channel.onWritable?()
    try harness.engine().runTurn()
    let instructions = try reader.instructions(after: count)
    #expect(!instructions.contains(where: isSecret))
    #expect(!instructions.contains { $0.path?.field == "taskName" })
    let foreign = instructions.filter { instruction in
      if case .eraseObject = instruction { return false }
      return instruction.object != nil && instruction.object != TaskTracker.task(1)
    }
    #expect(foreign.isEmpty)
    // What may still be seen comes.
    #expect(instructions.contains { $0.path?.field == "completed" })
    #expect(instructions.contains(.eraseObject(TaskTracker.task(2))))
    #expect(instructions.contains(.eraseObject(TaskTracker.task(3))))
  }

  @Test("What was lost on the way is not delivered again, and the client ends with what it may see")
  func lostConnection() throws {
    let admin = try client()
    try addTasks(admin)
    let reader = try client()
    let connection = try #require(reader.connection)
    connection.pauseReading()
    try changeSecretly(admin)
    reader.disconnect()
    try harness.run(until: { try harness.engine().sessionCount == 1 }, "end of the session")
    try revoke(of: reader.userID, harness)
    // The client has changed something meanwhile, also what it may not see any more.
    try reader.write { objects in
      let changes = [2, 1].map {
        TaskTracker.set("progressMinutes", .int(77), of: TaskTracker.task($0))
      }
      try objects.apply(changes)
      return changes
    }
    var seen: [Instruction] = []
    reader.onChangeset = { seen += $0 }
    try reader.connect()
    try reader.synchronize()
    #expect(!seen.contains(where: isSecret) && !seen.isEmpty)
    try admin.synchronize()
    let visible = try harness.openState().contents(of: "Task").filter { $0.key == TaskTracker.task(1).key }
      .mapValues { $0.filter { $0.path?.field != "taskName" } }
    #expect(try reader.objects.contents(of: "Task") == visible)
    #expect(visible.count == 1 && reader.failures.isEmpty)
    // And when it may see all again, it has all.
    table.users[reader.userID] = nil
    try harness.engine().permissionsMayHaveChanged(of: reader.userID)
    try reader.synchronize()
    #expect(try reader.objects.contents(of: "Task") == admin.objects.contents(of: "Task"))
  }

  @Test("A permission that comes back while its loss is under way brings all that was held back")
  func regainedMidway() throws {
    // Batches of about one object, so that the bootstrap can be interrupted.
    let limits = DeliveryLimits(messageByteCount: 100, changesetByteCount: 60)
    let harness = try Harness(limits: limits, permissions: table)
    func client() throws -> SyncClient {
      let client = try SyncClient(harness, schema: TaskTracker.schema)
      try client.connect()
      client.subscribe(Self.everything)
      try client.synchronize()
      return client
    }
    let admin = try client()
    try addTasks(admin)
    let reader = try client()
    let connection = try #require(reader.connection)
    connection.pauseReading()
    try write(admin, TaskTracker.newTask(4, assignee: "bob"))
    reader.disconnect()
    try harness.run(until: { try harness.engine().sessionCount == 1 }, "end of the session")
    try revoke(of: reader.userID, harness)
    reader.batchesBeforeLoss = 1
    try reader.connect()
    try harness.run(until: { !reader.isConnected }, "loss of the connection")
    table.users[reader.userID] = nil
    try harness.engine().permissionsMayHaveChanged(of: reader.userID)
    // Follows on the task that the reader has not got.
    try write(admin, [TaskTracker.set("progressMinutes", .int(44), of: TaskTracker.task(4))])
    try reader.connect()
    try reader.synchronize()
    #expect(reader.failures.isEmpty)
    #expect(try reader.objects.contents(of: "Task") == admin.objects.contents(of: "Task"))
  }
}
