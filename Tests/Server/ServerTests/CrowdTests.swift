// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTransport
import FlexSyncWire
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncConfiguration
@testable import FlexSyncEngine
@testable import FlexSyncScheduling

@Suite("Two thousand clients that come at once")
struct CrowdTests {
  private static let clientCount = 2_000
  private static let objectCount: UInt32 = 50
  private static let everything = #"{"Task":"(TRUEPREDICATE)"}"#
  private static let others = #"{"Task":"(assignee == 'alice')"}"#
  private static let mine = #"{"Task":"(assignee == 'bob')"}"#

  /// Hashes passwords when it is told to.
  private final class PatientWorker: BlockingWorker {
    private var work: [() -> Void] = []

    func performBlocking<Result: Sendable>(
      _ work: @escaping @Sendable () -> Result,
      completion: @escaping (Result) -> Void
    ) {
      self.work.append { completion(work()) }
    }

    /// - Returns: Whether there was one.
    func finishOne() -> Bool {
      guard !work.isEmpty else { return false }
      work.removeFirst()()
      return true
    }
  }

  private static func harness() throws -> Harness {
    var limits = DeliveryLimits()
    limits.turn = TurnBudget(stepCount: 200)
    let harness = try Harness(limits: limits)
    let writer = try SyncClient(harness, schema: TaskTracker.schema)
    try writer.connect()
    writer.subscribe(everything)
    try writer.synchronize()
    try writer.write((1...objectCount).flatMap { TaskTracker.newTask($0, assignee: "alice") })
    try writer.synchronize()
    writer.disconnect()
    try harness.run(until: { try harness.engine().sessionCount == 0 }, "end of the session")
    return harness
  }

  private func isBootstrapped(_ client: DirectClient) -> Bool {
    client.downloads.last?.queryVersion == 1 && client.downloads.last?.batchState != .more
  }

  @Test("Each logs in and gets its bootstrap, and between them another one's writes are acknowledged")
  func crowd() throws {
    let harness = try Self.harness()
    let engine = try harness.engine()
    let userIDs = try (0..<4).map { _ in try harness.logIn().userID }
    let writer = try DirectClient(harness, userIDs[0], Self.mine)
    let worker = PatientWorker()
    let passwords = PasswordQueue(worker: worker, limits: ServerLimits())
    var clients: [DirectClient] = []
    for number in 0..<Self.clientCount {
      try passwords.perform(for: Requester(address: "address \(number % 100)")) {
        {}
      } completion: { result in
        do {
          try result.get()
          clients.append(try DirectClient(harness, userIDs[number % userIDs.count], Self.others))
        } catch {
          Issue.record("client \(number) is refused: \(error)")
        }
      }
    }
    var version: ClientVersion = 1
    var isCrowded = true
    while isCrowded {
      isCrowded = false
      for _ in 0..<10 { isCrowded = worker.finishOne() || isCrowded }
      version += 1
      writer.upload(TaskTracker.newTask(10_000 + UInt32(version), assignee: "bob"), version: version)
      for _ in 0..<3 { engine.runTurn() }
      #expect(writer.downloads.last?.progress.upload.clientVersion == version)
    }
    while engine.runTurn() {}
    #expect(clients.count == Self.clientCount)
    #expect(clients.allSatisfy { $0.channel.isOpen && isBootstrapped($0) })
    for client in [clients[0], clients[Self.clientCount - 1]] {
      let created = try client.instructions(after: 0).filter {
        if case .createObject = $0 { true } else { false }
      }
      #expect(created.count == Int(Self.objectCount))
    }
  }
}
