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

  @Test func aFileOfARealmSDKIsRecognised() throws {
    let header = [UInt8](repeating: 0, count: 16) + Array("T-DB".utf8) + [UInt8](repeating: 0, count: 4)
    for size in [0, 4096] {
      folder.write(header + [UInt8](repeating: 7, count: size), to: "test.flexsync")
      let path = folder.file("test.flexsync")
      for attempt in [{ _ = try folder.open() }, { try DatabaseFiles.requireOurs(at: path, .realm) }] {
        let error = #expect(throws: StorageError.self) { try attempt() }
        #expect(error?.kind == .notADatabase)
        #expect(error?.message.contains("is a file of a Realm SDK") == true)
      }
    }
  }
}
