// SPDX-License-Identifier: Apache-2.0

import DiskProbe
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore
@testable import FlexSyncServerStore
@testable import FlexSyncStore

@Suite("What is safe from a loss of power")
struct DurabilityTests {
  private let folder = TemporaryFolder()
  private let syncs: SyncCounter

  init() { syncs = SyncCounter(folder: folder.path) }

  private func countSyncs(_ body: () throws -> Void) rethrows -> Int {
    let before = syncs.count
    try body()
    return syncs.count - before
  }

  private func write(_ database: Database, _ number: Int) throws {
    try database.write { try database.execute("INSERT INTO numbers VALUES (\(number))") }
  }

  @Test("Commits of a client cost no sync; making them durable costs one, and none if there is nothing new")
  func client() throws {
    let database = try folder.open()
    try database.write { try database.execute("CREATE TABLE numbers (number)") }
    try database.makeDurable()
    #expect(try countSyncs { for number in 0..<20 { try write(database, number) } } == 0)
    #expect(try countSyncs { try database.makeDurable() } == 1)
    #expect(try countSyncs { try database.makeDurable() } == 0)
  }

  @Test("Commits of other connections are made durable, too")
  func otherConnections() throws {
    let database = try folder.open()
    try database.write { try database.execute("CREATE TABLE numbers (number)") }
    let other = try folder.open()
    try database.makeDurable()
    #expect(try countSyncs { try write(other, 1) } == 0)
    #expect(try countSyncs { try database.makeDurable() } == 1)
    #expect(try countSyncs { try database.makeDurable() } == 0)
  }

  @Test("Nobody waits for a writer to make something durable")
  func openTransaction() throws {
    let database = try folder.open()
    try database.write { try database.execute("CREATE TABLE numbers (number)") }
    let writer = try folder.open()
    try writer.beginWrite()
    #expect(try countSyncs { try database.makeDurable() } == 1)
    try writer.rollback()
    try database.beginWrite()
    #expect(throws: StorageError.self) { try database.makeDurable() }
    try database.rollback()
  }

  @Test("A database in memory and a temporary file have nothing to make durable")
  func temporary() throws {
    try ObjectStore.inMemory().database.makeDurable()
    var configuration = DatabaseConfiguration(location: .file(folder.file("t")), application: .realm)
    configuration.synchronous = .off
    let database = try Database.open(configuration)
    try database.write { try database.execute("CREATE TABLE numbers (number)") }
    #expect(try countSyncs { try database.makeDurable() } == 0)
  }

  @Test("A durable transaction of the server costs one sync")
  func durableTransaction() throws {
    let store = try ServerStore(path: folder.file("data.sqlite"))
    #expect(try countSyncs { try store.write { try store.set("a", to: 1 as Int64) } } == 1)
  }

  @Test("A durable transaction that changes nothing still makes lazy commits before it durable")
  func lazyCommits() throws {
    let store = try ServerStore(path: folder.file("data.sqlite"))
    #expect(try countSyncs { try store.writeLazily { try store.set("a", to: 1 as Int64) } } == 0)
    #expect(try countSyncs { try store.write {} } == 1)
    #expect(try countSyncs { try store.write {} } == 0)
    #expect(try countSyncs { try store.makeDurable(through: store.newestLazyCommit) } == 0)
  }

  @Test("Lazy commits are made durable once, whoever asks first")
  func sharedSync() throws {
    let store = try ServerStore(path: folder.file("data.sqlite"))
    var commits: [UInt64] = []
    for number in 0..<5 as Range<Int64> {
      try store.writeLazily {
        try store.set("a", to: number)
        commits.append(store.newestLazyCommit)
      }
    }
    #expect(try countSyncs { for commit in commits { try store.makeDurable(through: commit) } } == 1)
  }

  @Test("What a killed server has left lazily is made durable before anybody is told")
  func leftByKilledProcess() throws {
    let killed = try ServerStore(path: folder.file("data.sqlite"))
    try killed.writeLazily { try killed.set("a", to: 1 as Int64) }
    #expect(try countSyncs { _ = try ServerStore(path: folder.file("data.sqlite")) } == 1)
    _ = killed
  }
}
