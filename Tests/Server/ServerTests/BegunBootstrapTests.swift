// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncRules
@testable import FlexSyncServerStore

/// Whether streams are placed at once, or a step at a time.
enum Pace: CaseIterable {
  case atOnce, inManyTurns
}

/// A client keeps the batches of a bootstrap by which the server tells what the user may see now (protocol §4.3, §4.9).
@Suite("Bootstraps of other permissions that are cut short")
struct BegunBootstrapTests {
  @Test(
    "Nothing is left that the next permissions do not show, whatever was written meanwhile",
    arguments: ["alice", "bob", "carol", ""],
    Pace.allCases
  )
  func nextPermissions(name: String, pace: Pace) throws {
    let world = try World(pace)
    try world.allow("assignee != 'carol'", cutAfter: 3)
    try world.allow(name.isEmpty ? "TRUEPREDICATE" : "assignee == '\(name)'")
    try world.erase(stride(from: 2, through: 30, by: 2))
    try world.assign(stride(from: 1, through: 29, by: 2), to: "dora")
    try world.assign(100...160, to: "alice")
    try world.assign(200...260, to: "bob")
    try world.reader.connect()
    try world.reader.synchronize()
    try world.expectReaderSees { name.isEmpty || $0 == .string(name) }
  }

  @Test("The same permissions bring the same once more", arguments: [1, 3], Pace.allCases)
  func samePermissions(batchCount: Int, pace: Pace) throws {
    let world = try World(pace)
    try world.allow("assignee != 'carol'", cutAfter: batchCount)
    try world.erase(1...30)
    try world.assign(100...130, to: "carol")
    try world.reader.connect()
    try world.reader.synchronize()
    try world.expectReaderSees { $0 != .string("carol") }
  }

  @Test(
    "Several in a row leave nothing either, also when the server starts again in between",
    arguments: 1...6,
    Pace.allCases
  )
  func severalInARow(seed: Int, pace: Pace) throws {
    let world = try World(pace)
    var dice = SeededGenerator(seed: UInt64(seed))
    let names = ["alice", "bob", "carol", "dora"]
    let conditions = [
      "assignee != 'alice'", "assignee == 'bob'", "assignee != 'dora'", "taskName CONTAINS '5'",
      "assignee == 'carol'",
      "FALSEPREDICATE",
    ]
    for condition in conditions.shuffled(using: &dice) {
      try world.allow(condition, cutAfter: 1)
      let numbers = try (1...600).filter { try world.admin.objects.row(of: TaskTracker.task($0)) != nil }
        .shuffled(using: &dice).map(Int.init)
      try world.assign(numbers[..<40], to: names.randomElement(using: &dice) ?? "")
      try world.erase(numbers[40..<50])
      guard Bool.random(using: &dice) else { continue }
      try world.harness.restart()
      world.admin.disconnect()
      try world.admin.connect()
    }
    try world.allow("assignee == 'alice'")
    try world.reader.connect()
    try world.reader.synchronize()
    try world.expectReaderSees { $0 == .string("alice") }
  }

  @Test(
    "What was written offline to objects that stay visible is kept",
    arguments: ["assignee == 'alice'", "TRUEPREDICATE"],
    Pace.allCases
  )
  func offlineWrites(next: String, pace: Pace) throws {
    let world = try World(pace)
    try world.allow("assignee != 'carol'", cutAfter: 3)
    let tasks = stride(from: UInt32(1), through: 90, by: 3).map(TaskTracker.task)
    for task in tasks { try world.reader.write(TaskTracker.set("taskName", .string("offline"), of: task)) }
    try world.allow(next)
    try world.assign(300...310, to: "dora")
    try world.reader.connect()
    try world.reader.synchronize()
    try world.admin.synchronize()
    for task in tasks {
      #expect(try world.admin.objects.value("taskName", of: task) == .string("offline"))
      #expect(try world.reader.objects.value("taskName", of: task) == .string("offline"))
    }
  }

