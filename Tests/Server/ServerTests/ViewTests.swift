// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncStore
import FlexSyncWire
import Testing

@testable import FlexSyncEngine

@Suite("What a client sees")
struct ViewTests {
  private let alice = #"{"Task":"(assignee == \"alice\")"}"#
  private let bob = #"{"Task":"(assignee == \"bob\")"}"#
  private let aliceAndDora = #"{"Task":"(assignee == \"alice\" OR assignee == \"dora\")"}"#
  private let everything = #"{"Task":"(TRUEPREDICATE)","Team":"(TRUEPREDICATE)"}"#

  private func client(_ harness: Harness, _ query: String) throws -> SyncClient {
    let client = try SyncClient(harness, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(query)
    try client.synchronize()
    return client
  }

  private func tasks(_ client: SyncClient) throws -> Set<PrimaryKey> {
    Set(try client.objects.contents(of: "Task").keys)
  }

  private func key(_ number: UInt32) -> PrimaryKey { TaskTracker.task(number).key }

  @Test("A subscription brings what matches it, and nothing else")
  func bootstrap() throws {
    let harness = try Harness()
    let writer = try client(harness, everything)
    try writer.write { objects in
      let changes = TaskTracker.newTask(1, assignee: "alice") + TaskTracker.newTask(2, assignee: "bob")
      try objects.apply(changes)
      return changes
    }
    try writer.synchronize()
    let reader = try client(harness, alice)
    #expect(try tasks(reader) == [key(1)])
  }

  @Test("Subscriptions that differ only in how a letter is composed bring different objects")
  func composedLetters() throws {
    let harness = try Harness()
    let writer = try client(harness, everything)
    let names = ["Ren\u{E9}", "Rene\u{301}"]
    for (number, name) in zip([1, 2] as [UInt32], names) {
      try writer.write(TaskTracker.newTask(number, assignee: name))
    }
    try writer.synchronize()
    let queries = names.map { #"{"Task":"(assignee == \"\#($0)\")"}"# }
    let readers = try queries.map { try client(harness, $0) }
    #expect(try readers.map(tasks) == [[key(1)], [key(2)]])
    readers[0].subscribe(queries[1])
    try readers[0].synchronize()
    #expect(try tasks(readers[0]) == [key(2)])
  }

  @Test("A changed subscription brings what is new and takes what no longer matches")
  func changedSubscription() throws {
    let harness = try Harness()
    let client = try client(harness, everything)
    try client.write { objects in
      let changes = TaskTracker.newTask(1, assignee: "alice") + TaskTracker.newTask(2, assignee: "bob")
      try objects.apply(changes)
      return changes
    }
    client.subscribe(#"{"Task":"(assignee == \"bob\")"}"#)
    try client.synchronize()
    #expect(try tasks(client) == [key(2)])
    client.subscribe("{}")
    try client.synchronize()
    #expect(try tasks(client).isEmpty)
    client.subscribe(everything)
    try client.synchronize()
    #expect(try tasks(client) == [key(1), key(2)])
  }

  @Test("Objects enter and leave the view of others when they change")
  func enteringAndLeaving() throws {
    let harness = try Harness()
    let writer = try client(harness, everything)
    let reader = try client(harness, alice)
    let task = TaskTracker.task(1)
    try writer.write { objects in
      let changes = TaskTracker.newTask(1, assignee: "bob")
      try objects.apply(changes)
      return changes
    }
    try writer.synchronize()
    try reader.synchronize()
    #expect(try tasks(reader).isEmpty)

    try writer.write(TaskTracker.set("assignee", .string("alice"), of: task))
    try writer.synchronize()
    try reader.synchronize()
    #expect(try reader.objects.contents(of: "Task") == writer.objects.contents(of: "Task"))

    try writer.write(TaskTracker.set("taskName", .string("renamed"), of: task))
    try writer.synchronize()
    try reader.synchronize()
    #expect(try reader.objects.value("taskName", of: task) == .string("renamed"))

    try writer.write(TaskTracker.set("assignee", .null, of: task))
    try writer.synchronize()
    try reader.synchronize()
    #expect(try tasks(reader).isEmpty)
    #expect(reader.rejections.isEmpty && writer.rejections.isEmpty)
  }

  @Test("An object that its author moves out of the author's view goes away, without an error")
  func leavingByOwnWrite() throws {
    let harness = try Harness()
    let client = try client(harness, alice)
    try client.write { objects in
      let changes = TaskTracker.newTask(1, assignee: "alice")
      try objects.apply(changes)
      return changes
    }
    try client.synchronize()
    try client.write(TaskTracker.set("assignee", .string("bob"), of: TaskTracker.task(1)))
    try client.synchronize()
    #expect(try tasks(client).isEmpty)
    #expect(client.rejections.isEmpty)
    #expect(try harness.openState().value("assignee", of: TaskTracker.task(1)) == .string("bob"))
  }

  @Test("A write outside the view is taken back with its reason; the rest of the transaction stands")
  func compensatingWrite() throws {
    let harness = try Harness()
    let client = try client(harness, alice)
    try client.write { objects in
      let changes = TaskTracker.newTask(1, assignee: "alice") + TaskTracker.newTask(2, assignee: "bob")
      try objects.apply(changes)
      return changes
    }
    try client.synchronize()
    #expect(try tasks(client) == [key(1)])
    let id = "65a000000000000000000002"
    #expect(client.rejections.map(\.key) == [key(2)])
    #expect(
      client.rejections.map(\.reason) == [
        "write to ObjectID(\"\(id)\") in table \"Task\" not allowed; object is outside of the current query view"
      ]
    )
    #expect(try Set(harness.openState().contents(of: "Task").keys) == [key(1)])
    // The session goes on.
    try client.write(TaskTracker.set("completed", .bool(true), of: TaskTracker.task(1)))
    try client.synchronize()
    #expect(try harness.openState().value("completed", of: TaskTracker.task(1)) == .bool(true))
  }

  @Test("The creation of an object that exists outside the view brings the whole object")
  func creatingWhatExists() throws {
    let harness = try Harness()
    let other = try client(harness, everything)
    try other.write { objects in
      let changes = TaskTracker.newTask(1, assignee: "bob", minutes: 77)
      try objects.apply(changes)
      return changes
    }
    try other.synchronize()
    let client = try client(harness, alice)
    let task = TaskTracker.task(1)
    try client.write(.createObject(task), TaskTracker.set("assignee", .string("alice"), of: task))
    try client.synchronize()
    #expect(try client.objects.value("progressMinutes", of: task) == .int(77))
    #expect(client.rejections.isEmpty)
  }

  @Test("A client that was away gets what it missed, once")
  func away() throws {
    let harness = try Harness()
    let writer = try client(harness, everything)
    let reader = try client(harness, alice)
    try writer.write { objects in
      let changes = (1...3).flatMap { TaskTracker.newTask($0, assignee: "alice") }
      try objects.apply(changes)
      return changes
    }
    try writer.synchronize()
    try reader.synchronize()
    reader.disconnect()
    try writer.write(TaskTracker.set("assignee", .string("bob"), of: TaskTracker.task(1)))
    try writer.erase(TaskTracker.task(2))
    try writer.write(TaskTracker.set("taskName", .string("renamed"), of: TaskTracker.task(3)))
    try writer.write { objects in
      let changes = TaskTracker.newTask(4, assignee: "alice")
      try objects.apply(changes)
      return changes
    }
    try writer.synchronize()
    try harness.restart()
    try reader.connect()
    try reader.synchronize()
    #expect(try tasks(reader) == [key(3), key(4)])
    #expect(try reader.objects.value("taskName", of: TaskTracker.task(3)) == .string("renamed"))
  }

  @Test("A bootstrap of many objects comes in batches, and can be interrupted anywhere")
  func interruptedBootstrap() throws {
    let harness = try Harness(limits: DeliveryLimits(messageByteCount: 10_000, changesetByteCount: 3_000))
    let writer = try client(harness, everything)
    try writer.write { objects in
      let changes = (1...1000).flatMap { TaskTracker.newTask($0, assignee: "alice") }
      try objects.apply(changes)
      return changes
    }
    try writer.synchronize()
    let reader = try client(harness, "{}")
    reader.batchesBeforeLoss = 2
    reader.subscribe(alice)
    try harness.run(until: { !reader.isConnected }, "loss of the connection")
    // What changes in between must not be lost either.
    try writer.write(TaskTracker.set("assignee", .string("bob"), of: TaskTracker.task(17)))
    try writer.synchronize()
    try reader.connect()
    try reader.synchronize()
    #expect(try tasks(reader).count == 999)
    #expect(
      try reader.objects.contents(of: "Task")
        == writer.objects.contents(of: "Task").filter { $0.key != key(17) }
    )
  }

  @Test(
    "What an interrupted bootstrap brought, and no longer matches, is taken away, and what it took away returns",
    arguments: [2, 11, 13, 14]
  )
  func changesDuringInterruptedBootstrap(version: Int) throws {
    let harness = try Harness(limits: DeliveryLimits(messageByteCount: 10_000, changesetByteCount: 3_000))
    let writer = try client(harness, everything)
    try writer.write { objects in
      let changes = (1...300).flatMap { TaskTracker.newTask($0, assignee: $0 > 10 ? "alice" : "bob") }
      try objects.apply(changes)
      return changes
    }
    try writer.synchronize()
    let reader = try SyncClient(harness, schema: TaskTracker.schema)
    reader.protocolVersion = try #require(SyncProtocolVersion(rawValue: version))
    try reader.connect()
    reader.subscribe(#"{"Task":"(assignee == \"bob\")"}"#)
    try reader.synchronize()

    reader.disconnect()
    reader.subscribe(alice)
    for round in 1...2 {
      reader.batchesBeforeLoss = 2
      // It asks for the same set again.
      try reader.connect()
      try harness.run(until: { !reader.isConnected }, "loss of the connection")
      try writer.write { objects in
        let gone = (1...8).map { UInt32(10 + 8 * round + $0) }
          .map { TaskTracker.set("assignee", .string("carol"), of: TaskTracker.task($0)) }
        let returned = TaskTracker.set("assignee", .string("alice"), of: TaskTracker.task(UInt32(round)))
        let erased = try objects.localErase(TaskTracker.task(UInt32(200 + round)))
        try objects.apply(gone + [returned])
        return gone + [returned] + erased
      }
      try writer.synchronize()
    }
    try reader.connect()
    try harness.restart()
    reader.disconnect()
    try reader.connect()
    try reader.synchronize()
    #expect(reader.failures.isEmpty)
    try reader.expectWhatItSelects("version \(version)")
  }

  /// A client that keeps batches, connected with bob's tasks, of which there are ten; alice has 290.
  private func olderClient(_ harness: Harness, _ writer: SyncClient) throws -> SyncClient {
    try writer.write { objects in
      let changes = (1...300).flatMap { TaskTracker.newTask($0, assignee: $0 > 10 ? "alice" : "bob") }
      try objects.apply(changes)
      return changes
    }
    try writer.synchronize()
    let reader = try SyncClient(harness, schema: TaskTracker.schema)
    reader.protocolVersion = try #require(SyncProtocolVersion(rawValue: 11))
    try reader.connect()
    reader.subscribe(bob)
    try reader.synchronize()
    return reader
  }

  /// Connects, and loses the connection after a few batches of the bootstrap that it asks for.
  private func interruptBootstrap(of reader: SyncClient, _ harness: Harness) throws {
    reader.disconnect()
    reader.batchesBeforeLoss = 2
    try reader.connect()
    try harness.run(until: { !reader.isConnected }, "loss of the connection")
  }

  private func reassign(_ numbers: ClosedRange<UInt32>, to name: String, _ writer: SyncClient) throws {
    try writer.write(
      numbers.map { TaskTracker.set("assignee", .string(name), of: TaskTracker.task($0)) }
    )
    try writer.synchronize()
  }

  private var smallBatches: DeliveryLimits {
    DeliveryLimits(messageByteCount: 10_000, changesetByteCount: 3_000)
  }

  @Test("What was kept of a set counts even if the bootstrap of a newer set was begun since")
  func batchesOfTwoSets() throws {
    let harness = try Harness(limits: smallBatches)
    let writer = try client(harness, everything)
    let reader = try olderClient(harness, writer)
    reader.subscribe(alice)
    try interruptBootstrap(of: reader, harness)

    // The bootstrap of the newer set is placed, but no batch of it arrives.
    reader.subscribe(aliceAndDora)
    try reader.connect()
    reader.messagesBeforeLoss = 1
    try harness.run(until: { !reader.isConnected }, "loss of the connection")

    try reassign(11...40, to: "carol", writer)
    reader.sendsQueriesInTurn = true
    try reader.connect()
    try reader.synchronize()
    try reader.expectWhatItSelects("the older set")
    try reader.connect()
    try reader.synchronize()
    #expect(reader.failures.isEmpty)
    try reader.expectWhatItSelects("the newer set")
  }

  @Test("A client that asks for other queries under the number of a set that it may have in part starts over")
  func otherQueriesUnderTheSameVersion() throws {
    let harness = try Harness(limits: smallBatches)
    let reader = try olderClient(harness, try client(harness, everything))
    reader.subscribe(alice)
    try interruptBootstrap(of: reader, harness)

    reader.replaceWantedQuery(with: #"{"Task":"(assignee == \"carol\")"}"#)
    try reader.connect()
    try harness.run(until: { !reader.failures.isEmpty || !reader.isConnected }, "the error")
    #expect(reader.failures.map(\.info.action) == [.clientReset])
  }

  @Test("What was kept of a set counts even if the server refused the set in between")
  func batchesOfARefusedSet() throws {
    let harness = try Harness(limits: smallBatches)
    let writer = try client(harness, everything)
    let reader = try olderClient(harness, writer)
    reader.subscribe(alice)
    try interruptBootstrap(of: reader, harness)
    try reader.connect()
    reader.disconnect()

    // The app does not allow queries for the field, for a while; the client does not hear of it.
    reader.replaceWantedQuery(with: #"{"Task":"(nothing == 1)"}"#)
    reader.messagesBeforeLoss = 3
    try reader.connect()
    try harness.run(until: { !reader.isConnected || !reader.queryErrors.isEmpty }, "the refusal")
    reader.disconnect()
    try reassign(11...40, to: "carol", writer)
    reader.replaceWantedQuery(with: alice)
    try reader.connect()
    try reader.synchronize()
    try reader.expectWhatItSelects("after the refusal")
  }

  @Test("An app that is updated to a newer SDK starts without what the older one kept")
  func batchesOfAnUpdatedClient() throws {
    let harness = try Harness(limits: smallBatches)
    let reader = try olderClient(harness, try client(harness, everything))
    reader.subscribe(alice)
    try interruptBootstrap(of: reader, harness)
    try reader.connect()
    let ident = try #require(reader.file?.ident)
    #expect(try harness.openStore().keptBatchesCount(file: ident) == 1)

    reader.disconnect()
    reader.protocolVersion = .newest
    try reader.connect()
    try reader.synchronize()
    #expect(reader.failures.isEmpty)
    #expect(try harness.openStore().keptBatchesCount(file: ident) == 0)
    try reader.expectWhatItSelects("the newer SDK")
  }

  @Test("What a client writes after a bootstrap was interrupted is kept in objects that stay in view")
  func writesAfterInterruptedBootstrap() throws {
    let harness = try Harness(limits: DeliveryLimits(messageByteCount: 10_000, changesetByteCount: 3_000))
    let writer = try client(harness, everything)
    try writer.write { objects in
      let changes =
        (1...1000).flatMap { TaskTracker.newTask($0, assignee: "alice") }
        + [
          .createObject(TaskTracker.team(1)),
          TaskTracker.set("teamName", .string("team"), of: TaskTracker.team(1)),
        ]
      try objects.apply(changes)
      return changes
    }
    try writer.synchronize()
    let reader = try client(harness, #"{"Team":"(TRUEPREDICATE)"}"#)
    reader.batchesBeforeLoss = 2
    reader.subscribe(everything)
    try reader.write { try self.addMember("uploaded before the loss", $0) }
    try harness.run(until: { !reader.isConnected }, "loss of the connection")
    try reader.write { try self.addMember("written offline", $0) }
    try reader.write(TaskTracker.set("teamName", .string("a better name"), of: TaskTracker.team(1)))
    try writer.write { try self.addMember("by somebody else", $0) }
    try writer.synchronize()
    try reader.connect()
    try reader.synchronize()
    try writer.synchronize()
    #expect(
      try members(writer) == ["uploaded before the loss", "written offline", "by somebody else"]
        || members(writer) == ["uploaded before the loss", "by somebody else", "written offline"]
    )
    #expect(try writer.objects.value("teamName", of: TaskTracker.team(1)) == .string("a better name"))
    for className in ["Team", "Task"] {
      #expect(try reader.objects.contents(of: className) == writer.objects.contents(of: className))
    }
  }

  private func addMember(_ name: String, _ objects: ObjectStore) throws -> [Instruction] {
    let team = TaskTracker.team(1)
    let count = try members(objects).count
    let path = PropertyPath(object: team, field: "members").appending(.index(UInt32(count)))
    let change = Instruction.arrayInsert(path, .value(.string(name)), priorSize: UInt32(count))
    try objects.apply([change])
    return [change]
  }

  private func members(_ client: SyncClient) throws -> [String] { try members(client.objects) }

  private func members(_ objects: ObjectStore) throws -> [String] {
    guard let table = try objects.table(named: "Team"), let row = try objects.row(of: TaskTracker.team(1)),
      let column = table.column(named: "members")
    else { return [] }
    return try objects.listValues(row: row, column).map { value in
      if case .string(let name) = value { name } else { "?" }
    }
  }
}
