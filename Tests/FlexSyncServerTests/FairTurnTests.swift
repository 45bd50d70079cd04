// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncProtocol
import FlexSyncStorage
import FlexSyncTransport
import Testing

@testable import FlexSyncServer

@Suite("Turns of the loop that many share")
struct FairTurnTests {
  private static let everything = #"{"Task":"(TRUEPREDICATE)"}"#
  private static let objectCount: UInt32 = 1_000

  /// A server whose turns are over after so many rows and requests.
  private static func harness(stepsPerTurn: Int) throws -> Harness {
    var limits = DeliveryLimits()
    limits.turn = TurnBudget(stepCount: stepsPerTurn)
    let harness = try Harness(limits: limits)
    let writer = try SyncClient(harness, schema: TaskTracker.schema)
    try writer.connect()
    writer.subscribe(everything)
    try writer.synchronize()
    try writer.write { objects in
      let changes = (1...objectCount).flatMap { TaskTracker.newTask($0, assignee: "alice") }
      try objects.apply(changes)
      return changes
    }
    try writer.synchronize()
    writer.disconnect()
    try harness.run(until: { try harness.engine().sessionCount == 0 }, "end of the session")
    return harness
  }

  private func acknowledged(_ client: DirectClient) -> ClientVersion {
    client.downloads.last?.progress.upload.clientVersion ?? 0
  }

  private func isBootstrapped(_ client: DirectClient) -> Bool {
    client.downloads.last?.queryVersion == 1 && client.downloads.last?.batchState != .more
  }

  @Test(
    "While many clients bootstrap, another one's upload is acknowledged at once and reaches its readers soon"
  )
  func uploadsBetweenBootstraps() throws {
    let harness = try Self.harness(stepsPerTurn: 100)
    let engine = try harness.engine()
    let userID = try harness.logIn().userID
    let mine = #"{"Task":"(assignee == 'bob')"}"#
    let (writer, reader) = (try DirectClient(harness, userID, mine), try DirectClient(harness, userID, mine))
    let newcomers = try (0..<12).map { _ in try DirectClient(harness, userID, Self.everything) }

    var rounds = 0
    while !newcomers.allSatisfy(isBootstrapped) {
      rounds += 1
      let version = ClientVersion(rounds + 1)
      writer.upload(TaskTracker.newTask(10_000 + UInt32(rounds), assignee: "bob"), version: version)
      let downloadCount = reader.downloads.count
      for _ in 0..<3 { engine.runTurn() }
      #expect(acknowledged(writer) == version)
      #expect(reader.downloads.count > downloadCount)
    }
    // It was not over before it began.
    #expect(rounds > 12 * Int(Self.objectCount) / 100 / 3 / 2)
    #expect(newcomers.allSatisfy { $0.channel.isOpen })
  }

  @Test("Bootstraps that begin together go on together, and bring the same as one that is alone")
  func bootstrapsSideBySide() throws {
    let harness = try Self.harness(stepsPerTurn: 64)
    let engine = try harness.engine()
    let userID = try harness.logIn().userID
    let clients = try (0..<5).map { _ in try DirectClient(harness, userID, Self.everything) }
    var turns = 0
    var ends: [Int] = clients.map { _ in 0 }
    while ends.contains(0) {
      turns += 1
      #expect(engine.runTurn() || clients.allSatisfy(isBootstrapped))
      for index in clients.indices where ends[index] == 0 && isBootstrapped(clients[index]) {
        ends[index] = turns
      }
    }
    let (first, last) = (try #require(ends.min()), try #require(ends.max()))
    // The first ones have begun a few turns before the last.
    #expect(last - first <= last / 4, "\(ends)")
    let contents = try clients.map { try $0.instructions(after: 0) }
    #expect(contents.allSatisfy { $0 == contents[0] })
    let created = contents[0].filter { if case .createObject = $0 { true } else { false } }
    #expect(created.count == Int(Self.objectCount))
  }

  @Test("Uploads that come together are done in several turns, in the order of each client")
  func manyUploads() throws {
    let harness = try Self.harness(stepsPerTurn: 40)
    let engine = try harness.engine()
    let userID = try harness.logIn().userID
    let query = #"{"Task":"(assignee == 'bob')"}"#
    let clients = try (0..<10).map { _ in try DirectClient(harness, userID, query) }
    for version in 2...11 as ClosedRange<UInt64> {
      for (number, client) in clients.enumerated() {
        client.upload(
          TaskTracker.newTask(20_000 + UInt32(number) * 100 + UInt32(version), assignee: "bob"),
          version: version
        )
      }
    }
    var turns = 0
    while engine.runTurn() { turns += 1 }
    #expect(turns > 5)
    #expect(clients.allSatisfy { acknowledged($0) == 11 })
    #expect(try harness.openState().contents(of: "Task").count == Int(Self.objectCount) + 100)
  }

  @Test("A client that goes ends its bootstrap, and the work for it")
  func leavingClient() throws {
    let harness = try Self.harness(stepsPerTurn: 50)
    let engine = try harness.engine()
    let client = try DirectClient(harness, try harness.logIn().userID, Self.everything)
    #expect(engine.runTurn())
    let session = try #require(client.session)
    client.channel.onClose?(WebSocketClosure(code: 1001, reason: "", error: nil))
    #expect(!session.holdsSnapshot)
    #expect(!engine.runTurn())
  }
}
