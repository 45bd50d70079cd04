// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncWire
import Testing

@testable import FlexSyncEngine

/// Objects that grow transaction by transaction can become longer than any message that a client accepts.
@Suite("Long objects")
struct LongObjectTests {
  private static let teams = #"{"Team":"(TRUEPREDICATE)"}"#
  private let harness: Harness
  private let writer: SyncClient

  init() throws {
    harness = try Harness()
    writer = try SyncClient(harness, schema: TaskTracker.schema)
    try writer.connect()
    writer.subscribe(Self.teams)
    try writer.synchronize()
  }

  @Test("A bootstrap takes as many messages as an object has parts")
  func bootstrap() throws {
    let team = TaskTracker.team(1)
    let member = Value.string(String(repeating: "x", count: 3 << 20))
    let members = PropertyPath(object: team, field: "members")
    try writer.write(.createObject(team))
    for index in 0..<3 as Range<UInt32> {
      try writer.write(.arrayInsert(members.appending(.index(index)), .value(member), priorSize: index))
      try writer.synchronize()
    }
    let reader = try SyncClient(harness, schema: TaskTracker.schema)
    try reader.connect()
    reader.subscribe(Self.teams)
    try reader.synchronize()
    let downloads = try #require(reader.connection).downloads
    let limit = DeliveryLimits().messageByteCount
    #expect(downloads.contains { $0.entries.reduce(0) { $0 + $1.changeset.count } > limit })
    for download in downloads where download.entries.count > 1 {
      #expect(download.entries.reduce(0) { $0 + $1.changeset.count } <= limit)
    }
    #expect(try reader.objects.contents(of: "Team") == writer.objects.contents(of: "Team"))
  }
}
