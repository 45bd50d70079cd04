// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncWire
import Testing

@testable import FlexSyncRules

/// A realm that was synced, copied without its file ident, and is delivered with the app: it asks for an ident of its own
/// and presents the cursors that it was copied with.
@Suite("Realms that come with an app")
struct BundledRealmTests {
  private static let query = #"{"Task":"(progressMinutes > 10)","Team":"(TRUEPREDICATE)"}"#
  private static let team = TaskTracker.team(1)
  private let harness: Harness
  private let writer: SyncClient

  init() throws {
    harness = try Harness()
    writer = try SyncClient(harness, schema: TaskTracker.schema)
    try writer.connect()
    writer.subscribe(#"{"Task":"(TRUEPREDICATE)","Team":"(TRUEPREDICATE)"}"#)
    for number in 1...6 as ClosedRange<UInt32> {
      try writer.write(TaskTracker.newTask(number, assignee: nil, minutes: Int64(number) * 10))
    }
    try writer.write(.createObject(Self.team), Self.insert("ann", at: 0, of: 0))
    try writer.synchronize()
  }

  private static func insert(_ name: String, at index: UInt32, of size: UInt32) -> Instruction {
    let path = PropertyPath(object: team, field: "members", path: [.index(index)])
    return .arrayInsert(path, .value(.string(name)), priorSize: size)
  }

  private func letTheServerNotice() {
    for _ in 0..<20 { _ = harness.loop.runPending() }
  }

  /// A client from whose realm copies are made.
  private func makeSource() throws -> SyncClient {
    let source = try SyncClient(harness, schema: TaskTracker.schema)
    try source.connect()
    source.subscribe(#"{"Task":"(TRUEPREDICATE)"}"#)
    source.subscribe(Self.query)
    try source.synchronize()
    return source
  }

  private func copy(of source: SyncClient) throws -> SyncClient {
    try SyncClient(bundledCopyOf: source, schema: TaskTracker.schema)
  }

  /// Objects come, change, go, and leave and enter the view.
  private func changeTheWorld() throws {
    try writer.write(TaskTracker.newTask(7, assignee: nil, minutes: 70))
    try writer.erase(TaskTracker.task(2))
    try writer.write(TaskTracker.set("progressMinutes", .int(1), of: TaskTracker.task(3)))
    try writer.write(TaskTracker.set("progressMinutes", .int(99), of: TaskTracker.task(1)))
    try writer.write(Self.insert("bob", at: 1, of: 1))
    try writer.synchronize()
  }

  private func expectItGoesOn(_ copy: SyncClient) throws {
    while !copy.isConnected { try copy.connect() }
    try copy.synchronize()
    #expect(copy.failures.isEmpty, "\(copy.failures.map(\.info.message))")
    try copy.expectWhatItSelects("the copy")
  }

  @Test("They go on where they were copied, for any number of users, and with what was written offline")
  func goesOn() throws {
    let source = try makeSource()
    let copies = try (0..<3).map { _ in try copy(of: source) }
    source.disconnect()
    letTheServerNotice()
    try changeTheWorld()
    for (number, copy) in copies.enumerated() {
      try copy.write(TaskTracker.newTask(UInt32(20 + number), assignee: nil, minutes: 20))
      try copy.write(TaskTracker.set("assignee", .string("user \(number)"), of: TaskTracker.task(4)))
      var created: Set<ObjectReference> = []
      copy.onChangeset = { instructions in
        for case .createObject(let object) in instructions { created.insert(object) }
      }
      try expectItGoesOn(copy)
      #expect(!created.contains(TaskTracker.task(6)), "what the copy has is sent again")
    }
    for client in copies + [writer] {
      try client.synchronize()
      try client.expectWhatItSelects("in the end")
    }
    let state = try harness.openState()
    #expect(try state.value("assignee", of: TaskTracker.task(4)) == .string("user 2"))
    #expect(try state.contents(of: "Task").keys.contains(TaskTracker.task(22).key))
  }

  @Test("The connection may be lost at each message")
  func cuts() throws {
    let source = try makeSource()
    var number: UInt32 = 30
    for cut in 1... {
      let copy = try copy(of: source)
      source.disconnect()
      letTheServerNotice()
      number += 1
      try copy.write(TaskTracker.newTask(number, assignee: nil, minutes: 20))
      copy.messagesBeforeLoss = cut
      try copy.connect()
      try expectItGoesOn(copy)
      let isDone = copy.messagesBeforeLoss != nil
      copy.disconnect()
      if isDone { break }
    }
  }

  @Test("A copy whose source has gone on has to start over, and nothing is lost", arguments: [false, true])
  func sourceWentOn(hasWritten: Bool) throws {
    let source = try makeSource()
    let copy = try copy(of: source)
    if hasWritten {
      try source.write(TaskTracker.newTask(40, assignee: nil, minutes: 40))
      try source.synchronize()
    } else {
      try changeTheWorld()
      for _ in 0..<2 { try source.synchronize() }
    }
    try copy.write(TaskTracker.newTask(41, assignee: nil, minutes: 41))
    try copy.connect()
    #expect(copy.failures.map(\.code) == [.badServerVersion])
    #expect(copy.failures.first?.info.action == .clientReset)
    let fresh = try SyncClient(freshCopyFor: copy)
    fresh.subscribe(copy.queryBody)
    try fresh.connect()
    try fresh.synchronize()
    try copy.reset(to: fresh, isRecovering: true)
    try expectItGoesOn(copy)
    #expect(try harness.openState().contents(of: "Task").keys.contains(TaskTracker.task(41).key))
  }

  @Test("A user who may see less than the one whose realm was copied loses what the copy has beyond that")
  func otherPermissions() throws {
    let permissions = PermissionTable()
    let harness = try Harness(permissions: permissions)
    let source = try SyncClient(harness, schema: TaskTracker.schema)
    try source.connect()
    source.subscribe(#"{"Task":"(TRUEPREDICATE)"}"#)
    for number in 1...3 as ClosedRange<UInt32> {
      try source.write(TaskTracker.newTask(number, assignee: number == 1 ? "public" : nil))
    }
    try source.synchronize()
    let reader = try SyncClient(harness, schema: TaskTracker.schema)
    try reader.connect()
    reader.subscribe(#"{"Task":"(TRUEPREDICATE)"}"#)
    try reader.synchronize()
    let tokens = try harness.logIn()
    let copy = try SyncClient(bundledCopyOf: reader, tokens: tokens, schema: TaskTracker.schema)
    permissions.users[tokens.userID] = Permissions(classes: [
      "Task": try .role(read: #"assignee == "public""#)
    ])
    reader.disconnect()
    for _ in 0..<20 { _ = harness.loop.runPending() }
    try copy.connect()
    try copy.synchronize()
    #expect(copy.failures.isEmpty)
    #expect(try Array(copy.objects.contents(of: "Task").keys) == [TaskTracker.task(1).key])
  }
}
