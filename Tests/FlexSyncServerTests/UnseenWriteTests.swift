// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import Testing

@testable import FlexSyncServer

@Suite("Writes to objects that their author does not see")
struct UnseenWriteTests {
  private let table = PermissionTable()
  private let harness: Harness
  private let task = TaskTracker.task(1)
  private let team = TaskTracker.team(1)

  init() throws { harness = try Harness(permissions: table) }

  private func client(_ classes: [String: ClassPermission]? = nil, tasks: String = "TRUEPREDICATE") throws
    -> SyncClient
  {
    let tokens = try harness.logIn()
    table.users[tokens.userID] = classes.map(Permissions.init(classes:))
    let client = try SyncClient(harness, tokens: tokens, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(#"{"Task":"(\#(tasks))","Team":"(TRUEPREDICATE)"}"#)
    try client.synchronize()
    return client
  }

  private func write(_ client: SyncClient, _ instructions: [Instruction]) throws {
    try client.write(instructions)
    try client.synchronize()
  }

  private func outsideView(_ object: ObjectReference) -> String {
    "write to \(object.key) in table \"\(object.table)\" not allowed; "
      + "object is outside of the current query view"
  }

  @Test("What is in an object that may not be seen cannot be found out by writing forbidden fields")
  func fieldsOfHidden() throws {
    let admin = try client()
    try write(admin, TaskTracker.newTask(1, assignee: "bob", minutes: 77))
    let alice = try client([
      "Task": try .role(read: "assignee == 'alice'", writable: .allExcept(["progressMinutes"]))
    ])
    for minutes in [77, 78] as [Int64] {
      try write(alice, TaskTracker.newTask(1, assignee: "alice", minutes: minutes))
    }
    #expect(alice.rejections.count == 2)
    #expect(Set(alice.rejections.map(\.reason)).count == 1)
    #expect(try alice.objects.contents(of: "Task").isEmpty)
    #expect(try harness.openState().value("progressMinutes", of: task) == .int(77))
  }

  @Test("Nor is the length of a list told, by a change that does not fit it")
  func listsOfHidden() throws {
    let member = PropertyPath(object: team, field: "members", path: [.index(0)])
    let creation: [Instruction] = [
      .createObject(team), .arrayInsert(member, .value(.string("x")), priorSize: 0),
    ]
    let admin = try client()
    try write(admin, creation)
    let alice = try client(["Team": try .role(of: "Team", read: "teamName == 'ours'")])
    try write(alice, creation)
    // As if there were no such team.
    #expect(alice.rejections.map(\.reason) == ["write to \(team.key) in table \"Team\" not allowed"])
    #expect(try alice.objects.contents(of: "Team").isEmpty)
  }

  @Test("A change of an object that has left the view meanwhile is refused, and told")
  func leftMeanwhile() throws {
    let admin = try client()
    try write(admin, TaskTracker.newTask(1, assignee: "alice"))
    let alice = try client(tasks: "assignee == 'alice'")
    alice.disconnect()
    try write(admin, [TaskTracker.set("assignee", .string("bob"), of: task)])
    try alice.write(TaskTracker.set("taskName", .string("changed"), of: task))
    try alice.connect()
    try alice.synchronize()
    #expect(alice.rejections.map(\.reason) == [outsideView(task)])
    #expect(try alice.objects.contents(of: "Task").isEmpty)
    #expect(try harness.openState().value("taskName", of: task) == .string("task 1"))
    // Both may go on.
    try write(alice, TaskTracker.newTask(2, assignee: "alice"))
    #expect(alice.rejections.count == 1)
    #expect(try harness.openState().contents(of: "Task").count == 2)
  }

  @Test("A change of an object that its author has taken out of the view is refused, and told")
  func leftByOwnWrite() throws {
    let alice = try client(tasks: "assignee == 'alice'")
    try write(alice, TaskTracker.newTask(1, assignee: "alice"))
    alice.disconnect()
    try alice.write(TaskTracker.set("assignee", .string("bob"), of: task))
    try alice.write(TaskTracker.set("taskName", .string("changed"), of: task))
    try alice.connect()
    try alice.synchronize()
    #expect(alice.rejections.map(\.reason) == [outsideView(task)])
    #expect(try harness.openState().value("assignee", of: task) == .string("bob"))
    #expect(try harness.openState().value("taskName", of: task) == .string("task 1"))
  }

  @Test("A change of an object that was deleted meanwhile is dropped as in every merge")
  func deletedMeanwhile() throws {
    let admin = try client()
    try write(admin, TaskTracker.newTask(1, assignee: "alice"))
    let alice = try client()
    alice.disconnect()
    try admin.erase(task)
    try admin.synchronize()
    try alice.write(TaskTracker.set("taskName", .string("changed"), of: task))
    try alice.connect()
    try alice.synchronize()
    #expect(alice.rejections.isEmpty)
    #expect(try alice.objects.contents(of: "Task").isEmpty)
  }
}
