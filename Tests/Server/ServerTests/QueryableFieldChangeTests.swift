// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncWire
import Testing

@testable import FlexSyncServer

@Suite("The queryable fields change while a client is away")
struct QueryableFieldChangeTests {
  private let app = NoteApp()
  private static let note = NoteApp.note

  init() { app.allow(queries: "text") }

  /// A client that has gone, and one that writes what it misses.
  private func awayAndWriter(_ harness: Harness, _ query: String) throws -> (SyncClient, SyncClient) {
    let away = try app.client(harness, query)
    away.disconnect()
    try harness.run(until: { !away.isConnected })
    let writer = try app.client(harness, "TRUEPREDICATE")
    try writer.write(.createObject(Self.note), TaskTracker.set("text", .string("new"), of: Self.note))
    try writer.synchronize()
    return (away, writer)
  }

  @Test("A client that was away goes on when a field has become queryable")
  func addition() throws {
    let harness = try Harness(app: app.path)
    let (away, _) = try awayAndWriter(harness, #"text == \"new\""#)
    try harness.restart { app.allow(queries: "text", "level") }
    try away.connect()
    try away.synchronize()
    #expect(away.failures.isEmpty)
    #expect(try away.objects.value("text", of: Self.note) == .string("new"))
  }

  @Test("A client starts over whose subscription needs a field that was not kept for a time")
  func removalAndReturn() throws {
    let harness = try Harness(app: app.path)
    let (away, writer) = try awayAndWriter(harness, #"text == \"new\""#)
    writer.disconnect()
    try harness.restart { app.allow(queries: "level") }
    try harness.restart { app.allow(queries: "text", "level") }
    try away.connect()
    #expect(away.failures.map(\.code) == [.clientFileExpired])
  }

  @Test("A client starts over whose subscription is not allowed any more")
  func removal() throws {
    let harness = try Harness(app: app.path)
    let (away, _) = try awayAndWriter(harness, #"text == \"new\""#)
    try harness.restart { app.allow(queries: "level") }
    try away.connect()
    #expect(away.failures.map(\.code) == [.badClientFile])
  }
}
