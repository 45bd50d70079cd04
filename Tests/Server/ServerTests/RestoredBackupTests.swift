// SPDX-License-Identifier: Apache-2.0

import FlexSyncCore
import FlexSyncModel
import FlexSyncServerStore
import Testing

@testable import FlexSyncServerSupport

/// The server's data are those of an hour ago: clients that know more than the server have to start over, before
/// anything of them is merged with a state that it was not made for.
@Suite("A server that was restored from a backup")
struct RestoredBackupTests {
  /// Restores what the store was before `work`.
  private func undo(_ harness: Harness, _ work: () throws -> Void) throws {
    var backup: [UInt8] = []
    try harness.restart { backup = try FileSystem.contents(of: harness.storePath) }
    try work()
    try harness.restart {
      #expect(!FileSystem.isFile("\(harness.storePath)-wal"), "the store is still open")
      try FileSystem.writePrivately(backup, to: harness.storePath)
    }
  }

  @Test("A client whose acknowledged upload is lost starts over, though it has received nothing since")
  func lostUpload() throws {
    let harness = try Harness()
    let client = try SyncClient.ofAllTasks(harness)
    try undo(harness) {
      try client.connect()
      try client.addTask(1)
    }
    try client.connect()
    #expect(client.failures.map(\.code) == [.badClientVersion])
    #expect(client.failures.first?.info.action == .clientReset)
    #expect(try harness.openState().contents(of: "Task").isEmpty)
  }

  @Test("A client that has received what is lost starts over, and one that knows nothing of it goes on")
  func lostDownload() throws {
    let harness = try Harness()
    let (reader, writer, away) = (
      try SyncClient.ofAllTasks(harness), try SyncClient.ofAllTasks(harness),
      try SyncClient.ofAllTasks(harness)
    )
    try writer.addTask(1)
    for client in [reader, away] { try client.synchronize() }
    away.disconnect()
    try undo(harness) {
      for client in [reader, writer] { try client.connect() }
      try writer.addTask(2)
      try reader.synchronize()
    }
    try reader.connect()
    #expect(reader.failures.map(\.code) == [.badServerVersion])
    try away.connect()
    try away.synchronize()
    #expect(away.failures.isEmpty)
    #expect(try away.objects.contents(of: "Task").count == 1)
  }

  @Test("A client of another server with the same files and versions starts over")
  func otherSalt() throws {
    let harness = try Harness()
    let client = try SyncClient.ofAllTasks(harness)
    client.disconnect()
    try harness.restart {
      let store = try ServerStore(path: harness.storePath)
      try store.write { try store.set("latest_version_salt", to: 12345) }
    }
    try client.connect()
    #expect(client.failures.map(\.code) == [.divergingHistories])
    #expect(client.failures.first?.info.action == .clientReset)
  }

  @Test("A client that only writes need not keep what is integrated")
  func historyOfWriters() throws {
    let harness = try Harness()
    let client = try SyncClient.ofAllTasks(harness)
    for number in 1...20 as ClosedRange<UInt32> { try client.addTask(number) }
    #expect(client.progress.download.clientVersion == client.progress.upload.clientVersion)
    #expect(client.historyCount == 0)
  }
}
