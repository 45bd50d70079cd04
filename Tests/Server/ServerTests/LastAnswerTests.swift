// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncWire
import Testing

@testable import FlexSyncEngine

/// A client looks at nothing that comes after the error of its session, so that what it waits for has to come before.
@Suite("What a session is due when it fails")
struct LastAnswerTests {
  private let harness: Harness
  private let client: DirectClient
  private let engine: SyncEngine
  private let messageCount: Int

  init() throws {
    harness = try Harness()
    let userID = try harness.logIn().userID
    client = try DirectClient(harness, userID, #"{"Task":"(TRUEPREDICATE)"}"#)
    engine = try harness.engine()
    engine.runTurn()
    messageCount = client.channel.received.count
  }

  private static let refused: [Instruction] = [
    .createObject(ObjectReference(table: "Nowhere", key: .int(1)))
  ]

  private func mark(_ request: MarkIdent) {
    client.channel.put(.mark(session: 1, request: request))
  }

  /// The kinds of the messages that came.
  private func answers() -> [String] {
    engine.runTurn()
    return client.channel.received.dropFirst(messageCount).map { message in
      switch message {
      case .mark(_, let request): "MARK \(request)"
      case .download(let download): "DOWNLOAD up to \(download.progress.upload.clientVersion)"
      case .queryError(_, _, let version, _): "QUERY_ERROR \(version)"
      case .error(let error): "ERROR \(error.code)"
      default: "\(message)"
      }
    }
  }

  @Test("A MARK before an upload that fails is answered")
  func mark() {
    mark(1)
    client.upload(Self.refused, version: 2)
    #expect(answers() == ["MARK 1", "ERROR 212"])
  }

  @Test("A MARK behind it is not, and neither is anything else")
  func markBehind() {
    client.upload(Self.refused, version: 2)
    mark(1)
    client.upload(TaskTracker.newTask(1, assignee: nil), version: 3)
    #expect(answers() == ["ERROR 212"])
  }

  @Test("What is integrated before is acknowledged, and a MARK between them answered")
  func acknowledgement() throws {
    client.upload(TaskTracker.newTask(1, assignee: nil), version: 2)
    mark(1)
    client.upload(Self.refused, version: 3)
    #expect(answers() == ["DOWNLOAD up to 2", "MARK 1", "ERROR 212"])
  }

  @Test("Subscriptions before it that are refused are told so")
  func query() {
    let body = Array(#"{"Task":"(nothing == 1)"}"#.utf8)
    client.channel.put(.query(session: 1, queryVersion: 2, body: body))
    mark(1)
    client.upload(Self.refused, version: 2)
    #expect(answers() == ["QUERY_ERROR 2", "MARK 1", "ERROR 212"])
  }

  private static let outsideView = [TaskTracker.set("taskName", .string("none"), of: TaskTracker.task(9))]

  @Test("A changeset before it in the same upload is acknowledged, and a MARK before that upload answered")
  func acceptedInSameUpload() {
    client.upload(changesets: [TaskTracker.newTask(1, assignee: nil), Self.refused], version: 2)
    #expect(answers() == ["DOWNLOAD up to 2", "ERROR 212"])
  }

  @Test("A write that is taken back before it in the same upload is told so", arguments: [false, true])
  func takenBackInSameUpload(hasMark: Bool) {
    if hasMark { mark(1) }
    client.upload(changesets: [Self.outsideView, Self.refused], version: 2)
    let mark = hasMark ? ["MARK 1"] : []
    #expect(answers() == ["ERROR 231", "DOWNLOAD up to 2"] + mark + ["ERROR 212"])
  }
}
