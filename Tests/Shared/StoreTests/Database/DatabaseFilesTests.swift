// SPDX-License-Identifier: Apache-2.0

import FlexSyncCore
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@Suite struct DatabaseFilesTests {
  let folder = TemporaryFolder()

  @Test func aDeletedDatabaseLeavesNothing() throws {
    let path = folder.file("test.flexsync")
    do {
      let database = try folder.open()
      try database.execute("CREATE TABLE a (b)")
      folder.write([1], to: "test.flexsync-journal")
      #expect(DatabaseFiles.exist(at: path))
    }
    try DatabaseFiles.delete(at: path)
    for suffix in ["", "-wal", "-shm", "-journal"] { #expect(!DatabaseFiles.exist(at: path + suffix)) }
    try DatabaseFiles.delete(at: path)
  }

  @Test func aCopyReplacesAnEarlierOne() throws {
    let database = try folder.open()
    for statement in ["CREATE TABLE a (b)", "INSERT INTO a VALUES (1)"] {
      try database.execute(statement)
      try DatabaseFiles.copy(database, to: folder.file("copy.flexsync"))
    }
    let copy = try folder.open("copy.flexsync")
    #expect(try copy.withStatement("SELECT count(*) FROM a") { try $0.step() ? $0.int(0) : 0 } == 1)
  }
}
