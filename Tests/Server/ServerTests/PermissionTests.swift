// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncRules

@Suite("What a user may see")
struct PermissionTests {
  static let everything = #"{"Task":"(TRUEPREDICATE)","Team":"(TRUEPREDICATE)"}"#

  private let table = PermissionTable()
  private let harness: Harness

  init() throws { harness = try Harness(permissions: table) }

  /// A client whose user has permissions, or may do everything.
  private func client(_ permissions: [String: ClassPermission]? = nil, query: String = everything) throws
    -> SyncClient
  {
    let tokens = try harness.logIn()
    table.users[tokens.userID] = permissions.map(Permissions.init)
    let client = try SyncClient(harness, tokens: tokens, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(query)
    try client.synchronize()
    return client
  }

  private func grant(_ permissions: [String: ClassPermission], to client: SyncClient) throws {
    table.users[client.userID] = Permissions(classes: permissions)
    try harness.engine().permissionsMayHaveChanged(of: client.userID)
  }

  private func addTasks(_ client: SyncClient, _ assignees: String...) throws {
    try client.write { objects in
      let changes = assignees.enumerated().flatMap { number, name in
        TaskTracker.newTask(UInt32(number + 1), assignee: name)
      }
      try objects.apply(changes)
      return changes
    }
    try client.synchronize()
  }

  private func keys(_ client: SyncClient, _ className: String = "Task") throws -> Set<PrimaryKey> {
    Set(try client.objects.contents(of: className).keys)
  }

  private func key(_ number: UInt32) -> PrimaryKey { TaskTracker.task(number).key }

  // Feature 14
  @Test("A subscription brings what matches it and may be read, of the classes that a role allows")
  func bootstrap() throws {
    let admin = try client()
    try addTasks(admin, "alice", "bob", "alice")
    try admin.write(.createObject(TaskTracker.team(1)))
    try admin.synchronize()
    let alice = try client(["Task": .role(read: "assignee == 'alice'")], query: Self.everything)
    #expect(try keys(alice) == [key(1), key(3)])
    #expect(try keys(alice, "Team").isEmpty)
    let both = try client(
      ["Task": .role(read: "assignee == 'alice'")],
      query: #"{"Task":"(taskName == 'task 3') OR (assignee == 'bob')"}"#
    )
    #expect(try keys(both) == [key(3)])
    #expect(alice.queryErrors.isEmpty && alice.rejections.isEmpty)
  }

  @Test("Users whose roles differ only in how a letter is composed each see what is theirs")
  func composedLetters() throws {
    let (composed, decomposed) = ("Ren\u{E9}", "Rene\u{301}")
    let admin = try client()
    try addTasks(admin, composed, decomposed)
    let rene = try client(["Task": .role(read: "assignee == '\(composed)'")])
    let other = try client(["Task": .role(read: "assignee == '\(decomposed)'")])
    #expect(try keys(rene) == [key(1)])
    #expect(try keys(other) == [key(2)])
    try grant(["Task": .role(read: "assignee == '\(composed)'")], to: other)
    try other.synchronize()
    #expect(try keys(other) == [key(1)])
  }

  // Feature 14
  @Test("Changes come to who may read the object, as the whole object when it becomes readable")
  func steadyState() throws {
    let admin = try client()
    let alice = try client(["Task": .role(read: "assignee == 'alice'")])
    try addTasks(admin, "alice", "bob")
    try alice.synchronize()
    #expect(try keys(alice) == [key(1)])
    try admin.write(TaskTracker.set("assignee", .string("alice"), of: TaskTracker.task(2)))
    try admin.write(TaskTracker.set("assignee", .string("bob"), of: TaskTracker.task(1)))
    try admin.synchronize()
    try alice.synchronize()
    #expect(try keys(alice) == [key(2)])
    #expect(
      try alice.objects.contents(of: "Task") == admin.objects.contents(of: "Task").filter { $0.key == key(2) }
    )
  }

