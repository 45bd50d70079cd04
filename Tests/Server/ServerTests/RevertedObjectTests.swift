// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncScheduling
import FlexSyncTestSupport
import FlexSyncWire
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncRules

@Suite("Writes to objects of which an earlier write was refused")
struct RevertedObjectTests {
  private let table = PermissionTable()
  private let harness: Harness

  init() throws { harness = try Harness(permissions: table) }

  private func connect(_ permission: ClassPermission? = nil, query: String = "TRUEPREDICATE") throws
    -> SyncClient
  {
    try harness.connect(permission, in: table, #"{"Task":"(\#(query))"}"#)
  }

  @Test(
    "An error that reverts nothing does not count against later writes, which others may have overwritten"
  )
  func errorWithoutRevert() throws {
    let admin = try connect()
    let task = TaskTracker.task(1)
    try admin.write(TaskTracker.newTask(1, assignee: "bob"))
    try admin.synchronize()
    let userID = try harness.logIn().userID
    table.users[userID] = Permissions(classes: ["Task": try .role(write: "assignee == 'alice'")])
    let alice = try DirectClient(harness, userID, #"{"Task":"(TRUEPREDICATE)"}"#)
    func head() -> ServerVersion { alice.downloads.last?.progress.download.serverVersion ?? 0 }
    func upload(_ instruction: Instruction, _ version: ClientVersion, base: ServerVersion) {
      let entry = UploadEntry(
        clientVersion: version,
        serverVersion: base,
        timestamp: 1,
        changeset: ChangesetCodec.encode([instruction])
      )
      alice.channel.put(
        .upload(
          UploadMessage(
            session: 1,
            progress: UploadCursor(clientVersion: version, serverVersion: base),
            lockedServerVersion: base,
            entries: [entry]
          )
        )
      )
      alice.turn()
    }
    let first = head()
    upload(TaskTracker.set("taskName", .string("refused"), of: task), 2, base: first)
    let reverting = head()
    upload(TaskTracker.set("progressMinutes", .int(7), of: task), 3, base: first)
    #expect(head() > reverting && reverting > first)
    try admin.write(TaskTracker.set("taskName", .string("newer"), of: task))
    try admin.synchronize()
    upload(TaskTracker.set("taskName", .string("older"), of: task), 4, base: reverting)
    let versions = alice.channel.received.compactMap { message -> ClientVersion? in
      if case .error(let error) = message { error.info.rejectedClientVersion } else { nil }
    }
    #expect(versions == [2, 3])
  }

  @Test("An object that a device has created anew is taken back even if a bootstrap might have taken it")
  func sparedByABootstrap() throws {
    let engine = try harness.engine()
    let admin = try connect()
    let userID = try harness.logIn().userID
    func allow(_ read: String) throws {
      let role = try ClassPermission.role(read: read, write: "assignee == 'alice'")
      table.users[userID] = Permissions(classes: ["Task": role])
    }
    try allow("TRUEPREDICATE")
    let everything = #"{"Task":"(TRUEPREDICATE)"}"#
    let alice = try DirectClient(harness, userID, everything)
    while engine.runTurn() {}
    alice.channel.isWritable = false
    alice.upload(TaskTracker.newTask(1, assignee: "bob"), version: 2)
    while engine.runTurn() {}
    alice.channel.onClose?(ChannelClosure(code: nil, reason: "", error: nil))
    // The deletion is later than what reverts the first object, and earlier than the bootstrap.
    let deleted = WallClock.system.wireTimestamp + 1
    while WallClock.system.wireTimestamp <= deleted + 4 {}
    // Alice might see this one, but never hears of it.
    try admin.write(TaskTracker.newTask(1, assignee: "bob"))
    try admin.synchronize()
    try allow("assignee == 'alice'")
    engine.permissionsMayHaveChanged(of: userID)
    let channel = try alice.comeBack(to: harness, userID, everything)
    while engine.runTurn() {}
    let written = [[.eraseObject(TaskTracker.task(1))], TaskTracker.newTask(1, assignee: "bob")]
    alice.upload(changesets: written, version: 3, over: channel, timestamp: deleted)
    while engine.runTurn() {}
    let entries = channel.received.flatMap { message in
      if case .download(let download) = message { download.entries } else { [DownloadEntry]() }
    }
    let taken = try entries.filter { entry in
      try ChangesetCodec.decode(entry.changeset).instructions.contains(.eraseObject(TaskTracker.task(1)))
    }
    #expect(taken.map(\.clientVersion).contains(4), "\(taken.map(\.clientVersion))")
  }

  @Test(
    "A write is rejected if its object has left the view, or has been deleted, and is back before the write arrives",
    arguments: [true, false]
  )
  func returnedObject(isDeleted: Bool) throws {
    let admin = try connect()
    let task = TaskTracker.task(1)
    try admin.write(TaskTracker.newTask(1, assignee: "alice"))
    try admin.synchronize()
    let alice = try connect(query: "progressMinutes < 50")
    alice.disconnect()
    try alice.write(TaskTracker.set("taskName", .string("offline"), of: task))
    if isDeleted {
      try admin.erase(task)
      try admin.write(TaskTracker.newTask(1, assignee: "bob"))
    } else {
      for minutes in [90, 10] as [Int64] {
        try admin.write(TaskTracker.set("progressMinutes", .int(minutes), of: task))
        try admin.synchronize()
      }
    }
    try admin.synchronize()
    try alice.connect()
    try alice.synchronize()
    #expect(alice.rejections.map(\.key) == [task.key])
    #expect(alice.rejections.first?.detail?.contains("removed from the query view") == true)
    let contents = try admin.objects.contents(of: "Task")[task.key]
    #expect(try alice.objects.contents(of: "Task")[task.key] == contents)
    try alice.write(TaskTracker.set("taskName", .string("online"), of: task))
    try alice.synchronize()
    #expect(alice.rejections.count == 1)
  }

  @Test(
    "Each write is either kept or answered with one error, whatever others, restarts and lost connections do meanwhile",
    arguments: 1...40 as ClosedRange<UInt64>
  )
  func random(seed: UInt64) throws {
    var dice = SeededGenerator(seed: seed)
    let admin = try connect()
    for number in 1...3 as ClosedRange<UInt32> {
      try admin.write(TaskTracker.newTask(number, assignee: number == 1 ? "bob" : "alice"))
    }
    try admin.synchronize()
    let alice = try connect(.role(write: "assignee == 'alice'"), query: "progressMinutes < 50")
    var written: [String: ObjectReference] = [:]
    var kept: Set<String> = []
    var deleted: Set<ObjectReference> = []
    admin.onChangeset = { instructions in
      for case .update(_, .value(.string(let name)), _) in instructions { kept.insert(name) }
    }
    for step in 0..<60 {
      let task = TaskTracker.task(.random(in: 1...3, using: &dice))
      let exists = try admin.objects.contents(of: "Task")[task.key] != nil
      switch Int.random(in: 0..<12, using: &dice) {
      case 0..<6:
        guard try alice.objects.contents(of: "Task")[task.key] != nil else { continue }
        let name = "write \(step)"
        written[name] = task
        try alice.write(TaskTracker.set("taskName", .string(name), of: task))
      case 6 where exists:
        let assignee = Bool.random(using: &dice) ? "alice" : "bob"
        try admin.write(TaskTracker.set("assignee", .string(assignee), of: task))
        try admin.synchronize()
      case 7 where exists:
        // Out of the view, or back into it.
        let minutes: Int64 = Bool.random(using: &dice) ? 90 : 10
        try admin.write(TaskTracker.set("progressMinutes", .int(minutes), of: task))
        try admin.synchronize()
      case 8: alice.isConnected ? alice.disconnect() : try alice.connect()
      case 9 where step % 3 == 0:
        let wasConnected = alice.isConnected
        try harness.restart()
        admin.disconnect()
        try admin.connect()
        alice.disconnect()
        if wasConnected { try alice.connect() }
      case 10 where exists && step % 5 == 0:
        deleted.insert(task)
        try admin.erase(task)
        try admin.synchronize()
      case 10: if alice.isConnected { try alice.synchronize() }
      default: for _ in 0..<3 { _ = harness.loop.runPending() }
      }
    }
    if !alice.isConnected { try alice.connect() }
    try alice.synchronize()
    try admin.synchronize()
    for number in 1...3 as ClosedRange<UInt32> {
      let task = TaskTracker.task(number)
      let lost = written.filter { $0.value == task && !kept.contains($0.key) }
      let errors = alice.rejections.filter { $0.key == task.key }
      if deleted.contains(task) {
        // That a deletion takes concurrent writes with it is no error.
        #expect(errors.count <= lost.count)
      } else {
        #expect(errors.count == lost.count, "\(lost.keys.sorted()), \(errors)")
      }
      if let mine = try alice.objects.contents(of: "Task")[task.key] {
        #expect(try admin.objects.contents(of: "Task")[task.key] == mine)
      }
    }
  }
}
