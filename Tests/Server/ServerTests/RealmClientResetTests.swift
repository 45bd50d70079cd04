// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncModel
import FlexSyncWire
import Testing

@testable import FlexSyncServer

/// A client that the server has no file of starts over: it downloads a fresh copy in a session of its own, under numbers
/// of query sets that begin at 1, and goes on with the file ident and the cursors of the copy, but with the numbers that
/// its own query sets have.
@Suite("Client resets as Realm's clients do them")
struct RealmClientResetTests {
  /// What a device has and does when it is told to start over.
  struct Device: CustomTestStringConvertible {
    /// The number of its active query set; 0 if it has no subscriptions.
    var activeVersion: UInt64
    var isRecovering: Bool
    var hasPendingSets: Bool

    var testDescription: String {
      "\(isRecovering ? "recover" : "discard"), active version \(activeVersion)"
        + (hasPendingSets ? ", pending sets" : "")
    }

    static let all: [Device] = [0, 1, 2, 3, 7, 1_000_000_007].flatMap { version in
      [true, false].flatMap { isRecovering in
        [true, false].map {
          Device(activeVersion: version, isRecovering: isRecovering, hasPendingSets: $0)
        }
      }
    }
  }

  private static let ownTasks = #"{"Task":"(assignee == \"alice\")"}"#
  private static let allTasks = #"{"Task":"(TRUEPREDICATE)"}"#
  private static let longTasks = #"{"Task":"(progressMinutes > 20)"}"#

  private let harness: Harness

  init() throws {
    harness = try Harness()
    let writer = try SyncClient(harness, schema: TaskTracker.schema)
    try writer.connect()
    writer.subscribe(Self.allTasks)
    for number in 1...3 as ClosedRange<UInt32> {
      try write(number, assignee: "alice", minutes: Int64(number) * 10, by: writer)
    }
    try writer.synchronize()
    writer.disconnect()
  }

  private func write(_ number: UInt32, assignee: String, minutes: Int64 = 10, by client: SyncClient) throws {
    try client.write(TaskTracker.newTask(number, assignee: assignee, minutes: minutes))
  }

  private func letTheServerNotice() {
    for _ in 0..<20 { _ = harness.loop.runPending() }
  }

  private func loseFiles() throws {
    letTheServerNotice()
    let store = try harness.engine().store
    _ = try store.write { try store.deleteFiles(lastSeenBefore: .max, maximumCount: 100) }
  }

  /// A client with an active query set of some number, one change that is not uploaded, and maybe sets that are pending.
  private func makeClient(_ device: Device) throws -> SyncClient {
    let client = try SyncClient(harness, schema: TaskTracker.schema)
    try client.connect()
    if device.activeVersion > 0 {
      client.newestQueryVersion = device.activeVersion - 1
      client.subscribe(Self.ownTasks)
    }
    try client.synchronize()
    #expect(client.queryVersion == device.activeVersion)
    client.disconnect()
    try addLocalWork(of: device, to: client)
    return client
  }

  private func addLocalWork(of device: Device, to client: SyncClient, number: UInt32 = 9) throws {
    if device.activeVersion > 0 { try write(number, assignee: "alice", by: client) }
    guard device.hasPendingSets else { return }
    client.subscribe(Self.longTasks)
    client.subscribe(Self.allTasks)
  }

  private func expectDemand(_ client: SyncClient) throws {
    try client.connect()
    #expect(client.failures.map(\.code) == [.badClientFileIdent])
    #expect(client.failures.first?.info.action == .clientReset)
  }

  /// Downloads the fresh copy, as often as the connection is lost.
  ///
  /// - Parameter isNumberedAnew: whether the client is restarted when the connection is lost: it then takes the same copy,
  ///   and subscribes once more.
  private func download(
    into fresh: SyncClient,
    of client: SyncClient,
    isNumberedAnew: Bool = false
  ) throws {
    fresh.subscribe(client.queryBody)
    try fresh.connect()
    while !fresh.isConnected {
      if isNumberedAnew { fresh.subscribe(client.queryBody) }
      try fresh.connect()
    }
    try fresh.synchronize()
    #expect(fresh.failures.isEmpty)
  }