  @Test(
    "No key is told of what came when these permissions were no longer in force",
    arguments: [1, 2],
    Pace.allCases
  )
  func keysOfOthers(count: Int, pace: Pace) throws {
    let world = try World(pace)
    var seen: Set<ObjectReference> = []
    world.reader.onChangeset = { seen.formUnion($0.compactMap(\.object)) }
    try world.allow("assignee != 'carol'", cutAfter: 2)
    try world.allow("assignee == 'alice'")
    // One that the begun bootstrap would have brought, and one that was visible before it.
    try world.write([701]) { TaskTracker.newTask($0, assignee: "bob") }
    try world.write([702]) { TaskTracker.newTask($0, assignee: "carol") }
    if count == 2 {
      try world.allow("taskName CONTAINS '5'", cutAfter: 1)
      try world.write([703]) { TaskTracker.newTask($0, assignee: "alice") }
      try world.write([704]) { TaskTracker.newTask($0, assignee: "bob") }
    }
    try world.allow("assignee == 'dora'")
    try world.reader.connect()
    try world.reader.synchronize()
    #expect(try world.reader.objects.contents(of: "Task").isEmpty)
    #expect(seen.isDisjoint(with: [701, 702, 703, 704].map(TaskTracker.task)))
  }

  @Test("What came with a second one that was cut short, too, is taken away", arguments: Pace.allCases)
  func newObjectInSecond(pace: Pace) throws {
    let world = try World(pace)
    try world.allow("assignee == 'carol'", cutAfter: 1)
    // In none of the views before; the first that the second one brings.
    try world.write([0]) { [.createObject(TaskTracker.task($0))] }
    try world.write([0]) {
      [
        TaskTracker.set("taskName", .string("task 5"), of: TaskTracker.task($0)),
        TaskTracker.set("assignee", .string("bob"), of: TaskTracker.task($0)),
      ]
    }
    var hasCome = false
    world.reader.onChangeset = { changes in
      hasCome = hasCome || changes.contains { $0.object == TaskTracker.task(0) }
    }
    try world.allow("taskName CONTAINS '5'", cutAfter: 5)
    try #require(hasCome)
    try world.allow("assignee == 'alice'")
    try world.reader.connect()
    try world.reader.synchronize()
    try world.expectReaderSees { $0 == .string("alice") }
  }

  @Test(
    "What came while the device was away, and is in the bootstrap's views, is taken away afterwards",
    arguments: Pace.allCases
  )
  func newObjectBeforeTheFirst(pace: Pace) throws {
    let world = try World(pace)
    world.reader.disconnect()
    try world.harness.restart()
    world.admin.disconnect()
    try world.admin.connect()
    try world.write([701]) { TaskTracker.newTask($0, assignee: "dora") }
    try world.write([702]) { TaskTracker.newTask($0, assignee: "carol") }
    try world.allow("assignee != 'carol'", cutAfter: 3)
    try world.allow("assignee == 'alice'")
    try world.reader.connect()
    try world.reader.synchronize()
    try world.expectReaderSees { $0 == .string("alice") }
  }

