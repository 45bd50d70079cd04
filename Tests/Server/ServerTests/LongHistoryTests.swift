// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncEngine

@Suite("Long stretches of history")
struct LongHistoryTests {
  private static let everything = #"{"Task":"(TRUEPREDICATE)","Team":"(TRUEPREDICATE)"}"#

  private func client(_ harness: Harness, _ query: String) throws -> SyncClient {
    let client = try SyncClient(harness, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(query)
    try client.synchronize()
    return client
  }

  private func plan(_ source: StreamSource, _ view: View, after version: UInt64) throws -> [PlannedEntry] {
    var plan: [PlannedEntry] = []
    try StreamPlanner(source).plan(view, after: version) { plan.append($0) }
    return plan
  }

  /// What a stretch means that is gone through a step at a time.
  private func planInSteps(
    _ source: StreamSource,
    _ view: View,
    after version: UInt64,
    excluding author: UInt64? = nil
  ) throws -> [PlannedEntry] {
    let exceptions = Stretch.Exceptions(author: author)
    let stretch = Stretch(ViewChange(view), after: version, from: source, exceptions: exceptions)
    var plan: [PlannedEntry] = []
    while try !stretch.goOn(TurnMeter(TurnBudget(stepCount: 1), now: { 0 }), { plan.append($0) }) {}
    return plan
  }

  @Test("Read in pieces, a stretch means the same for a view as read at once", arguments: 1...4)
  func pieces(seed: Int) throws {
    var dice = SeededGenerator(seed: UInt64(seed))
    let harness = try Harness()
    let writer = try client(harness, Self.everything)
    for _ in 0..<80 { try writer.write { try LiveMatchingTests.change($0, &dice) } }
    try writer.synchronize()
    let engine = try #require(harness.server.apps[Harness.appID]).engine
    func source(_ limits: HistoryLimits) throws -> StreamSource {
      let history = try CommittedHistory(store: engine.store, limits: limits)
      return StreamSource(engine.store, history: history, schema: engine.schema)
    }
    let whole = try source(HistoryLimits())
    for pieceByteCount in [0, 300, 2000] {
      let inPieces = try source(HistoryLimits(pieceByteCount: pieceByteCount))
      for _ in 0..<10 {
        let view = try engine.schema.view(body: LiveMatchingTests.randomQuery(&dice))
        let version = UInt64.random(in: 0..<inPieces.history.version, using: &dice)
        let expected = try plan(whole, view, after: version)
        #expect(try plan(inPieces, view, after: version) == expected, "\(view.body) after \(version)")
        #expect(try planInSteps(inPieces, view, after: version) == expected, "\(view.body) after \(version)")
        #expect(try planInSteps(inPieces, view, after: version, excluding: writer.file?.ident).isEmpty)
      }
    }
  }

  @Test("A piece is as large as allowed, and the newest versions in memory too")
  func sizes() throws {
    let harness = try Harness()
    let writer = try client(harness, Self.everything)
    for number in 1...100 as ClosedRange<UInt32> {
      try writer.write { objects in
        let task = TaskTracker.task(number)
        let changes =
          TaskTracker.newTask(number, assignee: nil)
          + [TaskTracker.set("taskName", .string(String(repeating: "x", count: 1000)), of: task)]
        try objects.apply(changes)
        return changes
      }
    }
    try writer.synchronize()
    let engine = try #require(harness.server.apps[Harness.appID]).engine
    let limits = HistoryLimits(recentCount: 50, recentByteCount: 20_000, pieceByteCount: 10_000)
    let history = try CommittedHistory(store: engine.store, limits: limits)
    var counts: [Int] = []
    try history.forEachPiece(after: 0) { counts.append($0.count) }
    #expect(counts.reduce(0, +) == Int(history.version) && (counts.max() ?? 0) <= 11, "\(counts)")
    try engine.store.write {
      for number in 1...100 as ClosedRange<UInt32> {
        let name = Value.string(String(repeating: "y", count: 1000))
        try history.append(
          stamp: OriginStamp(timestamp: 1, fileIdent: 1),
          instructions: [TaskTracker.set("taskName", name, of: TaskTracker.task(number))],
          objects: [],
          schema: engine.schema
        )
      }
    }
    #expect(history.recentCount > 5 && history.recentCount <= 20)
    #expect(try history.piece(after: history.version - 5).count == 5)
    let all = try history.piece(after: history.version - 60)
    #expect(all.first?.entry.version == history.version - 59 && all.count <= 11)
  }

  @Test("What would be too long as one changeset comes as several that do the same")
  func parts() throws {
    let instructions = (1...100).flatMap { TaskTracker.newTask($0, assignee: "alice") }
    let parts = ChangesetCodec.encodeInParts(instructions, notLongerThan: 500)
    #expect(parts.count > 5 && parts.allSatisfy { $0.count <= 500 })
    #expect(try parts.flatMap { try ChangesetCodec.decode($0).instructions } == instructions)
    let whole = ChangesetCodec.encode(instructions)
    #expect(ChangesetCodec.encodeInParts(instructions) == [whole])
    #expect(try ChangesetCodec.parts(of: whole, notLongerThan: 500) == parts)
    #expect(try ChangesetCodec.parts(of: whole) == [whole])
    #expect(ChangesetCodec.encodeInParts([]) == [ChangesetCodec.encode([])])
  }
}
