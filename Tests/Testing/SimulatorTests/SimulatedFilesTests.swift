// SPDX-License-Identifier: Apache-2.0

import FlexSyncSimulator
import FlexSyncStore
import FlexSyncTestSupport
import Foundation
import Testing

/// SQLite works on a simulated disk as it does on a real one.
@Suite struct SimulatedFilesTests {
  let disk = MountedDisk()

  @Test func severalConnectionsShareAFile() throws {
    let writer = try disk.open()
    let reader = try disk.open()
    try writer.execute("CREATE TABLE t (x)")
    try reader.beginRead()
    try writer.write { try writer.execute("INSERT INTO t VALUES (1)") }
    #expect(try reader.integers("SELECT count(*) FROM t") == [0])
    try reader.endRead()
    #expect(try reader.integers("SELECT count(*) FROM t") == [1])
    try writer.beginWrite()
    let error = #expect(throws: StorageError.self) { try reader.beginWrite() }
    #expect(error?.kind == .busy)
    try writer.rollback()
    try reader.write { try reader.execute("INSERT INTO t VALUES (2)") }
    #expect(try writer.integers("SELECT x FROM t") == [1, 2])
    #expect(try writer.isSound)
  }

  @Test func theLogIsMovedAndRemovedAtTheEnd() throws {
    do {
      let database = try disk.open()
      try database.execute("CREATE TABLE t (x); INSERT INTO t VALUES (randomblob(100000))")
      #expect(
        disk.disk.paths.map { $0.split(separator: "/").last } == ["test.flexsync", "test.flexsync-wal"]
      )
      try database.checkpoint()
    }
    #expect(disk.disk.paths == [disk.disk.path("test.flexsync")])
    #expect(try disk.open().integers("SELECT length(x) FROM t") == [100_000])
  }

  /// The same statements, on several connections that get into each other's way, have the same results.
  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func randomStatementsDoWhatTheyDoOnARealDisk(seed: UInt64) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var real = disk.configuration()
    real.location = .file(folder.appending(path: "test.flexsync").path)
    var simulated = try (0..<3).map { _ in try disk.open() }
    var onRealDisk = try (0..<3).map { _ in try Database.open(real) }
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB); PRAGMA wal_autocheckpoint=30"
    try simulated[0].execute(schema)
    try onRealDisk[0].execute(schema)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<600 {
      let index = Int.random(in: 0..<3, using: &generator)
      let step = Step.random(using: &generator)
      if case .reopen = step {
        simulated[index] = try disk.open()
        onRealDisk[index] = try Database.open(real)
        continue
      }
      #expect(step.outcome(on: simulated[index]) == step.outcome(on: onRealDisk[index]), "\(step)")
    }
    for database in simulated + onRealDisk where database.transactionState == .write {
      try database.rollback()
    }
    for database in simulated + onRealDisk where database.transactionState == .read { try database.endRead() }
    #expect(try simulated[0].isSound)
    #expect(try simulated[0].dump() == onRealDisk[0].dump())
  }

  /// Something that is done with a connection.
  private enum Step {
    case statement(String)
    case query(String)
    case begin, commit, rollback, beginRead, endRead, checkpoint, reopen

    static func random(using generator: inout SeededGenerator) -> Step {
      let id = Int.random(in: 0..<60, using: &generator)
      let size = Int.random(in: 0..<9000, using: &generator)
      return switch Int.random(in: 0..<16, using: &generator) {
      case 0...3: .statement("INSERT OR REPLACE INTO t VALUES (\(id), zeroblob(\(size)))")
      case 4: .statement("UPDATE t SET x = zeroblob(\(size)) WHERE id % 7 = \(id % 7)")
      case 5: .statement("DELETE FROM t WHERE id BETWEEN \(id) AND \(id + 5)")
      case 6: .query("SELECT total(length(x)) FROM t")
      case 7: .query("SELECT id FROM t ORDER BY length(x), id")
      case 8, 9: .begin
      case 10, 11: .commit
      case 12: .rollback
      case 13: .beginRead
      case 14: .endRead
      default: [.checkpoint, .checkpoint, .reopen][id % 3]
      }
    }

    /// What comes out: the integers of a query, or the kind of the error.
    func outcome(on database: Database) -> Result<[Int64], StorageError.Failure> {
      do {
        switch self {
        case .statement(let sql): try database.execute(sql)
        case .query(let sql): return .success(try database.integers(sql))
        case .begin: try database.beginWrite()
        case .commit: try database.commit()
        case .rollback: try database.rollback()
        case .beginRead: try database.beginRead()
        case .endRead: try database.endRead()
        case .checkpoint: try database.checkpoint()
        case .reopen: break
        }
        return .success([])
      } catch {
        return .failure(StorageError.Failure(kind: (error as? StorageError)?.kind))
      }
    }
  }
}

extension StorageError {
  /// The kind of an error, to compare.
  struct Failure: Error, Equatable {
    let kind: Kind?
  }
}