  @Test(
    "The bootstrap of a new set that is cut short tells no key of what came when permissions had been taken away",
    arguments: Pace.allCases
  )
  func keysOfOthersAfterNewSet(pace: Pace) throws {
    let world = try World(pace)
    var seen: Set<ObjectReference> = []
    world.reader.onChangeset = { seen.formUnion($0.compactMap(\.object)) }
    world.reader.batchesBeforeLoss = 1
    world.reader.subscribe(#"{"Task":"(completed == true)"}"#)
    try world.harness.run(until: { !world.reader.isConnected }, "loss of the connection")
    try world.allow("assignee == 'alice'")
    try world.write([701]) { TaskTracker.newTask($0, assignee: "dora") }
    try world.reader.connect()
    try world.reader.synchronize()
    #expect(try world.reader.objects.contents(of: "Task").isEmpty)
    #expect(!seen.contains(TaskTracker.task(701)))
  }

  @Test(
    "A correction that is lost with an unfinished bootstrap is made again, also of a property that cannot be read",
    arguments: [true, false],
    Pace.allCases
  )
  func lostCorrection(isReadable: Bool, pace: Pace) throws {
    let world = try World(pace)
    let fields = FieldAccess.allExcept(["progressMinutes"])
    let role = try ClassPermission.role(readable: isReadable ? .all : fields, writable: fields)
    world.table.users[world.reader.userID] = Permissions(classes: ["Task": role])
    try world.harness.engine().permissionsMayHaveChanged(of: world.reader.userID)
    try world.reader.synchronize()
    world.reader.batchesBeforeLoss = 1
    world.reader.subscribe(#"{"Task":"(assignee != 'bob')"}"#)
    let minutes = try world.loseCorrectionOfMinutes()
    try world.admin.synchronize()
    #expect(try world.admin.objects.value("progressMinutes", of: minutes.object) == .int(0))
    try world.admin.write(TaskTracker.set("progressMinutes", .int(7), of: minutes.object))
    try world.admin.synchronize()
    try world.reader.connect()
    try world.reader.synchronize()
    let expected = Value.int(isReadable ? 7 : 0)
    #expect(try world.reader.objects.value("progressMinutes", of: minutes.object) == expected)
  }

  @Test(
    "A lost correction of a property that cannot be read is made again when other objects may be seen",
    arguments: Pace.allCases
  )
  func lostCorrectionBeforeOtherPermissions(pace: Pace) throws {
    let world = try World(pace)
    let fields = FieldAccess.allExcept(["progressMinutes"])
    func allow(_ read: String) throws {
      let role = try ClassPermission.role(read: read, readable: fields)
      world.table.users[world.reader.userID] = Permissions(classes: ["Task": role])
      try world.harness.engine().permissionsMayHaveChanged(of: world.reader.userID)
    }
    try allow("TRUEPREDICATE")
    try world.reader.synchronize()
    world.reader.messagesBeforeLoss = 1
    let minutes = try world.loseCorrectionOfMinutes()
    try allow("assignee != 'bob'")
    try world.reader.connect()
    try world.reader.synchronize()
    #expect(try world.reader.objects.value("progressMinutes", of: minutes.object) == .int(0))
    #expect(world.reader.failures.isEmpty && world.reader.rejections.isEmpty)
  }

  @Test("A client whose records cannot be read ends its own session only", arguments: Pace.allCases)
  func damagedRecords(pace: Pace) throws {
    let world = try World(pace)
    try world.allow("assignee != 'carol'", cutAfter: 3)
    try world.restart(after: "UPDATE flx_stream SET rejection = 'no JSON' WHERE kind = 2")
    try world.reader.connect()
    try world.harness.run(until: { !world.reader.failures.isEmpty }, "the failure of the session")
    try world.assign(1...3, to: "dora")
    #expect(world.admin.isConnected && world.admin.failures.isEmpty)
  }

  @Test("Files of servers that knew nothing of begun bootstraps are read", arguments: Pace.allCases)
  func olderFiles(pace: Pace) throws {
    let world = try World(pace)
    try world.allow("assignee != 'carol'", cutAfter: 3)
    try world.restart(after: "UPDATE flx_stream SET begun = NULL, needed_version = NULL")
    try world.allow("assignee == 'carol'")
    try world.reader.connect()
    try world.reader.synchronize()
    try world.expectReaderSees { $0 == .string("carol") }
  }
}

/// A server with an administrator, and a reader whose permissions change.
private final class World {
  let table = PermissionTable()
  let harness: Harness
  let admin: SyncClient
  let reader: SyncClient

  /// 600 tasks, of alice, bob and carol in turn; the reader sees those of everybody but bob.
  init(_ pace: Pace) throws {
    var limits = DeliveryLimits(messageByteCount: 2_000, changesetByteCount: 1_000)
    if pace == .inManyTurns {
      limits.turn = TurnBudget(stepCount: 60)
      limits.history = HistoryLimits(recentCount: 3, pieceByteCount: 500)
    }
    harness = try Harness(limits: limits, permissions: table)
    admin = try SyncClient(harness, schema: TaskTracker.schema)
    try admin.connect()
    admin.subscribe(PermissionTests.everything)
    try admin.write { objects in
      let changes = (1...600).flatMap {
        TaskTracker.newTask($0, assignee: ["carol", "alice", "bob"][Int($0 % 3)])
      }
      try objects.apply(changes)
      return changes
    }
    try admin.synchronize()
    reader = try SyncClient(harness, schema: TaskTracker.schema)
    table.users[reader.userID] = Permissions(classes: ["Task": try .role(read: "assignee != 'bob'")])
    try reader.connect()
    reader.subscribe(PermissionTests.everything)
    try reader.synchronize()
  }

  func allow(_ read: String) throws { try allow(read, for: reader.userID) }

  func allow(_ read: String, for userID: String) throws {
    table.users[userID] = Permissions(classes: ["Task": try .role(read: read)])
    try harness.engine().permissionsMayHaveChanged(of: userID)
  }

  /// Changes what the reader may see, and cuts the connection when it has received some of it.
  func allow(_ read: String, cutAfter batchCount: Int) throws {
    reader.batchesBeforeLoss = batchCount
    try allow(read)
    if !reader.isConnected { try reader.connect() }
    try harness.run(until: { !reader.isConnected }, "loss of the connection")
  }

  /// Has the reader create a task with minutes that it may not set, and lose its connection before it is told that the
  /// server has set them to 0.
  func loseCorrectionOfMinutes() throws -> PropertyPath {
    let minutes = PropertyPath(object: TaskTracker.task(900), field: "progressMinutes")
    try reader.write(
      .createObject(minutes.object),
      TaskTracker.set("assignee", .string("alice"), of: minutes.object),
      .update(minutes, .value(.int(25)), .isDefault(true))
    )
    try harness.run(until: { !reader.isConnected }, "loss of the connection")
    return minutes
  }

  func write(_ numbers: some Sequence<Int>, _ change: (UInt32) -> [Instruction]) throws {
    try admin.write { objects in
      let changes = numbers.flatMap { change(UInt32($0)) }
      try objects.apply(changes)
      return changes
    }
    try admin.synchronize()
  }

  func assign(_ numbers: some Sequence<Int>, to name: String) throws {
    try write(numbers) { [TaskTracker.set("assignee", .string(name), of: TaskTracker.task($0))] }
  }

  func erase(_ numbers: some Sequence<Int>) throws {
    try admin.write { objects in
      try numbers.flatMap { try objects.localErase(TaskTracker.task(UInt32($0))) }
    }
    try admin.synchronize()
  }

  func expectReaderSees(_ isVisible: (Value) -> Bool) throws {
    let expected = try admin.objects.contents(of: "Task") { row, table in
      isVisible(try StoredRow(admin.objects, row, table).value(of: "assignee"))
    }
    let found = try reader.objects.contents(of: "Task")
    let isRight = found == expected
    #expect(isRight, "\(found.count) objects, not \(expected.count)")
    #expect(reader.failures.isEmpty && reader.rejections.isEmpty)
  }

  /// Starts the server again, with its database changed meanwhile.
  func restart(after sql: String) throws {
    try harness.restart {
      let path = "\(harness.folder.path)/data/\(Harness.appID)/data.sqlite"
      let database = try Database.open(DatabaseConfiguration(location: .file(path), application: .server))
      try database.execute(sql)
    }
    admin.disconnect()
    try admin.connect()
  }
}