  @Test(
    "Fields that may not be read are never sent: not in bootstraps, changes, or objects that come into view"
  )
  func hiddenFields() throws {
    let admin = try client()
    try addTasks(admin, "alice", "bob")
    var seen: Set<String> = []
    let tokens = try harness.logIn()
    table.users[tokens.userID] = Permissions(
      classes: [
        "Task": try .role(read: "assignee == 'alice'", readable: .allExcept(["taskName", "progressMinutes"]))
      ]
    )
    let alice = try SyncClient(harness, tokens: tokens, schema: TaskTracker.schema)
    alice.onChangeset = { seen.formUnion($0.compactMap { $0.path?.field }) }
    try alice.connect()
    alice.subscribe(#"{"Task":"(TRUEPREDICATE)"}"#)
    try alice.synchronize()
    for number in 1...2 as ClosedRange<UInt32> {
      let task = TaskTracker.task(number)
      try admin.write(
        TaskTracker.set("taskName", .string("secret"), of: task),
        TaskTracker.set("completed", .bool(true), of: task),
        TaskTracker.set("assignee", .string("alice"), of: task)
      )
    }
    try admin.write(TaskTracker.set("progressMinutes", .int(99), of: TaskTracker.task(1)))
    try admin.synchronize()
    try alice.synchronize()
    #expect(try keys(alice) == [key(1), key(2)])
    #expect(try alice.objects.value("completed", of: TaskTracker.task(1)) == .bool(true))
    #expect(seen == ["assignee", "completed"])
    #expect(alice.rejections.isEmpty && alice.failures.isEmpty)
  }

  @Test("A subscription on a field that may not be read selects nothing")
  func queriesOnHiddenFields() throws {
    let admin = try client()
    try addTasks(admin, "alice", "bob")
    let alice = try client(
      ["Task": .role(readable: .allExcept(["assignee"]))],
      query: #"{"Task":"(assignee == 'bob')"}"#
    )
    #expect(try keys(alice).isEmpty)
  }

  @Test("A change of permissions brings and takes objects, without a reconnect", arguments: [14, 13])
  func liveChange(version: Int) throws {
    let admin = try client()
    try addTasks(admin, "alice", "bob", "carol")
    let reader = try client(["Task": .role(read: "assignee == 'alice'")])
    reader.disconnect()
    reader.protocolVersion = try #require(.init(rawValue: version))
    try reader.connect()
    try reader.synchronize()
    let connection = try #require(reader.connection)
    try grant(["Task": .role(read: "assignee IN {'bob', 'carol'}"), "Team": .role(of: "Team")], to: reader)
    try reader.synchronize()
    #expect(try keys(reader) == [key(2), key(3)])
    #expect(
      try reader.objects.contents(of: "Task")
        == admin.objects.contents(of: "Task").filter { $0.key != key(1) }
    )
    try grant([:], to: reader)
    try reader.synchronize()
    #expect(try keys(reader).isEmpty)
    try grant(["Task": .role()], to: reader)
    try reader.synchronize()
    #expect(try keys(reader).count == 3)
    // What comes next follows the new permissions, and what is written goes on.
    try reader.write(TaskTracker.set("taskName", .string("renamed"), of: TaskTracker.task(1)))
    try reader.synchronize()
    try admin.synchronize()
    #expect(try admin.objects.contents(of: "Task") == reader.objects.contents(of: "Task"))
    #expect(reader.connection === connection && reader.rebindCount == 0)
    #expect(reader.failures.isEmpty && reader.rejections.isEmpty)
  }

  @Test("Objects of which other fields may be read are sent anew", arguments: [14, 12])
  func changedFields(version: Int) throws {
    let admin = try client()
    try addTasks(admin, "alice", "bob")
    let reader = try client(["Task": .role(readable: .allExcept(["taskName"]))])
    reader.disconnect()
    reader.protocolVersion = try #require(.init(rawValue: version))
    try reader.connect()
    #expect(try reader.objects.value("taskName", of: TaskTracker.task(1)) == .string(""))
    try grant(["Task": .role(readable: .only(["taskName"]))], to: reader)
    try reader.synchronize()
    #expect(try reader.objects.value("taskName", of: TaskTracker.task(1)) == .string("task 1"))
    #expect(try reader.objects.value("assignee", of: TaskTracker.task(1)) == .null)
  }

