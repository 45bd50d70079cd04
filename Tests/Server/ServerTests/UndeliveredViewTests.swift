// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncWire
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncRules

@Suite("Permissions that change before a client has received what an older query set selects")
struct UndeliveredViewTests {
  private static let tasks = #"{"Task":"(TRUEPREDICATE)"}"#
  private static let teams = #"{"Team":"(TRUEPREDICATE)"}"#

  private let table = PermissionTable()
  private let harness: Harness
  private let writer: DirectClient

  init() throws {
    let limits = DeliveryLimits(messageByteCount: 500, changesetByteCount: 300)
    harness = try Harness(limits: limits, permissions: table)
    writer = try DirectClient(harness, harness.logIn().userID, Self.tasks)
    writer.upload((1...20).flatMap { TaskTracker.newTask($0, assignee: "alice") }, version: 2)
    writer.turn()
  }

  /// A client that has asked for all tasks, and whose connection takes nothing for now.
  private func clientWithUnreadTasks(of userID: String) throws -> DirectClient {
    let client = try DirectClient(harness, userID, #"{"Task":"(assignee == 'nobody')"}"#)
    client.channel.isWritable = false
    client.ask(for: Self.tasks, version: 2)
    client.turn()
    return client
  }

  /// Takes the user's tasks away, and lets the client read.
  private func takeTasks(from client: DirectClient, _ userID: String) throws {
    let count = client.channel.received.count
    table.users[userID] = Permissions(classes: ["Team": try .role(of: "Team")])
    try harness.engine().permissionsMayHaveChanged(of: userID)
    try harness.engine().runTurn()
    client.read()
    while try harness.engine().runTurn() {}
    #expect(try client.instructions(after: count).compactMap(\.object).isEmpty)
    #expect(client.session == nil)
    let errors = client.channel.received.compactMap {
      if case .error(let error) = $0 { error.code } else { nil }
    }
    #expect(errors == [SessionFailure.permissionsChanged.code])
  }

  @Test("The bootstrap of an older set is broken off if the user may no longer see what it contains")
  func bootstrapOfAnOlderSet() throws {
    let userID = try harness.logIn().userID
    let client = try clientWithUnreadTasks(of: userID)
    client.ask(for: Self.teams, version: 3)
    client.turn()
    #expect(client.session?.snapshotCount == 2)
    try takeTasks(from: client, userID)
  }

  @Test("Nor does the client get what others wrote before it asked for another set")
  func entriesOfAnOlderSet() throws {
    let userID = try harness.logIn().userID
    let client = try DirectClient(harness, userID, Self.tasks)
    client.read()
    while try harness.engine().runTurn() {}
    client.channel.isWritable = false
    writer.upload(TaskTracker.newTask(30, assignee: "bob"), version: 3)
    client.turn()
    client.ask(for: Self.teams, version: 2)
    client.turn()
    try takeTasks(from: client, userID)
  }

  @Test("Permissions for other classes break nothing off")
  func otherClasses() throws {
    let userID = try harness.logIn().userID
    let client = try clientWithUnreadTasks(of: userID)
    table.users[userID] = Permissions(classes: ["Task": try .role()])
    try harness.engine().permissionsMayHaveChanged(of: userID)
    client.turn()
    let count = client.channel.received.count
    client.read()
    while try harness.engine().runTurn() {}
    #expect(try Set(client.instructions(after: count).compactMap(\.object)).count == 20)
    #expect(client.session != nil)
  }
}
