// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import FlexSyncWire
import Testing

@testable import FlexSyncCore
@testable import FlexSyncStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What a process leaves behind that is killed: the bytes of the file and of its write-ahead log at that moment.
@Suite struct CrashTests {
  let folder = TemporaryFolder()

  /// Opens what is on the disk now as another process would find it.
  private func reopenAsAfterAKill() throws -> RealmFile {
    let other = "copy.flexsync"
    for suffix in ["", "-wal"] {
      let bytes = readBytes(folder.file("test.flexsync\(suffix)"))
      folder.write(bytes, to: other + suffix)
    }
    return try RealmFile.open(
      DatabaseConfiguration(location: .file(folder.file(other)), application: .realm),
      owner: syncedOwner
    )
  }

  private func readBytes(_ path: String) -> [UInt8] {
    guard let file = fopen(path, "rb") else { return [] }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: ftell(file))
    rewind(file)
    _ = fread(&bytes, 1, bytes.count, file)
    return bytes
  }

  @Test func anOpenTransactionLeavesNothing() throws {
    let realm = try folder.openTaskRealm()
    try realm.writeLocally([.createObject(task(1))])
    let version = try realm.clientVersion()
    try realm.database.beginWrite()
    // Enough to spill pages into the log before the commit.
    for key in 2...20_000 as ClosedRange<Int64> {
      try realm.objects.apply([
        .createObject(task(key)), setTitle(key, "a long title that fills pages of the file"),
      ])
    }
    try realm.recordLocalChanges([.createObject(task(2))], timestamp: 1)
    try realm.objects.flush()
    let copy = try reopenAsAfterAKill()
    #expect(try copy.clientVersion() == version)
    #expect(try copy.objects.count(try #require(try copy.objects.table(named: "Task"))) == 1)
    #expect(
      try copy.database.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'")
        == 0
    )
    try realm.database.rollback()
  }

  @Test func aCommitIsThereWithItsHistory() throws {
    let realm = try folder.openTaskRealm()
    let version = try realm.writeLocally([.createObject(task(1))])
    let copy = try reopenAsAfterAKill()
    #expect(try copy.objects.row(of: task(1)) != nil)
    #expect(try copy.uploads(after: 0, byteLimit: 1).entries.map(\.clientVersion) == [version])
  }

  @Test func aBootstrapIsThereWholeOrNotAtAll() throws {
    let realm = try folder.openTaskRealm()
    for key in 1...3 as ClosedRange<Int64> {
      try realm.storeBootstrapBatch(
        queryVersion: 0,
        entries: [entry(1, base: 0, [.createObject(task(key))])],
        end: key == 3 ? progress(server: 1) : nil
      )
    }
    let before = try reopenAsAfterAKill()
    #expect(try before.objects.row(of: task(1)) == nil)
    #expect(try before.completeBootstrap() == 0)
    try before.applyBootstrap()
    #expect(try before.objects.row(of: task(3)) != nil)
  }

  @Test func aFullDiskDuringIntegrationLeavesTheFileAsItWas() throws {
    let realm = try folder.openTaskRealm()
    let pageCount = try realm.database.integer("PRAGMA page_count")
    try realm.database.execute("PRAGMA max_page_count=\(pageCount + 5)")
    let large = (1...2000 as ClosedRange<Int64>).flatMap {
      [.createObject(task($0)), setTitle($0, "title \($0)")]
    }
    let error = #expect(throws: StorageError.self) {
      try realm.integrate([entry(1, base: 0, large)], progress: progress(server: 1))
    }
    #expect(error?.kind == .diskFull)
    #expect(try realm.progress() == SyncProgress.start)
    #expect(try realm.objects.row(of: task(1)) == nil)
    try realm.database.execute("PRAGMA max_page_count=100000")
    try realm.integrate([entry(1, base: 0, large)], progress: progress(server: 1))
    #expect(try realm.objects.row(of: task(2000)) != nil)
  }
}