  private func expectItGoesOn(_ client: SyncClient, _ device: Device, number: UInt32 = 9) throws {
    try client.connect()
    try client.synchronize()
    #expect(client.failures.isEmpty, "\(client.failures.map(\.info.message))")
    #expect(client.queryErrors.isEmpty && client.rejections.isEmpty)
    let pendingCount: UInt64 = device.hasPendingSets && device.isRecovering ? 2 : 0
    #expect(client.queryVersion == device.activeVersion + pendingCount)
    try client.expectWhatItSelects(device.testDescription)
    let isRecovered = device.isRecovering && device.activeVersion > 0
    let state = try harness.openState()
    #expect(try state.contents(of: "Task").keys.contains(TaskTracker.task(number).key) == isRecovered)
  }

  @Test("A client goes on with the number that its active set has", arguments: Device.all, [false, true])
  func numbers(device: Device, asksForIdent: Bool) throws {
    let client = try makeClient(device)
    try loseFiles()
    try expectDemand(client)
    let fresh = try SyncClient(freshCopyFor: client)
    try download(into: fresh, of: client)
    try client.reset(to: fresh, isRecovering: device.isRecovering, asksForIdent: asksForIdent)
    letTheServerNotice()
    try expectItGoesOn(client, device)
    // And so does sync, in both directions.
    let other = try SyncClient(harness, schema: TaskTracker.schema)
    try other.connect()
    other.subscribe(Self.allTasks)
    try other.synchronize()
    try write(20, assignee: "alice", minutes: 60, by: other)
    try other.synchronize()
    client.subscribe(Self.ownTasks)
    try write(21, assignee: "alice", by: client)
    for client in [client, other, client] {
      try client.synchronize()
      try client.expectWhatItSelects("afterwards")
    }
  }

  @Test("What happens while the client merges its fresh copy reaches it once", arguments: [false, true])
  func meanwhile(asksForIdent: Bool) throws {
    let device = Device(activeVersion: 3, isRecovering: true, hasPendingSets: false)
    let client = try makeClient(device)
    try loseFiles()
    try expectDemand(client)
    let fresh = try SyncClient(freshCopyFor: client)
    try download(into: fresh, of: client)
    try client.reset(to: fresh, isRecovering: true, asksForIdent: asksForIdent)
    let other = try SyncClient(harness, schema: TaskTracker.schema)
    try other.connect()
    other.subscribe(#"{"Task":"(TRUEPREDICATE)","Team":"(TRUEPREDICATE)"}"#)
    try other.synchronize()
    try write(30, assignee: "alice", by: other)
    try other.erase(TaskTracker.task(1))
    try other.write(TaskTracker.set("assignee", .string("bob"), of: TaskTracker.task(2)))
    try other.synchronize()
    try expectItGoesOn(client, device)
    #expect(
      try Set(client.objects.contents(of: "Task").keys)
        == Set([3, 9, 30].map { TaskTracker.task($0).key })
    )
  }

  @Test("What is recovered reaches the server, however many versions the fresh copy has had")
  func versionsOfTheCopy() throws {
    let device = Device(activeVersion: 1, isRecovering: true, hasPendingSets: false)
    let client = try makeClient(device)
    try loseFiles()
    try expectDemand(client)
    let fresh = try SyncClient(freshCopyFor: client)
    try download(into: fresh, of: client)
    let other = try SyncClient(harness, schema: TaskTracker.schema)
    try other.connect()
    other.subscribe(Self.allTasks)
    for number in 40...60 as ClosedRange<UInt32> {
      try write(number, assignee: "alice", by: other)
      for client in [other, fresh] { try client.synchronize() }
    }
    try client.reset(to: fresh, isRecovering: true)
    try expectItGoesOn(client, device)
  }

