// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import Testing

@testable import FlexSyncRules

@Suite("What a user may write")
struct WritePermissionTests {
  private let table = PermissionTable()
  private let harness: Harness
  private let task = TaskTracker.task(1)

  init() throws { harness = try Harness(permissions: table) }

  private func client(_ permission: ClassPermission? = nil, query: String = "TRUEPREDICATE") throws
    -> SyncClient
  {
    try harness.connect(permission, in: table, #"{"Task":"(\#(query))","Team":"(TRUEPREDICATE)"}"#)
  }

  private func reason(_ text: String, _ number: UInt32 = 1, in className: String = "Task") -> String {
    let id = className == "Task" ? "65a00000000000000000000\(number)" : "65b00000000000000000000\(number)"
    return "write to ObjectID(\"\(id)\") in table \"\(className)\" \(text)"
  }

  private func write(_ client: SyncClient, _ instructions: [Instruction]) throws {
    try client.write { objects in
      try objects.apply(instructions)
      return instructions
    }
    try client.synchronize()
  }

  /// What the client has is what the server has, of one task.
  private func expectServerState(_ client: SyncClient, hiding hidden: Set<String> = []) throws {
    let visible = try harness.openState().contents(of: "Task").mapValues { instructions in
      instructions.filter { $0.path.map { !hidden.contains($0.field) } ?? true }
    }
    #expect(try client.objects.contents(of: "Task") == visible)
  }

  // Feature 122
  @Test("An object outside of the write filter is taken back, the rest of the transaction stands")
  func writeFilter() throws {
    let alice = try client(.role("owner-read-write", read: "assignee == 'alice'"))
    try write(
      alice,
      TaskTracker.newTask(1, assignee: "bob") + TaskTracker.newTask(2, assignee: "alice")
        + TaskTracker.newTask(3, assignee: "alice")
    )
    #expect(
      alice.rejections.map(\.reason) == [reason("not allowed")]
    )
    #expect(alice.rejections.map(\.key) == [task.key])
    #expect(try harness.openState().contents(of: "Task").count == 2)
    try expectServerState(alice)
  }

