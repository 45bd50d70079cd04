// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncRules

@Suite("Permissions that are taken away and given again while a device has changes that are not uploaded")
struct RegainedPermissionTests {
  private static let everything = #"{"Task":"(TRUEPREDICATE)","Team":"(TRUEPREDICATE)"}"#

  private let table = PermissionTable()
  private let harness: Harness
  private let admin: SyncClient
  private let device: SyncClient

  /// Tasks 1 and 2 are alice's, 3 is bob's; a team has a member. The device has all, and is away.
  init() throws {
    harness = try Harness(permissions: table)
    admin = try Self.client(harness)
    try admin.write(
      TaskTracker.newTask(1, assignee: "alice") + TaskTracker.newTask(2, assignee: "alice")
        + TaskTracker.newTask(3, assignee: "bob") + [
          .createObject(TaskTracker.team(1)), Self.member("ada", at: 0),
        ]
    )
    try admin.synchronize()
    device = try Self.client(harness)
    device.disconnect()
    try harness.run(until: { [harness] in try harness.engine().sessionCount == 1 }, "end of the session")
  }

  private static func client(_ harness: Harness) throws -> SyncClient {
    let client = try SyncClient(harness, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(everything)
    try client.synchronize()
    return client
  }

  private static func member(_ name: String, at index: UInt32) -> Instruction {
    let path = PropertyPath(object: TaskTracker.team(1), field: "members", path: [.index(index)])
    return .arrayInsert(path, .value(.string(name)), priorSize: index)
  }

  private func allow(_ permissions: Permissions?) throws {
    table.users[device.userID] = permissions
    try harness.engine().permissionsMayHaveChanged(of: device.userID)
  }

  private func only(_ task: ClassPermission) throws -> Permissions {
    Permissions(classes: ["Task": task, "Team": try .role(of: "Team")])
  }

  private func change(_ field: String, to value: Value, of task: UInt32) throws {
    try admin.write([TaskTracker.set(field, value, of: TaskTracker.task(task))])
    try admin.synchronize()
  }

  /// What the device writes while it is away.
  private func write(minutes: Int64, in tasks: [UInt32]) throws {
    try device.write(
      tasks.map { TaskTracker.set("progressMinutes", .int(minutes), of: TaskTracker.task($0)) }
    )
  }

  /// Has the device come back.
  ///
  /// - Returns: everything that it is told.
  private func comeBack() throws -> [Instruction] {
    var seen: [Instruction] = []
    device.onChangeset = { seen += $0 }
    try device.connect()
    try device.synchronize()
    try admin.synchronize()
    #expect(device.failures.isEmpty && device.rejections.isEmpty)
    return seen
  }

  private func isSecret(_ instruction: Instruction) -> Bool {
    switch instruction {
    case .update(_, .value(.string(let text)), _), .arrayInsert(_, .value(.string(let text)), _):
      text.hasPrefix("secret")
    default: false
    }
  }

  private func minutes(_ tasks: [UInt32]) throws -> [Value?] {
    try tasks.map { try admin.objects.value("progressMinutes", of: TaskTracker.task($0)) }
  }

  private func expectEqualContents() throws {
    for className in ["Task", "Team"] {
      #expect(try device.objects.contents(of: className) == admin.objects.contents(of: className))
    }
  }

  @Test(
    "Objects that were hidden for a while keep what the device wrote, and what was overwritten then is not told"
  )
  func hiddenObjects() throws {
    try write(minutes: 77, in: [1, 2, 3])
    try allow(try only(.role(read: "assignee == 'bob'")))
    try change("taskName", to: .string("secret"), of: 1)
    try change("taskName", to: .string("public"), of: 1)
    try allow(nil)
    try change("completed", to: .bool(true), of: 2)
    let seen = try comeBack()
    #expect(!seen.contains(where: isSecret) && seen.contains { $0.path?.field == "completed" })
    #expect(!seen.contains(.eraseObject(TaskTracker.task(1))))
    #expect(try minutes([1, 2, 3]) == [.int(77), .int(77), .int(77)])
    #expect(try device.objects.value("taskName", of: TaskTracker.task(1)) == .string("public"))
    try expectEqualContents()
  }

  @Test("Objects of which a property was hidden for a while keep what the device wrote to others")
  func hiddenField() throws {
    try write(minutes: 77, in: [1, 2])
    try allow(try only(.role(readable: .allExcept(["taskName"]))))
    try change("taskName", to: .string("secret"), of: 1)
    try change("completed", to: .bool(true), of: 1)
    try change("taskName", to: .string("public"), of: 1)
    try allow(nil)
    let seen = try comeBack()
    #expect(!seen.contains(where: isSecret) && seen.contains { $0.path?.field == "completed" })
    #expect(try minutes([1, 2]) == [.int(77), .int(77)])
    #expect(try device.objects.value("taskName", of: TaskTracker.task(1)) == .string("public"))
    try expectEqualContents()
  }

  @Test("Objects that were read-only for a while keep what the device wrote")
  func readOnly() throws {
    try write(minutes: 77, in: [1, 3])
    try allow(try only(.role(write: "FALSEPREDICATE")))
    try change("taskName", to: .string("renamed"), of: 1)
    try allow(nil)
    _ = try comeBack()
    #expect(try minutes([1, 3]) == [.int(77), .int(77)])
    try expectEqualContents()
  }

  @Test("What the user may not see again goes, and the rest keeps what the device wrote")
  func partlyGivenAgain() throws {
    try write(minutes: 77, in: [1, 2])
    try allow(try only(.role(read: "assignee == 'bob'")))
    try change("taskName", to: .string("secret"), of: 1)
    try change("taskName", to: .string("public"), of: 1)
    try change("taskName", to: .string("secret bob"), of: 3)
    try allow(try only(.role(read: "assignee == 'alice'")))
    let seen = try comeBack()
    #expect(!seen.contains(where: isSecret))
    #expect(try minutes([1, 2]) == [.int(77), .int(77)])
    let visible = try admin.objects.contents(of: "Task").filter { $0.key != TaskTracker.task(3).key }
    #expect(try device.objects.contents(of: "Task") == visible)
  }

  @Test("A list that was written while it was hidden comes as it is now")
  func list() throws {
    try write(minutes: 77, in: [1])
    try device.write([TaskTracker.set("teamName", .string("ours"), of: TaskTracker.team(1))])
    try allow(Permissions(classes: ["Task": try .role()]))
    try admin.write([Self.member("secret", at: 1)])
    try admin.synchronize()
    let second = PropertyPath(object: TaskTracker.team(1), field: "members", path: [.index(1)])
    try admin.write([.arrayErase(second, priorSize: 2), Self.member("eve", at: 1)])
    try admin.synchronize()
    try allow(nil)
    #expect(try !comeBack().contains(where: isSecret))
    #expect(try device.objects.value("teamName", of: TaskTracker.team(1)) == .string("ours"))
    #expect(try minutes([1]) == [.int(77)])
    try expectEqualContents()
  }

  @Test("What was at a place of a list for a while is not told, even if it is in the list now")
  func placesOfList() throws {
    try allow(Permissions(classes: ["Task": try .role()]))
    let first = PropertyPath(object: TaskTracker.team(1), field: "members", path: [.index(0)])
    func replaceFirst(of size: UInt32, by name: String) throws {
      try admin.write([.update(first, .value(.string(name)), .priorSize(size))])
      try admin.synchronize()
    }
    try replaceFirst(of: 1, by: "eve")
    try admin.write([Self.member("eve", at: 1)])
    try admin.synchronize()
    try replaceFirst(of: 2, by: "ada")
    try allow(nil)
    let updates = try comeBack().filter { if case .update(first, _, _) = $0 { true } else { false } }
    #expect(updates.isEmpty)
    try expectEqualContents()
  }

  @Test("After a crash, users count as seeing nothing since permissions changed that were not noted yet")
  func crash() throws {
    try write(minutes: 77, in: [1])
    let store = try harness.engine().store
    #expect(try SyncEngine.versionOfUnnotedPermissions(store) == nil)
    let version = try harness.engine().history.version
    try change("taskName", to: .string("secret"), of: 1)
    try change("taskName", to: .string("public"), of: 1)
    try store.write { try store.set("permissions_since", to: Int64(version)) }
    try harness.restart()
    try change("completed", to: .bool(true), of: 2)
    #expect(try !comeBack().contains(where: isSecret))
    #expect(try minutes([1]) == [.int(77)])
    #expect(try SyncEngine.versionOfUnnotedPermissions(try harness.engine().store) == nil)
    try expectEqualContents()
  }

  @Test("An object that was replaced by another one of its key while it was hidden comes as a whole")
  func replaced() throws {
    try allow(try only(.role(read: "assignee == 'bob'")))
    try admin.erase(TaskTracker.task(1))
    try admin.synchronize()
    try admin.write(TaskTracker.newTask(1, assignee: "alice", minutes: 5))
    try admin.synchronize()
    try allow(nil)
    try change("completed", to: .bool(true), of: 1)
    #expect(try comeBack().contains(.eraseObject(TaskTracker.task(1))))
    try expectEqualContents()
  }

  @Test("What the device writes offline to a new object joins what others wrote to it while it was hidden")
  func newObject() throws {
    let task = TaskTracker.task(9)
    func add(_ minutes: Int64) -> Instruction {
      .addInteger(PropertyPath(object: task, field: "progressMinutes"), delta: minutes)
    }
    let new: [Instruction] = [.createObject(task), TaskTracker.set("assignee", .string("alice"), of: task)]
    try device.write(new + [add(5)])
    try device.write([add(10)])
    try allow(try only(.role(read: "assignee == 'bob'")))
    try admin.write(new + [TaskTracker.set("taskName", .string("secret"), of: task), add(100)])
    try admin.synchronize()
    try admin.write([TaskTracker.set("taskName", .string("public"), of: task), add(1_000)])
    try admin.synchronize()
    try allow(nil)
    #expect(try !comeBack().contains(where: isSecret))
    try admin.synchronize()
    #expect(try admin.objects.value("progressMinutes", of: task) == .int(1_115))
    #expect(try device.objects.value("taskName", of: task) == .string("public"))
    try expectEqualContents()
  }

  @Test("Objects that left the subscription for a while come as a whole")
  func leftTheSubscription() throws {
    device.subscribe(#"{"Task":"assignee == 'alice'"}"#)
    try device.connect()
    try device.synchronize()
    device.disconnect()
    try harness.run(until: { try harness.engine().sessionCount == 1 }, "end of the session")
    try change("assignee", to: .string("bob"), of: 1)
    try change("taskName", to: .string("secret"), of: 1)
    try change("taskName", to: .string("public"), of: 1)
    try change("assignee", to: .string("alice"), of: 1)
    let seen = try comeBack()
    #expect(!seen.contains(where: isSecret) && seen.contains(.eraseObject(TaskTracker.task(1))))
    #expect(try device.objects.value("taskName", of: TaskTracker.task(1)) == .string("public"))
  }

  @Test("The server remembers across restarts, and notices what changed while it did not run")
  func restarts() throws {
    try write(minutes: 77, in: [1])
    let narrow = try only(.role(read: "assignee == 'bob'"))
    try harness.restart { table.users[device.userID] = narrow }
    try change("taskName", to: .string("secret"), of: 1)
    try harness.restart()
    try change("taskName", to: .string("public"), of: 1)
    try harness.restart { table.users[device.userID] = nil }
    try change("completed", to: .bool(true), of: 2)
    #expect(try !comeBack().contains(where: isSecret))
    #expect(try minutes([1]) == [.int(77)])
    try expectEqualContents()
  }

  @Test("More changes than are kept apart count as if nothing had been visible")
  func manyChanges() throws {
    try write(minutes: 77, in: [1])
    for number in 0..<40 {
      try allow(number % 2 == 0 ? try only(.role(read: "assignee == 'bob'")) : nil)
      try change("taskName", to: .string("secret \(number)"), of: 1)
    }
    try allow(nil)
    try change("taskName", to: .string("public"), of: 1)
    let ident = try #require(device.file?.ident)
    let record = try #require(try harness.engine().store.file(ident: ident))
    let periods = try PassedPermissions(text: record.passedPermissions).periods
    #expect(periods.count == PassedPermissions.maximumCount)
    let seen = try comeBack()
    #expect(!seen.contains(where: isSecret))
    #expect(try minutes([1]) == [.int(77)])
    #expect(try #require(try harness.engine().store.file(ident: ident)).passedPermissions == "[]")
    try expectEqualContents()
  }
}
