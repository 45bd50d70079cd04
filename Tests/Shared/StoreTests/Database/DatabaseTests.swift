// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore
@testable import FlexSyncStore

@Suite struct DatabaseTests {
  let folder = TemporaryFolder()

  @Test func committedRowsAreThereAfterReopening() throws {
    let first = try folder.open()
    try first.write {
      try first.execute("CREATE TABLE numbers (n INTEGER)")
      try first.execute("INSERT INTO numbers VALUES (1), (2)")
    }
    #expect(try folder.open().integer("SELECT count(*) FROM numbers") == 2)
  }

  @Test func anErrorRollsBack() throws {
    struct Stop: Error {}
    let database = try folder.open()
    let before = try database.shape()
    #expect(throws: Stop.self) {
      try database.write {
        try database.execute("CREATE TABLE numbers (n INTEGER)")
        throw Stop()
      }
    }
    #expect(database.transactionState == .none)
    #expect(try database.shape() == before)
  }

  @Test func aReaderKeepsItsSnapshotWhileAnotherConnectionWrites() throws {
    let writer = try folder.open()
    try writer.write { try writer.execute("CREATE TABLE numbers (n INTEGER)") }
    let reader = try folder.open()
    try reader.beginRead()
    try writer.write { try writer.execute("INSERT INTO numbers VALUES (1)") }
    #expect(try reader.integer("SELECT count(*) FROM numbers") == 0)
    try reader.endRead()
    #expect(try reader.integer("SELECT count(*) FROM numbers") == 1)
  }

  @Test func aStatementThatIsDroppedHalfwayHindersNothingThatComesLater() throws {
    let database = try folder.open()
    let before = try database.shape()
    try database.write {
      try database.execute("CREATE TABLE numbers (n INTEGER)")
      try database.execute("INSERT INTO numbers VALUES (1), (2)")
    }
    #expect(try database.shape() != before)
    func readOneRow() throws { #expect(try database.prepare("SELECT n FROM numbers").step()) }
    try database.beginRead()
    try readOneRow()
    try database.endRead()
    // The snapshot is free again: the file can be emptied of its log.
    #expect(try database.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0)
    try database.write {
      try readOneRow()
      try database.execute("DROP TABLE numbers")
    }
    #expect(try database.shape() == before)
  }

  @Test func aSecondWriterIsToldThatTheFileIsBusy() throws {
    let first = try folder.open()
    let second = try folder.open(busyTimeoutMilliseconds: 10)
    try first.beginWrite()
    let error = #expect(throws: StorageError.self) { try second.beginWrite() }
    #expect(error?.kind == .busy)
    #expect(error?.message.contains(folder.file("test.flexsync")) == true)
    try first.rollback()
    try second.beginWrite()
    try second.rollback()
  }

  @Test func aFullDiskFailsTheTransactionAndNothingElse() throws {
    let database = try folder.open()
    try database.write { try database.execute("CREATE TABLE blobs (b BLOB)") }
    try database.execute("PRAGMA max_page_count=40")
    let error = #expect(throws: StorageError.self) {
      try database.write {
        for _ in 0..<100 { try database.execute("INSERT INTO blobs VALUES (zeroblob(4000))") }
      }
    }
    #expect(error?.kind == .diskFull)
    #expect(database.transactionState == .none)
    #expect(try database.integer("SELECT count(*) FROM blobs") == 0)
    try database.execute("PRAGMA max_page_count=4000")
    try database.write { try database.execute("INSERT INTO blobs VALUES (zeroblob(4000))") }
    #expect(try database.integer("SELECT count(*) FROM blobs") == 1)
  }

  @Test func readsAreConsistentWithinATransactionOnly() throws {
    let database = try ObjectStore.inMemory().database
    let error = #expect(throws: StorageError.self) { try database.commit() }
    #expect(error?.kind == .misuse)
  }

  @Test func aStatementCanRunWhileTheSameTextRuns() throws {
    let database = try ObjectStore.inMemory().database
    try database.execute("CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1), (2), (3)")
    var pairs = 0
    try database.withStatement("SELECT n FROM numbers") { outer in
      while try outer.step() {
        try database.withStatement("SELECT n FROM numbers") { inner in
          while try inner.step() { pairs += 1 }
        }
      }
    }
    #expect(pairs == 9)
  }
}