  // Feature 122, 131
  @Test("Outside of the subscription, the reason is the view, unless the role forbids the write as well")
  func outsideView() throws {
    let alice = try client(.role(read: "assignee == 'alice'"), query: "progressMinutes < 5")
    try write(alice, TaskTracker.newTask(1, assignee: "alice", minutes: 10))
    try write(alice, TaskTracker.newTask(2, assignee: "bob", minutes: 1))
    try write(alice, TaskTracker.newTask(3, assignee: "bob", minutes: 10))
    #expect(
      alice.rejections.map(\.reason) == [
        reason("not allowed; object is outside of the current query view"),
        reason("not allowed", 2),
        reason("not allowed", 3),
      ]
    )
    #expect(try alice.objects.contents(of: "Task").isEmpty)
  }

  @Test("Each write to an object outside of the subscription is answered, also those of one upload")
  func laterWritesOutsideView() throws {
    let alice = try client(query: "progressMinutes < 5")
    alice.disconnect()
    try alice.write(TaskTracker.newTask(1, assignee: "alice", minutes: 10))
    try alice.write(TaskTracker.set("taskName", .string("changed"), of: task))
    try alice.write(TaskTracker.set("taskName", .string("changed again"), of: task))
    try alice.connect()
    try alice.synchronize()
    let expected = reason("not allowed; object is outside of the current query view")
    #expect(alice.rejections.map(\.reason) == [expected, expected, expected])
    #expect(try alice.objects.contents(of: "Task").isEmpty)
    // Who deletes what is not there any more has what it wants.
    alice.disconnect()
    try alice.write(TaskTracker.newTask(1, assignee: "alice", minutes: 10))
    try alice.erase(task)
    try alice.connect()
    try alice.synchronize()
    #expect(alice.rejections.count == 4)
  }

  @Test(
    "A write that follows a refused one to the same object is answered, and spares what is written afterwards"
  )
  func laterWritesRefused() throws {
    let admin = try client()
    try write(admin, TaskTracker.newTask(1, assignee: "bob"))
    let alice = try client(.role("reader", write: "assignee == 'alice'"))
    try alice.write(TaskTracker.set("taskName", .string("changed"), of: task))
    try alice.write(TaskTracker.set("progressMinutes", .int(7), of: task))
    try alice.synchronize()
    #expect(alice.rejections.map(\.reason) == [reason("not allowed"), reason("not allowed")])
    let detail = "an earlier write to the object was refused, and the object reverted"
    #expect(alice.rejections.last?.detail?.hasSuffix(detail) == true)
    try expectServerState(alice)
  }

  @Test("An object that the user may not read cannot be taken by creating it anew")
  func takingOver() throws {
    let admin = try client()
    try write(admin, TaskTracker.newTask(1, assignee: "bob", minutes: 77))
    let alice = try client(.role(read: "assignee == 'alice'"))
    try write(alice, TaskTracker.newTask(1, assignee: "alice"))
    #expect(
      alice.rejections.map(\.reason) == [reason("not allowed; object is outside of the current query view")]
    )
    #expect(try alice.objects.contents(of: "Task").isEmpty)
    #expect(try harness.openState().value("progressMinutes", of: task) == .int(77))
  }

  @Test("An object that may be read and not written becomes again what it was")
  func readOnly() throws {
    let admin = try client()
    try write(admin, TaskTracker.newTask(1, assignee: "bob"))
    let alice = try client(.role("reader", write: "assignee == 'alice'"))
    try write(alice, [TaskTracker.set("taskName", .string("changed"), of: task)])
    try write(alice, [TaskTracker.set("assignee", .string("alice"), of: task)])
    try alice.erase(task)
    try alice.synchronize()
    let expected = reason("not allowed")
    #expect(alice.rejections.map(\.reason) == [expected, expected, expected])
    try expectServerState(alice)
    #expect(try harness.openState().value("taskName", of: task) == .string("task 1"))
  }

  @Test("An object cannot be given away out of the write filter")
  func givingAway() throws {
    let alice = try client(.role(write: "assignee == 'alice'"))
    try write(alice, TaskTracker.newTask(1, assignee: "alice"))
    try write(alice, [TaskTracker.set("assignee", .string("bob"), of: task)])
    #expect(alice.rejections.map(\.reason) == [reason("not allowed")])
    try expectServerState(alice)
  }

  @Test("Inserts and deletes need to be allowed")
  func insertAndDelete() throws {
    let admin = try client()
    try write(admin, TaskTracker.newTask(1, assignee: "bob"))
    let alice = try client(.role("editor", insert: false, delete: false))
    try write(alice, TaskTracker.newTask(2, assignee: "alice"))
    try alice.erase(task)
    try alice.synchronize()
    try write(alice, [TaskTracker.set("taskName", .string("changed"), of: task)])
    #expect(
      alice.rejections.map(\.reason) == [
        reason("not allowed", 2),
        reason("not allowed"),
      ]
    )
    #expect(try harness.openState().value("taskName", of: task) == .string("changed"))
    try expectServerState(alice)
    // Nor can an object be deleted by making it anew.
    try write(alice, [.eraseObject(task)] + TaskTracker.newTask(1, assignee: "eve"))
    #expect(alice.rejections.count == 3)
    try expectServerState(alice)
  }

  @Test("Without a role for the class nothing can be written")
  func noRole() throws {
    let alice = try client(.role())
    try write(alice, [.createObject(TaskTracker.team(1))])
    #expect(
      alice.rejections.map(\.reason) == [
        reason("not allowed; object is outside of the current query view", in: "Team")
      ]
    )
    #expect(try alice.objects.contents(of: "Team").isEmpty)
  }

  @Test("A field that is not writable cannot be changed, but what changes nothing does no harm")
  func fields() throws {
    let admin = try client()
    try write(admin, TaskTracker.newTask(1, assignee: "bob", minutes: 10))
    let alice = try client(.role("namer", writable: .only(["taskName"])))
    try write(alice, [TaskTracker.set("taskName", .string("changed"), of: task)])
    // As an SDK does it that writes all properties.
    try write(
      alice,
      [
        TaskTracker.set("taskName", .string("changed again"), of: task),
        TaskTracker.set("progressMinutes", .int(10), of: task),
        TaskTracker.set("assignee", .string("bob"), of: task),
      ]
    )
    #expect(alice.rejections.isEmpty)
    #expect(try harness.openState().value("taskName", of: task) == .string("changed again"))
    let last = try #require(try harness.engine().store.history(after: 0, through: 100).last)
    #expect(last.instructions.compactMap(\.path?.field) == ["taskName"])
    try write(
      alice,
      [
        TaskTracker.set("taskName", .string("not this"), of: task),
        TaskTracker.set("progressMinutes", .int(11), of: task),
      ]
    )
    #expect(
      alice.rejections.map(\.reason) == [
        reason("not allowed")
      ]
    )
    #expect(try harness.openState().value("taskName", of: task) == .string("changed again"))
    try expectServerState(alice)
  }

  @Test("What a hidden field contains cannot be found out by writing it")
  func hiddenFields() throws {
    let admin = try client()
    try write(admin, TaskTracker.newTask(1, assignee: "bob", minutes: 10))
    let alice = try client(.role(readable: .allExcept(["progressMinutes"])))
    try write(alice, [TaskTracker.set("progressMinutes", .int(10), of: task)])
    try write(alice, [TaskTracker.set("progressMinutes", .int(11), of: task)])
    #expect(alice.rejections.count == 2)
    #expect(Set(alice.rejections.map(\.reason)).count == 1)
    try expectServerState(alice, hiding: ["progressMinutes"])
  }

  @Test("A new object may carry defaults and nulls in fields that are not writable; they are not taken over")
  func defaults() throws {
    let alice = try client(.role(writable: .only(["taskName"])))
    func set(_ field: String, _ value: Value, isDefault: Bool) -> Instruction {
      .update(PropertyPath(object: task, field: field), .value(value), .isDefault(isDefault))
    }
    try write(
      alice,
      [
        .createObject(task), set("taskName", .string("new"), isDefault: false),
        set("assignee", .null, isDefault: false), set("completed", .bool(false), isDefault: false),
        set("progressMinutes", .int(60), isDefault: true),
      ]
    )
    #expect(alice.rejections.isEmpty)
    #expect(try harness.openState().value("progressMinutes", of: task) == .int(0))
    try expectServerState(alice)
    let other = TaskTracker.task(2)
    try write(alice, [.createObject(other), TaskTracker.set("progressMinutes", .int(60), of: other)])
    #expect(
      alice.rejections.map(\.reason) == [
        reason("not allowed", 2)
      ]
    )
    try expectServerState(alice)
  }

  @Test("A rejection that the client did not hear of comes again when it is back, after a restart too")
  func lostRejection() throws {
    let alice = try client(.role(write: "assignee == 'alice'"))
    alice.disconnect()
    try alice.write { objects in
      let changes = TaskTracker.newTask(1, assignee: "bob")
      try objects.apply(changes)
      return changes
    }
    try alice.connect()
    try harness.run(until: { try harness.engine().store.currentVersion() >= 0 && alice.isConnected })
    alice.disconnect()
    try harness.restart()
    try alice.connect()
    try alice.synchronize()
    #expect(alice.rejections.map(\.reason) == [reason("not allowed")])
    try expectServerState(alice)
  }

  @Test("Writes are judged by what the user may do when they arrive")
  func revokedMeanwhile() throws {
    let alice = try client(.role())
    try write(alice, TaskTracker.newTask(1, assignee: "alice"))
    alice.disconnect()
    try alice.write(TaskTracker.set("taskName", .string("written offline"), of: task))
    table.users[alice.userID] = Permissions(classes: ["Task": try .role("reader", write: "FALSEPREDICATE")])
    try harness.engine().permissionsMayHaveChanged(of: alice.userID)
    try alice.connect()
    try alice.synchronize()
    #expect(alice.rejections.map(\.reason) == [reason("not allowed")])
    #expect(try harness.openState().value("taskName", of: task) == .string("task 1"))
    try expectServerState(alice)
  }
}