  @Test(
    "Who was away gets what changed meanwhile only as far as it may be read now",
    arguments: [false, true]
  )
  func away(isRestarted: Bool) throws {
    let admin = try client()
    try addTasks(admin, "alice", "bob", "carol")
    let reader = try client(["Task": .role(read: "assignee != 'carol'")])
    #expect(try keys(reader) == [key(1), key(2)])
    reader.disconnect()
    try harness.run(until: { try harness.engine().sessionCount == 1 }, "end of the session")
    var names: [String] = []
    reader.onChangeset = { instructions in
      for case .update(_, .value(.string(let text)), _) in instructions { names.append(text) }
    }
    for number in 1...3 as ClosedRange<UInt32> {
      let task = TaskTracker.task(number)
      try admin.write(TaskTracker.set("taskName", .string("new name \(number)"), of: task))
    }
    try admin.synchronize()
    // Nobody looked at the time when the tasks were renamed.
    try grant(["Task": .role(read: "assignee IN {'bob', 'carol'} and progressMinutes < 50")], to: reader)
    try admin.write(TaskTracker.set("taskName", .string("newer name 1"), of: TaskTracker.task(1)))
    try admin.synchronize()
    if isRestarted { try harness.restart() }
    try reader.connect()
    try reader.synchronize()
    #expect(try keys(reader) == [key(2), key(3)])
    #expect(try reader.objects.value("taskName", of: TaskTracker.task(2)) == .string("new name 2"))
    #expect(try reader.objects.value("taskName", of: TaskTracker.task(3)) == .string("new name 3"))
    #expect(!names.contains { $0.hasSuffix("name 1") })
    #expect(reader.failures.isEmpty)
  }

  @Test("A bootstrap under way is begun anew when permissions change")
  func changeDuringBootstrap() throws {
    let harness = try Harness(
      limits: DeliveryLimits(messageByteCount: 10_000, changesetByteCount: 3_000),
      permissions: table
    )
    let admin = try SyncClient(harness, schema: TaskTracker.schema)
    try admin.connect()
    admin.subscribe(Self.everything)
    try admin.write { objects in
      let changes = (1...1000).flatMap { TaskTracker.newTask($0, assignee: $0 % 2 == 0 ? "alice" : "bob") }
      try objects.apply(changes)
      return changes
    }
    try admin.synchronize()
    let reader = try SyncClient(harness, schema: TaskTracker.schema)
    table.users[reader.userID] = Permissions(classes: ["Task": try .role()])
    try reader.connect()
    reader.batchesBeforeLoss = 2
    reader.subscribe(Self.everything)
    try harness.run(until: { !reader.isConnected }, "loss of the connection")
    table.users[reader.userID] = Permissions(classes: ["Task": try .role(read: "assignee == 'alice'")])
    try harness.engine().permissionsMayHaveChanged()
    try admin.write { objects in
      let changes = (1...1000).map {
        TaskTracker.set("taskName", .string("renamed"), of: TaskTracker.task($0))
      }
      try objects.apply(changes)
      return changes
    }
    try admin.synchronize()
    try reader.connect()
    try reader.synchronize()
    #expect(try keys(reader).count == 500)
    let expected = try admin.objects.contents(of: "Task") { row, table in
      try StoredRow(admin.objects, row, table).value(of: "assignee") == .string("alice")
    }
    #expect(try reader.objects.contents(of: "Task") == expected)
  }

  @Test("Who changes an object of the class with custom user data changes what its user may see")
  func customUserData() throws {
    // Teams are the custom data here: who has one may see the tasks of bob.
    table.customUserData = CustomUserDataPlace(className: "Team", userField: "teamName")
    try harness.restart()
    let admin = try client()
    try addTasks(admin, "alice", "bob")
    let reader = try SyncClient(harness, schema: TaskTracker.schema)
    table.lookUp = { [harness] userID in
      guard userID == reader.userID else { return .open(TaskTracker.schema) }
      let isThere = try !harness.engine().store.objects.contents(of: "Team").isEmpty
      return Permissions(classes: ["Task": try .role(read: isThere ? "assignee == 'bob'" : "FALSEPREDICATE")])
    }
    try reader.connect()
    reader.subscribe(#"{"Task":"(TRUEPREDICATE)"}"#)
    try reader.synchronize()
    #expect(try keys(reader).isEmpty)
    let team = TaskTracker.team(1)
    try admin.write(.createObject(team), TaskTracker.set("teamName", .string(reader.userID), of: team))
    try admin.synchronize()
    try reader.synchronize()
    #expect(try keys(reader) == [key(2)])
    try admin.erase(team)
    try admin.synchronize()
    try reader.synchronize()
    #expect(try keys(reader).isEmpty)
  }
}
