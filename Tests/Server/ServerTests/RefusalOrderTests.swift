// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncWire
import Testing

@testable import FlexSyncEngine

/// A client that reads late gets the refusal of a query set where the set's bootstrap would have come. Otherwise, the
/// order would tell it how much the server had to do before it read the set.
@Suite("The place of a refusal among what a client is sent")
struct RefusalOrderTests {
  private static let everything = "TRUEPREDICATE"
  private static let refused = "nothing == 1"

  private let harness: Harness
  private let engine: SyncEngine
  private let writer: DirectClient
  private let reader: DirectClient
  private let messageCount: Int

  init() throws {
    harness = try Harness()
    engine = try harness.engine()
    let userID = try harness.logIn().userID
    writer = try DirectClient(harness, userID, #"{"Task":"(TRUEPREDICATE)"}"#)
    reader = try DirectClient(harness, userID, #"{"Task":"(assignee == 'bob')"}"#)
    engine.runTurn()
    messageCount = reader.channel.received.count
    reader.channel.isWritable = false
  }

  private func subscribe(_ query: String, _ version: QueryVersion) {
    let body = Array(#"{"Task":"(\#(query))"}"#.utf8)
    reader.channel.put(.query(session: 1, queryVersion: version, body: body))
  }

  private func write(_ number: UInt32, version: ClientVersion) {
    writer.upload(TaskTracker.newTask(number, assignee: "bob"), version: version)
    engine.runTurn()
  }

  /// What comes when the client reads at last.
  private func answers() throws -> [String] {
    engine.runTurn()
    reader.read()
    engine.runTurn()
    return try reader.channel.received.dropFirst(messageCount).map { message in
      switch message {
      case .mark(_, let request): return "MARK \(request)"
      case .queryError(_, _, let version, _): return "QUERY_ERROR \(version)"
      case .error(let error): return "ERROR \(error.code)"
      case .download(let download) where download.batchState == .last:
        return "BOOTSTRAP \(download.queryVersion)"
      case .download(let download):
        let created = try created(download)
        return (["DOWNLOAD"] + created).joined(separator: " ")
      default: return "\(message)"
      }
    }
  }

  /// The numbers of the tasks that a message creates.
  private func created(_ download: DownloadMessage) throws -> [String] {
    try download.entries.flatMap { try ChangesetCodec.decode($0.changeset).instructions }.compactMap {
      guard case .createObject(let object) = $0 else { return nil }
      return (1...9).first { TaskTracker.task($0) == object }.map { "\($0)" }
    }
  }

  @Test func comesBetweenTheChangesOfOthersBeforeAndAfterIt() throws {
    write(1, version: 2)
    subscribe(Self.refused, 2)
    engine.runTurn()
    write(2, version: 3)
    #expect(try answers() == ["DOWNLOAD 1", "QUERY_ERROR 2", "DOWNLOAD 2"])
  }

  @Test func comesAfterTheRejectionOfAnEarlierWrite() throws {
    reader.upload(TaskTracker.newTask(1, assignee: "alice"), version: 2)
    subscribe(Self.refused, 2)
    #expect(try answers() == ["ERROR 231", "DOWNLOAD", "QUERY_ERROR 2"])
  }

  @Test func comesBetweenTheBootstrapsOfOtherSets() throws {
    for (offset, query) in [Self.everything, Self.refused, Self.everything].enumerated() {
      subscribe(query, QueryVersion(offset + 2))
      engine.runTurn()
    }
    #expect(try answers() == ["BOOTSTRAP 2", "QUERY_ERROR 3", "BOOTSTRAP 4"])
  }

  @Test func comesBetweenTheBootstrapsOfOtherSetsThatAreReadWithIt() throws {
    for (offset, query) in [Self.refused, Self.everything, Self.refused].enumerated() {
      subscribe(query, QueryVersion(offset + 2))
    }
    #expect(try answers() == ["QUERY_ERROR 2", "BOOTSTRAP 3", "QUERY_ERROR 4"])
  }

  @Test func comesBeforeTheAnswerToALaterMark() throws {
    write(1, version: 2)
    subscribe(Self.refused, 2)
    reader.channel.put(.mark(session: 1, request: 1))
    #expect(try answers() == ["DOWNLOAD 1", "QUERY_ERROR 2", "MARK 1"])
  }

  @Test func comesBeforeTheErrorThatEndsTheSession() throws {
    write(1, version: 2)
    subscribe(Self.refused, 2)
    engine.runTurn()
    reader.upload([.createObject(ObjectReference(table: "Nowhere", key: .int(1)))], version: 2)
    #expect(try answers() == ["QUERY_ERROR 2", "ERROR 212"])
  }
}
