// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncRules

@Suite("Writes to objects that their author does not see")
struct UnseenObjectWriteTests {
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

  @Test("A subscription on a hidden field selects nothing for writes, whatever the field contains")
  func subscriptionsOnHiddenFields() throws {
    let admin = try client()
    try write(admin, TaskTracker.newTask(1, assignee: "bob", minutes: 77))
    let role = try ClassPermission.role(readable: .allExcept(["progressMinutes"]))
    for query in ["progressMinutes < 50", "progressMinutes > 50", "NOT progressMinutes > 50"] {
      let alice = try client(["Task": role], tasks: query)
      try write(alice, [.createObject(task), TaskTracker.set("taskName", .string("changed"), of: task)])
      #expect(alice.rejections.map(\.reason) == [outsideView(task)])
      #expect(try alice.objects.contents(of: "Task").isEmpty)
    }
  }

  @Test("A subscription that is joined with one on a hidden field selects what it would alone")
  func joinedSubscriptions() throws {
    let admin = try client()
    try write(
      admin,
      TaskTracker.newTask(1, assignee: "bob") + TaskTracker.newTask(2, assignee: "eve", minutes: 77)
    )
    let alice = try client(
      ["Task": try .role(readable: .allExcept(["progressMinutes"]))],
      tasks: "progressMinutes > 50 OR assignee == 'bob'"
    )
    #expect(try Set(alice.objects.contents(of: "Task").keys) == [task.key])
  }

  @Test("Erasing a hidden object and a missing one get the same answer")
  func erasing() throws {
    let admin = try client()
    try write(admin, TaskTracker.newTask(1, assignee: "bob"))
    let alice = try client([
      "Task": try .role(read: "assignee == 'alice'"), "Team": try .role(of: "Team"),
    ])
    try write(alice, [.eraseObject(task)])
    try write(alice, [.eraseObject(TaskTracker.task(2))])
    // All teams may be seen, so that there is nothing to hide.
    try write(alice, [.eraseObject(team)])
    #expect(alice.rejections.map(\.reason) == [outsideView(task), outsideView(TaskTracker.task(2))])
    #expect(try harness.openState().contents(of: "Task").count == 1)
  }

  @Test("A creation that is not allowed is refused in the same words, whether or not the key is taken")
  func creating() throws {
    let admin = try client()
    try write(admin, TaskTracker.newTask(1, assignee: "bob"))
    let alice = try client(["Task": try .role(read: "assignee == 'alice'", insert: false)])
    try write(alice, TaskTracker.newTask(1, assignee: "alice"))
    try write(alice, TaskTracker.newTask(2, assignee: "alice"))
    #expect(
      alice.rejections.map(\.reason)
        == [task, TaskTracker.task(2)].map { "write to \($0.key) in table \"Task\" not allowed" }
    )
  }

  @Test("Objects of a class without a role are as if they did not exist")
  func noRole() throws {
    let admin = try client()
    try write(admin, [.createObject(team)])
    let alice = try client(["Task": try .role()])
    for object in [team, TaskTracker.team(2)] { try write(alice, [.eraseObject(object)]) }
    #expect(alice.rejections.map(\.reason) == [outsideView(team), outsideView(TaskTracker.team(2))])
  }

  @Test("Whether an object was deleted or hidden meanwhile is not told")
  func deletedOrHidden() throws {
    let admin = try client()
    let tasks = (1...4).map { TaskTracker.task($0) }
    try write(admin, (1...4).flatMap { TaskTracker.newTask($0, assignee: "alice") })
    let alice = try client(["Task": try .role(read: "assignee == 'alice'")])
    alice.disconnect()
    try write(
      admin,
      [
        TaskTracker.set("assignee", .string("bob"), of: tasks[0]), .eraseObject(tasks[1]),
        TaskTracker.set("assignee", .string("bob"), of: tasks[2]), .eraseObject(tasks[3]),
      ]
    )
    for task in tasks.prefix(2) { try alice.write(TaskTracker.set("taskName", .string("changed"), of: task)) }
    for task in tasks.suffix(2) { try alice.erase(task) }
    try alice.connect()
    try alice.synchronize()
    #expect(alice.rejections.map(\.reason) == tasks.map(outsideView))
    #expect(try alice.objects.contents(of: "Task").isEmpty)
  }

  @Test("The order and progress of a bootstrap tell nothing of hidden objects")
  func bootstraps() throws {
    let limits = DeliveryLimits(messageByteCount: 60, changesetByteCount: 60)
    let harness = try Harness(limits: limits, permissions: table)
    let admin = try SyncClient(harness, schema: TaskTracker.schema)
    try admin.connect()
    admin.subscribe(#"{"Task":"(TRUEPREDICATE)"}"#)
    try admin.synchronize()
    let hidden = (10...40).flatMap { TaskTracker.newTask($0, assignee: "bob") }
    let seen = [3, 1, 4, 2].flatMap { TaskTracker.newTask($0, assignee: "alice") }
    try admin.write(hidden + seen)
    try admin.synchronize()
    let tokens = try harness.logIn()
    table.users[tokens.userID] = Permissions(classes: ["Task": try .role(read: "assignee == 'alice'")])
    let alice = try SyncClient(harness, tokens: tokens, schema: TaskTracker.schema)
    var keys: [PrimaryKey] = []
    alice.onChangeset = { instructions in
      for case .createObject(let object) in instructions where object.table == "Task" {
        keys.append(object.key)
      }
    }
    try alice.connect()
    alice.subscribe(#"{"Task":"(TRUEPREDICATE)"}"#)
    try alice.synchronize()
    #expect(keys == (1...4).map { TaskTracker.task($0).key })
    let estimates = try #require(alice.connection).downloads.filter { $0.queryVersion == 1 }
      .map(\.progressEstimate)
    #expect(estimates.count > 2 && estimates == estimates.sorted())
    #expect(estimates.first.map { $0 >= 0.25 && $0 < 1 } == true)
  }
}
