// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncServerStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncServer

@Suite("Files do not grow without bound")
struct GrowthTests {
  private static let everything = #"{"Task":"(TRUEPREDICATE)","Team":"(TRUEPREDICATE)"}"#

  private func client(_ harness: Harness) throws -> SyncClient {
    let client = try SyncClient(harness, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(Self.everything)
    try client.synchronize()
    return client
  }

  /// What the store has.
  private struct Size: CustomStringConvertible {
    let history: Int64
    let stream: Int64
    let reciprocals: Int64
    let files: Int64
    let state: ServerStore.LogState

    init(_ store: ServerStore) throws {
      func count(_ table: String) throws -> Int64 {
        try store.database.withStatement("SELECT count(*) FROM \(table)") { try $0.step() ? $0.int(0) : 0 }
      }
      history = try count("flx_history")
      stream = try count("flx_stream")
      reciprocals = try count("flx_reciprocals")
      files = try count("flx_files")
      state = try store.checkpoint()
    }

    var description: String {
      "\(history) versions, \(stream) entries, \(reciprocals) reciprocals, \(files) files, "
        + "\(state.databaseByteCount) bytes"
    }
  }

  /// A day of work of both clients on the same objects.
  private func work(_ clients: [SyncClient], _ dice: inout SeededGenerator) throws {
    for _ in 0..<4 {
      // Before either hears of the other, so that there is something to merge.
      for client in clients {
        for _ in 0..<3 { try client.write { try LiveMatchingTests.change($0, &dice) } }
      }
      for client in clients { try client.synchronize() }
    }
  }

  @Test("While clients work, one is away and expires, the store keeps what somebody needs, and no more")
  func longRun() throws {
    var dice = SeededGenerator(seed: 1)
    let time = AdjustableTime()
    let harness = try Harness(clock: time.clock)
    let engine = try #require(harness.server.apps[Harness.appID]).engine
    let clients = [try client(harness), try client(harness)]
    let away = try client(harness)
    away.disconnect()
    try harness.run(until: { engine.sessionCount == 2 }, "end of the session")

    func day() throws -> Size {
      try work(clients, &dice)
      for client in clients { try client.synchronize() }
      time.advance(seconds: 86400)
      while engine.compact() {}
      return try Size(engine.store)
    }
    var sizes: [Size] = []
    for _ in 0..<50 { sizes.append(try day()) }

    // While the third may come back, its history stays; when it has expired, only the newest versions do.
    #expect(sizes[20].history > 400 && sizes[20].files == 3, "\(sizes[20])")
    for size in sizes[35...] {
      #expect(size.history < 30 && size.stream < 20 && size.reciprocals < 20 && size.files == 2, "\(size)")
      #expect(size.state.byteCount < 5 << 20 && !size.state.isPinned)
    }
    let peak = sizes[..<35].map(\.state.databaseByteCount).max() ?? 0
    #expect(sizes[35...].allSatisfy { $0.state.databaseByteCount <= peak }, "\(peak), \(sizes)")
    for client in clients {
      #expect(client.failures.isEmpty && client.historyCount == 0)
      try client.expectWhatItSelects("after all")
    }
    try away.renewToken()
    try away.connect()
    #expect(away.failures.map(\.code) == [.badClientFileIdent])
  }

  @Test("Forgetting goes in steps, and gives the space back to the file system")
  func space() throws {
    let time = AdjustableTime()
    let harness = try Harness(clock: time.clock)
    let engine = try #require(harness.server.apps[Harness.appID]).engine
    let writer = try client(harness)
    let away = try client(harness)
    away.disconnect()
    try harness.run(until: { engine.sessionCount == 1 }, "end of the session")
    let name = String(repeating: "x", count: 8000)
    try writer.write { objects in
      let changes = TaskTracker.newTask(1, assignee: nil)
      try objects.apply(changes)
      return changes
    }
    for number in 0..<2500 {
      try writer.write(TaskTracker.set("taskName", .string("\(number) \(name)"), of: TaskTracker.task(1)))
    }
    try writer.synchronize()
    let before = try Size(engine.store)
    time.advance(seconds: 40 * 86400)
    var steps = 1
    while engine.compact() { steps += 1 }
    let after = try Size(engine.store)
    #expect(before.history > 2500 && after.history == 1)
    #expect(steps > 3)
    #expect(before.state.databaseByteCount > 20_000_000, "\(before)")
    #expect(after.state.databaseByteCount < 6_000_000, "\(after)")
  }

  @Test("Log-ins that have expired are forgotten")
  func logins() throws {
    let time = AdjustableTime()
    let harness = try Harness(clock: time.clock)
    let engine = try #require(harness.server.apps[Harness.appID]).engine
    for _ in 0..<3 { _ = try harness.logIn() }
    func count() throws -> Int64 {
      try engine.store.database.withStatement("SELECT count(*) FROM flx_logins") {
        try $0.step() ? $0.int(0) : 0
      }
    }
    _ = engine.compact()
    #expect(try count() == 3)
    time.advance(seconds: 365 * 86400)
    _ = engine.compact()
    #expect(try count() == 0)
  }
}
