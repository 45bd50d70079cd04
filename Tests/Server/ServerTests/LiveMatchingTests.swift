// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncEngine

@Suite("Finding the sessions that a change concerns")
struct LiveMatchingTests {
  private static let everything = #"{"Task":"(TRUEPREDICATE)","Team":"(TRUEPREDICATE)"}"#

  private func client(_ harness: Harness, _ query: String) throws -> SyncClient {
    let client = try SyncClient(harness, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(query)
    try client.synchronize()
    return client
  }

  private func engine(_ harness: Harness) throws -> SyncEngine {
    try #require(harness.server.apps[Harness.appID]).engine
  }

  @Test("A change visits its author and those in whose view the object was or is, however many are connected")
  func visits() throws {
    let harness = try Harness()
    let writer = try client(harness, Self.everything)
    let readers = try (0..<30).map { try client(harness, #"{"Task":"(assignee == \"user \#($0)\")"}"#) }
    try writer.write { objects in
      let changes = TaskTracker.newTask(1, assignee: "user 3")
      try objects.apply(changes)
      return changes
    }
    try writer.synchronize()
    for reader in readers { try reader.synchronize() }

    let engine = try engine(harness)
    #expect(engine.sessionCount == 31)
    func visits(_ assignee: String) throws -> Int {
      let count = engine.visitCount
      try writer.write(TaskTracker.set("assignee", .string(assignee), of: TaskTracker.task(1)))
      try writer.synchronize()
      return engine.visitCount - count
    }
    // The author is visited for the upload, for its acknowledgements and for the mark; readers acknowledge what they get.
    let quiet = try visits("user 3")
    for number in [3, 7] { try readers[number].synchronize() }
    let moved = try visits("user 7")
    for number in [3, 7] { try readers[number].synchronize() }
    let unseen = try visits("nobody")
    #expect(quiet < 10 && moved < 10 && unseen < 10, "\(quiet), \(moved), \(unseen)")
    try readers[7].synchronize()
    for reader in readers { try reader.expectWhatItSelects("after the moves") }
    #expect(try readers[7].objects.contents(of: "Task").isEmpty)
  }

  @Test("Live sessions have what the evaluator selects for them after every change", arguments: 1...6)
  func randomChanges(seed: Int) throws {
    var dice = SeededGenerator(seed: UInt64(seed))
    let harness = try Harness()
    let writer = try client(harness, Self.everything)
    var readers = try (0..<12).map { _ in try client(harness, Self.randomQuery(&dice)) }
    for round in 0..<25 {
      for _ in 0..<Int.random(in: 1...4, using: &dice) { try writer.write { try Self.change($0, &dice) } }
      if Int.random(in: 0..<5, using: &dice) == 0 {
        let number = Int.random(in: 0..<readers.count, using: &dice)
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: readers[number].subscribe(Self.randomQuery(&dice))
        case 1: readers[number] = try client(harness, Self.randomQuery(&dice))
        default:
          readers[number].disconnect()
          try readers[number].connect()
        }
      }
      try writer.synchronize()
      for reader in readers {
        try reader.synchronize()
        try reader.expectWhatItSelects("seed \(seed), round \(round)")
      }
    }
    #expect(writer.failures.isEmpty && readers.allSatisfy { $0.failures.isEmpty })
  }

  @Test("A session that nothing concerned for long goes on from there when it is closed and comes back")
  func longQuiet() throws {
    let harness = try Harness()
    let writer = try client(harness, Self.everything)
    let reader = try client(harness, #"{"Task":"(progressMinutes > 100)"}"#)
    for number in 1...20 {
      try writer.write { objects in
        let changes = TaskTracker.newTask(UInt32(number), assignee: nil, minutes: 10)
        try objects.apply(changes)
        return changes
      }
    }
    try writer.synchronize()
    reader.disconnect()
    try harness.run(until: { try engine(harness).sessionCount == 1 }, "end of the session")
    let placed = try #require(try engine(harness).store.file(ident: reader.file?.ident ?? 0)).placedVersion
    #expect(placed == (try engine(harness).history.version))
    try writer.write(TaskTracker.set("progressMinutes", .int(101), of: TaskTracker.task(4)))
    try writer.synchronize()
    try reader.connect()
    try reader.synchronize()
    #expect(try Array(reader.objects.contents(of: "Task").keys) == [TaskTracker.task(4).key])
  }

  // MARK: Random queries and changes

  static func randomQuery(_ dice: inout SeededGenerator) -> String {
    let tasks = (0..<Int.random(in: 1...3, using: &dice)).map { _ in "(\(condition(&dice)))" }
    let text = tasks.joined(separator: " OR ").replacing("\"", with: "\\\"")
    let isWithTeams = Bool.random(using: &dice)
    let person = Int.random(in: 0..<4, using: &dice)
    return #"{"Task":"\#(text)""# + (isWithTeams ? #","Team":"('user \#(person)' IN members)"}"# : "}")
  }

  private static func condition(_ dice: inout SeededGenerator) -> String {
    let number = Int.random(in: 0..<8, using: &dice)
    return [
      "assignee == 'user \(number)'", "assignee IN {'user \(number)', null}",
      "progressMinutes BETWEEN {\(number * 10), \(number * 10 + 15)}", "progressMinutes > \(number * 10)",
      "taskName BEGINSWITH 'task \(number)'", "assignee != 'user \(number)'",
      "assignee ==[c] 'USER \(number)'",
      "NOT progressMinutes < \(number * 10) AND completed == false", "assignee < 'user \(number)'",
    ].randomElement(using: &dice) ?? "TRUEPREDICATE"
  }

  static func change(_ objects: ObjectStore, _ dice: inout SeededGenerator) throws -> [Instruction] {
    let number = UInt32.random(in: 1...12, using: &dice)
    let task = TaskTracker.task(number)
    let person = "user \(Int.random(in: 0..<8, using: &dice))"
    let exists = try objects.row(of: task) != nil
    if exists, Int.random(in: 0..<8, using: &dice) == 0 { return try objects.localErase(task) }
    var changes = exists ? [] : TaskTracker.newTask(number, assignee: person)
    changes += [
      TaskTracker.set("progressMinutes", .int(.random(in: 0...90, using: &dice)), of: task),
      TaskTracker.set("assignee", .string(person), of: task),
      TaskTracker.set("completed", .bool(.random(using: &dice)), of: task),
    ].shuffled(using: &dice).prefix(Int.random(in: 1...2, using: &dice))
    try objects.apply(changes)
    return changes
  }
}