  @Test("The same client can start over again and again", arguments: Device.all)
  func again(device: Device) throws {
    let client = try makeClient(device)
    var device = device
    for number in 9...11 as ClosedRange<UInt32> {
      if number > 9 { try addLocalWork(of: device, to: client, number: number) }
      try loseFiles()
      try expectDemand(client)
      let fresh = try SyncClient(freshCopyFor: client)
      try download(into: fresh, of: client)
      try client.reset(to: fresh, isRecovering: device.isRecovering)
      try expectItGoesOn(client, device, number: number)
      client.disconnect()
      guard device.isRecovering else { continue }
      device.activeVersion = client.queryVersion
      device.hasPendingSets = false
    }
  }

  @Test("A fresh copy that is lost while it is downloaded is replaced by another one")
  func lostCopy() throws {
    let device = Device(activeVersion: 2, isRecovering: true, hasPendingSets: true)
    let client = try makeClient(device)
    try loseFiles()
    try expectDemand(client)
    let lost = try SyncClient(freshCopyFor: client)
    try download(into: lost, of: client)
    lost.disconnect()
    try loseFiles()
    try expectDemand(lost)
    let fresh = try SyncClient(freshCopyFor: client)
    try download(into: fresh, of: client)
    try client.reset(to: fresh, isRecovering: true)
    try expectItGoesOn(client, device)
  }

  @Test(
    "The connection may be lost at each message",
    arguments: [0, 1, 3] as [UInt64],
    [false, true]
  )
  func cuts(activeVersion: UInt64, isNumberedAnew: Bool) throws {
    try cutEverywhere(activeVersion, isNumberedAnew: isNumberedAnew, asksForIdent: false)
  }

  @Test("It may also be lost at each message to a client that asks for a new file ident after its reset")
  func cutsWithNewIdents() throws {
    try cutEverywhere(3, isNumberedAnew: false, asksForIdent: true)
  }

  private func cutEverywhere(_ activeVersion: UInt64, isNumberedAnew: Bool, asksForIdent: Bool) throws {
    let device = Device(activeVersion: activeVersion, isRecovering: true, hasPendingSets: true)
    var number: UInt32 = 100
    for cut in 1... {
      number += 1
      let client = try SyncClient(harness, schema: TaskTracker.schema)
      try client.connect()
      if activeVersion > 0 {
        client.newestQueryVersion = activeVersion - 1
        client.subscribe(Self.ownTasks)
      }
      try client.synchronize()
      client.disconnect()
      try addLocalWork(of: device, to: client, number: number)
      try loseFiles()
      try expectDemand(client)
      let fresh = try SyncClient(freshCopyFor: client)
      fresh.messagesBeforeLoss = cut
      try download(into: fresh, of: client, isNumberedAnew: isNumberedAnew)
      let remaining = fresh.messagesBeforeLoss
      try client.reset(to: fresh, isRecovering: true, asksForIdent: asksForIdent)
      client.messagesBeforeLoss = remaining
      try client.connect()
      while !client.isConnected { try client.connect() }
      try expectItGoesOn(client, device, number: number)
      let isDone = client.messagesBeforeLoss != nil
      client.disconnect()
      if isDone { break }
    }
  }

  @Test(
    "A client that counts on another set gets what that one selects",
    arguments: [14, 13]
  )
  func otherSet(protocolVersion: Int) throws {
    let version = try #require(SyncProtocolVersion(rawValue: protocolVersion))
    let device = Device(activeVersion: 5, isRecovering: true, hasPendingSets: false)
    let client = try makeClient(device)
    client.protocolVersion = version
    try loseFiles()
    try expectDemand(client)
    let fresh = try SyncClient(freshCopyFor: client)
    fresh.protocolVersion = version
    fresh.subscribe(Self.longTasks)
    try fresh.connect()
    try fresh.synchronize()
    try client.reset(to: fresh, isRecovering: true)
    try expectItGoesOn(client, device)
  }
}
