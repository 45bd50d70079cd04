// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStore
import FlexSyncTestSupport
import FlexSyncWire
import Testing

@testable import FlexSyncEngine

@Suite("Convergence of server and clients")
struct ConvergenceTests {
  private static let people = ["alice", "bob", "carol"]
  private static let queries = [
    #"{"Task":"(TRUEPREDICATE)","Team":"(TRUEPREDICATE)"}"#, #"{"Task":"(assignee == \"alice\")"}"#,
    #"{"Task":"(progressMinutes > 50) OR (assignee == \"bob\")","Team":"(members CONTAINS \"bob\")"}"#,
    #"{"Team":"(TRUEPREDICATE)"}"#, "{}",
  ]

  @Test(
    "Whatever clients do, connected or away, in the end each has what its subscriptions select",
    arguments: 1...20,
    [11, 14]
  )
  func randomHistory(seed: Int, protocolVersion: Int) throws {
    var dice = SeededGenerator(seed: UInt64(seed))
    let version = try #require(SyncProtocolVersion(rawValue: protocolVersion))
    // Batches of about one object, so that bootstraps can be interrupted.
    var limits = DeliveryLimits(messageByteCount: 100, changesetByteCount: 60)
    // And pieces of one version of the history, so that clients that were away get it in several.
    if seed % 2 == 0 {
      limits.history = HistoryLimits(recentCount: 2, pieceByteCount: 0, windowByteCount: seed % 4 * 30)
      if seed % 4 == 0 { limits.turn.stepCount = 8 }
    }
    let harness = try Harness(limits: limits)
    let clients = try (0..<3).map { _ in try SyncClient(harness, schema: TaskTracker.schema) }
    for client in clients {
      client.protocolVersion = version
      try client.connect()
      client.subscribe(Self.queries[0])
      try client.synchronize()
    }
    for _ in 0..<60 { try step(clients[Int.random(in: 0..<3, using: &dice)], harness, &dice) }
    for client in clients where !client.isConnected { try client.connect() }
    // Twice: what one client uploads last has to reach those that were synchronised before.
    for _ in 0..<2 { for client in clients { try client.synchronize() } }
    for client in clients {
      #expect(client.failures.isEmpty, "seed \(seed): \(client.failures)")
      try client.expectWhatItSelects("seed \(seed)")
    }
  }

  private func step(_ client: SyncClient, _ harness: Harness, _ dice: inout SeededGenerator) throws {
    switch Int.random(in: 0..<100, using: &dice) {
    case 0..<12:
      if client.isConnected { client.disconnect() } else { try client.connect() }
    case 12..<20:
      client.batchesBeforeLoss = Bool.random(using: &dice) ? Int.random(in: 1...4, using: &dice) : nil
      client.subscribe(Self.queries.randomElement(using: &dice) ?? "{}")
    case 20..<28: if client.isConnected { try client.synchronize() }
    case 28..<30:
      try harness.restart()
      client.disconnect()
    default: try client.write { try randomChange($0, &dice) }
    }
    for _ in 0..<Int.random(in: 0..<3, using: &dice) { _ = harness.loop.runPending() }
  }

  /// Applies a change and returns it.
  private func randomChange(_ objects: ObjectStore, _ dice: inout SeededGenerator) throws -> [Instruction] {
    let number = UInt32.random(in: 1...6, using: &dice)
    let task = TaskTracker.task(number)
    let team = TaskTracker.team(UInt32.random(in: 1...2, using: &dice))
    let person = Value.string(Self.people.randomElement(using: &dice) ?? "")
    var changes: [Instruction] = []
    let exists = try objects.row(of: task) != nil
    switch Int.random(in: 0..<10, using: &dice) {
    case 0 where exists: return try objects.localErase(task)
    case 0..<4:
      if !exists { changes = TaskTracker.newTask(number, assignee: nil) }
      changes.append(TaskTracker.set("assignee", person, of: task))
    case 4..<6:
      if !exists { changes.append(.createObject(task)) }
      changes.append(TaskTracker.set("progressMinutes", .int(.random(in: 0...100, using: &dice)), of: task))
    default: changes = try teamChange(objects, team, person, task, &dice)
    }
    try objects.apply(changes)
    return changes
  }

  private func teamChange(
    _ objects: ObjectStore,
    _ team: ObjectReference,
    _ person: Value,
    _ task: ObjectReference,
    _ dice: inout SeededGenerator
  ) throws -> [Instruction] {
    guard let table = try objects.table(named: "Team"), let row = try objects.row(of: team),
      let members = table.column(named: "members"), let tasks = table.column(named: "tasks")
    else { return [.createObject(team), TaskTracker.set("teamName", .string("team"), of: team)] }
    let isMembers = Bool.random(using: &dice)
    let column = isMembers ? members : tasks
    let count = try objects.listValues(row: row, column).count
    let field = isMembers ? "members" : "tasks"
    func path(_ index: Int) -> FlexSyncChangeset.PropertyPath {
      FlexSyncChangeset.PropertyPath(object: team, field: field, path: [.index(UInt32(index))])
    }
    let choice = Int.random(in: 0..<10, using: &dice)
    if count > 1, choice < 2 {
      return [.arrayMove(path(0), to: UInt32(count - 1), priorSize: UInt32(count))]
    }
    if count > 0, choice < 4 {
      return [.arrayErase(path(.random(in: 0..<count, using: &dice)), priorSize: UInt32(count))]
    }
    let value = isMembers ? person : .link(Link(className: "Task", key: task.key))
    return [.arrayInsert(path(.random(in: 0...count, using: &dice)), .value(value), priorSize: UInt32(count))]
  }
}

/// A stored object for the evaluator.
struct StoredRow: PredicateRow {
  private let values: [String: Value]
  private let lists: [String: [Value]]

  init(_ objects: ObjectStore, _ row: Int64, _ table: ClassTable) throws {
    var values: [String: Value] = [:]
    var lists: [String: [Value]] = [:]
    for column in table.columns {
      if column.isList {
        lists[column.schema.name] = try objects.listValues(row: row, column)
      } else {
        values[column.schema.name] = try objects.storedValue(row: row, column)
      }
    }
    self.values = values
    self.lists = lists
  }

  func value(of property: String) -> Value { values[property] ?? .null }

  func elements(of property: String) -> [Value] { lists[property] ?? [] }

  func target(of link: Link) -> StoredRow? { nil }

  func hasTarget(_ link: Link) -> Bool { true }
}
