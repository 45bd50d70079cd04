// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import FlexSyncWire
import Testing

@testable import FlexSyncEngine

@Suite("Random permissions, subscriptions and changes")
struct RandomPermissionTests {
  /// A query set, and for the oracle what it selects; conditions on fields that are hidden select nothing.
  private struct Query: Sendable {
    let body: String
    let selects: @Sendable (_ className: String, TaskFields, _ hidden: Set<String>) -> Bool
  }

  private static let queries = [
    Query(body: #"{"Task":"(TRUEPREDICATE)","Team":"(TRUEPREDICATE)"}"#) { _, _, _ in true },
    Query(body: #"{"Task":"(assignee == \"alice\")"}"#) { className, task, hidden in
      className == "Task" && !hidden.contains("assignee") && task.assignee == "alice"
    },
    Query(
      body: #"{"Task":"(progressMinutes > 50) OR (assignee == \"bob\")","Team":"(TRUEPREDICATE)"}"#
    ) { className, task, hidden in
      className == "Team" || !hidden.contains("progressMinutes") && task.minutes > 50
        || !hidden.contains("assignee") && task.assignee == "bob"
    },
    Query(body: "{}") { _, _, _ in false },
  ]

  /// The parts of one run.
  private final class World {
    let table = PermissionTable()
    let harness: Harness
    let oracle: PermissionOracle
    var clients: [SyncClient] = []
    var dice: SeededGenerator
    let words: String

    init(seed: Int) throws {
      words = "seed \(seed)"
      dice = SeededGenerator(seed: UInt64(seed))
      // Batches of about one object, so that bootstraps can be interrupted, and pieces of one version of the history.
      var limits = DeliveryLimits(messageByteCount: 100, changesetByteCount: 60)
      if seed % 2 == 0 {
        limits.history = HistoryLimits(recentCount: 2, pieceByteCount: 0, windowByteCount: seed % 4 * 30)
        if seed % 4 == 0 { limits.turn.stepCount = 8 }
      }
      harness = try Harness(limits: limits, permissions: table)
      oracle = PermissionOracle(words, clientCount: 3)
      for number in 0..<3 {
        let client = try SyncClient(harness, schema: TaskTracker.schema)
        // One speaks a protocol in which the server starts no bootstraps.
        if number == 2, seed % 3 == 0, let old = SyncProtocolVersion(rawValue: 12) {
          client.protocolVersion = old
        }
        clients.append(client)
      }
      for (number, client) in clients.enumerated() {
        client.onChangeset = { [unowned self] instructions in
          do { try read() } catch { Issue.record("\(words): \(error)") }
          oracle.check(instructions, to: number)
        }
        try client.connect()
        client.subscribe(RandomPermissionTests.queries[0].body)
        try client.synchronize()
      }
    }

    func read() throws {
      var files: [UInt64: Int] = [:]
      for (number, client) in clients.enumerated() {
        if let ident = client.file?.ident { files[ident] = number }
      }
      try oracle.read(try harness.engine().store, clients: files)
    }
  }

  @Test(
    "Clients have what they subscribe to and may read, and are never sent anything else; what is taken from them they may write",
    arguments: 1...30
  )
  func randomHistory(seed: Int) throws {
    let world = try World(seed: seed)
    for round in 1...4 {
      for _ in 0..<30 { try step(world) }
      for client in world.clients where !client.isConnected { try client.connect() }
      // Twice: what one client uploads last has to reach those that were synchronised before.
      for _ in 0..<2 { for client in world.clients { try client.synchronize() } }
      try world.read()
      for number in world.clients.indices { try expectWhatItMaySee(world, number, "round \(round)") }
    }
    #expect(world.oracle.checkCount > 0)
  }

  private func step(_ world: World) throws {
    let number = Int.random(in: 0..<3, using: &world.dice)
    let client = world.clients[number]
    switch Int.random(in: 0..<100, using: &world.dice) {
    case 0..<12:
      if client.isConnected { client.disconnect() } else { try client.connect() }
    case 12..<20:
      client.batchesBeforeLoss =
        Bool.random(using: &world.dice) ? Int.random(in: 1...4, using: &world.dice) : nil
      client.subscribe(Self.queries.randomElement(using: &world.dice)?.body ?? "{}")
    case 20..<34: try changePermissions(world, number)
    case 34..<42: if client.isConnected { try client.synchronize() }
    case 42..<44:
      try world.harness.restart()
      client.disconnect()
    default: try client.write { try randomChange($0, world, number) }
    }
    for _ in 0..<Int.random(in: 0..<3, using: &world.dice) { _ = world.harness.loop.runPending() }
  }

  private func changePermissions(_ world: World, _ number: Int) throws {
    let role = TestRole.random(&world.dice)
    let client = world.clients[number]
    let engine = try world.harness.engine()
    world.table.users[client.userID] = try role.permissions
    world.oracle.change(number, to: role, at: engine.history.version)
    engine.permissionsMayHaveChanged(of: Bool.random(using: &world.dice) ? client.userID : nil)
  }

  private func randomChange(_ objects: ObjectStore, _ world: World, _ number: Int) throws -> [Instruction] {
    let task = TaskTracker.task(.random(in: 1...6, using: &world.dice))
    let team = TaskTracker.team(.random(in: 1...2, using: &world.dice))
    let exists = try objects.row(of: task) != nil
    let token = Value.string(world.oracle.newToken(by: number))
    var changes: [Instruction] = []
    switch Int.random(in: 0..<12, using: &world.dice) {
    case 0 where exists: return try objects.localErase(task)
    case 1..<3:
      if try objects.row(of: team) == nil { changes.append(.createObject(team)) }
      changes.append(TaskTracker.set("teamName", token, of: team))
    case 3..<5 where try objects.row(of: team) != nil:
      guard let table = try objects.table(named: "Team"), let row = try objects.row(of: team),
        let column = table.column(named: "members")
      else { return [] }
      let count = UInt32(try objects.listValues(row: row, column).count)
      let path = PropertyPath(object: team, field: "members", path: [.index(count)])
      changes = [.arrayInsert(path, .value(token), priorSize: count)]
    default:
      if !exists { changes.append(.createObject(task)) }
      let person = ["alice", "bob", "carol"].randomElement(using: &world.dice) ?? ""
      changes +=
        [
          TaskTracker.set("assignee", .string(person), of: task),
          TaskTracker.set("taskName", token, of: task),
          TaskTracker.set("progressMinutes", .int(.random(in: 0...100, using: &world.dice)), of: task),
          TaskTracker.set("completed", .bool(.random(using: &world.dice)), of: task),
          .update(
            PropertyPath(object: task, field: "completed"),
            .value(.bool(.random(using: &world.dice))),
            .isDefault(true)
          ),
        ].shuffled(using: &world.dice).prefix(Int.random(in: 1...3, using: &world.dice))
    }
    try objects.apply(changes)
    return changes
  }

  private func expectWhatItMaySee(_ world: World, _ number: Int, _ words: String) throws {
    let client = world.clients[number]
    let role = world.oracle.role(of: number)
    let words = "\(world.words), \(words), client \(number), \(client.queryBody), \(role)"
    #expect(client.failures.isEmpty, "\(words): \(client.failures)")
    let query = try #require(Self.queries.first { $0.body == client.queryBody })
    let state = try world.harness.openState()
    for className in ["Task", "Team"] {
      var expected = try state.contents(of: className) { row, table in
        var task = TaskFields()
        if className == "Task" {
          let stored = try StoredRow(state, row, table)
          if case .string(let name) = stored.value(of: "assignee") { task.assignee = name }
          if case .int(let minutes) = stored.value(of: "progressMinutes") { task.minutes = minutes }
        }
        return query.selects(className, task, role.hidden) && role.canRead(className, task)
      }
      expected = expected.mapValues { instructions in
        instructions.filter { $0.path.map { role.shows($0.field, of: className) } ?? true }
      }
      #expect(try client.objects.contents(of: className) == expected, "\(words)")
    }
  }
}
