// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncWire
import Testing

@testable import FlexSyncEngine

/// Apps show the estimates of DOWNLOADs in progress bars.
@Suite("Estimates of progress")
struct ProgressEstimateTests {
  private static let everything = #"{"Task":"(TRUEPREDICATE)"}"#
  private let harness: Harness
  private let writer: SyncClient

  init() throws {
    // Each object fills a message.
    harness = try Harness(limits: DeliveryLimits(messageByteCount: 60, changesetByteCount: 60))
    writer = try SyncClient(harness, schema: TaskTracker.schema)
    try writer.connect()
    writer.subscribe(Self.everything)
    try writer.synchronize()
  }

  private func write(_ numbers: ClosedRange<UInt32>) throws {
    for number in numbers { try writer.write(TaskTracker.newTask(number, assignee: nil)) }
    try writer.synchronize()
  }

  private func reader() throws -> SyncClient {
    let reader = try SyncClient(harness, schema: TaskTracker.schema)
    try reader.connect()
    reader.subscribe(Self.everything)
    try reader.synchronize()
    return reader
  }

  private func estimates(of client: SyncClient, after count: Int = 0) throws -> [Double] {
    try #require(client.connection).downloads.dropFirst(count).map(\.progressEstimate)
  }

  @Test("A bootstrap goes up by what each message brings; an empty one follows a full one")
  func bootstrap() throws {
    try write(1...4)
    let reader = try reader()
    let downloads = try #require(reader.connection).downloads.filter { $0.queryVersion == 1 }
    #expect(downloads.prefix(5).map(\.progressEstimate) == [0.25, 0.5, 0.75, 0.9999, 1])
    #expect(downloads.prefix(5).map(\.batchState) == [.more, .more, .more, .more, .last])
  }

  @Test("A client that comes back is told how far it has caught up")
  func catchingUp() throws {
    let reader = try reader()
    reader.disconnect()
    try write(1...5)
    try reader.connect()
    try reader.synchronize()
    #expect(try estimates(of: reader) == [0.2, 0.4, 0.6, 0.8, 1])
  }

  @Test("A client that follows has all there is after each message")
  func following() throws {
    let reader = try reader()
    let count = try #require(reader.connection).downloads.count
    for number in 1...3 as ClosedRange<UInt32> {
      try write(number...number)
      try reader.synchronize()
    }
    let estimates = try estimates(of: reader, after: count)
    #expect(estimates.count >= 3 && estimates.allSatisfy { $0 == 1 })
  }
}
