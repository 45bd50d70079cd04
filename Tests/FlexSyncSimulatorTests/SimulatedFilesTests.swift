// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FlexSyncStorage
import Testing

@testable import FlexSyncSimulator

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
}
