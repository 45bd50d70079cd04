// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncWire
import Testing

@testable import FlexSyncEngine

@Suite("Clients that were away for too long")
struct ExpiryTests {
  private func awayClient(_ harness: Harness) throws -> SyncClient {
    let client = try SyncClient.ofAllTasks(harness)
    client.disconnect()
    try harness.run(until: { !client.isConnected })
    for _ in 0..<20 { _ = harness.loop.runPending() }
    return client
  }

  @Test("A file within the allowed time goes on, one beyond it has to start over")
  func expiry() throws {
    let time = AdjustableTime()
    let harness = try Harness(clock: time.clock)
    let client = try awayClient(harness)
    time.advance(seconds: 20 * 86400)
    try client.renewToken()
    try client.connect()
    try client.synchronize()
    #expect(client.failures.isEmpty)
    client.disconnect()
    for _ in 0..<20 { _ = harness.loop.runPending() }
    time.advance(seconds: 31 * 86400)
    try client.renewToken()
    try client.connect()
    #expect(client.failures.map(\.code) == [.clientFileExpired])
    #expect(client.failures.first?.info.action == .clientReset)
  }

  @Test("Expired files and the history that only they need are forgotten")
  func compaction() throws {
    let time = AdjustableTime()
    let harness = try Harness(clock: time.clock)
    let client = try awayClient(harness)
    let writer = try SyncClient(harness, schema: TaskTracker.schema)
    try writer.connect()
    writer.subscribe(#"{"Task":"(TRUEPREDICATE)"}"#)
    for number in 1...10 as ClosedRange<UInt32> {
      try writer.write { objects in
        let changes = TaskTracker.newTask(number, assignee: nil)
        try objects.apply(changes)
        return changes
      }
      try writer.synchronize()
    }
    let path = "\(harness.folder.path)/data/\(Harness.appID)/data.sqlite"
    try harness.restart()
    #expect(try ServerStore(path: path).history(after: 0, through: 100).count == 10)
    time.advance(seconds: 20 * 86400)
    try writer.renewToken()
    try writer.synchronize()
    writer.disconnect()
    time.advance(seconds: 11 * 86400)
    try harness.restart()
    #expect(try ServerStore(path: path).history(after: 0, through: 100).map(\.version) == [10])
    try client.renewToken()
    try client.connect()
    #expect(client.failures.map(\.code) == [.badClientFileIdent])
    try writer.renewToken()
    try writer.connect()
    try writer.synchronize()
    #expect(writer.failures.isEmpty)
    #expect(try writer.objects.contents(of: "Task").count == 10)
  }

  @Test(
    "A connected client that acknowledges nothing for too long is disconnected, and what was kept for it is forgotten"
  )
  func unresponsiveClient() throws {
    let time = AdjustableTime()
    var accounts = AccountPolicy()
    accounts.sessionSeconds = 90 * 86400
    let harness = try Harness(clock: time.clock, accounts: accounts)
    let silent = try SyncClient.ofAllTasks(harness)
    silent.acknowledges = false
    let writer = try SyncClient.ofAllTasks(harness)
    for number in 1...3 as ClosedRange<UInt32> {
      try writer.write(TaskTracker.newTask(number, assignee: nil))
      try writer.synchronize()
    }
    let (engine, file) = (try harness.engine(), try #require(silent.file))
    time.advance(seconds: 20 * 86400)
    _ = engine.compact()
    #expect(silent.isConnected && writer.isConnected)
    #expect(try engine.store.hasStreamEntries(file: file.ident))
    time.advance(seconds: 11 * 86400)
    _ = engine.compact()
    try harness.run(until: { !silent.isConnected }, "the end of the silent client")
    #expect(writer.isConnected)
    #expect(try !engine.store.hasStreamEntries(file: file.ident))
    silent.acknowledges = true
    try silent.renewToken()
    try silent.connect()
    #expect(silent.failures.map(\.info.action) == [.clientReset])
  }

  @Test("A client that connects again and again without acknowledging anything is not kept for longer")
  func reconnectingClient() throws {
    let time = AdjustableTime()
    let harness = try Harness(clock: time.clock)
    let silent = try SyncClient.ofAllTasks(harness)
    silent.acknowledges = false
    let writer = try SyncClient.ofAllTasks(harness)
    try writer.write(TaskTracker.newTask(1, assignee: nil))
    try writer.synchronize()
    for _ in 1...4 {
      silent.disconnect()
      for _ in 0..<20 { _ = harness.loop.runPending() }
      time.advance(seconds: 8 * 86400)
      try silent.renewToken()
      try silent.connect()
    }
    #expect(silent.failures.map(\.code) == [.clientFileExpired])
  }

  @Test("With recovery disabled, clients are told to drop what they have not uploaded")
  func recoveryDisabled() {
    let failure = SessionFailure.reset(.badClientFileIdent, "gone")
    #expect(failure.info(isRecoveryDisabled: false).action == .clientReset)
    let info = failure.info(isRecoveryDisabled: true)
    #expect(info.action == .clientResetNoRecovery && info.isRecoveryModeDisabled && info.shouldClientReset)
  }
}
