// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import FlexSyncWire
import Testing

@testable import FlexSyncCore
@testable import FlexSyncStore

/// Realm files of versions without migrations are brought to the format of this one.
@Suite struct RealmMigrationTests {
  let folder = TemporaryFolder()

  @Test(arguments: EarlyFile.realms)
  func anEarlyRealmGetsTheTablesOfANewOneAndKeepsItsRows(early: EarlyFile) throws {
    let path = folder.file("test.flexsync")
    try early.write(to: path, .realm)
    let before = try Database.open(path, .realm.withMigrations([])).values()
    let realm = try folder.openRealm()
    #expect(try realm.database.shape() == Database.open(folder.file("new"), .realm).shape())
    #expect(try before.isSubset(of: realm.database.values()))
    let migrations = DatabaseConfiguration.Application.realm.migrator.migrations
    #expect(realm.database.upgrade == migrations.map(\.name))
    #expect(try folder.openRealm().database.upgrade.isEmpty)
  }

  @Test(arguments: EarlyFile.realms.dropFirst(2))
  func whatAnEarlyRealmHoldsIsRead(early: EarlyFile) throws {
    try early.write(to: folder.file("test.flexsync"), .realm)
    let realm = try folder.openRealm()
    #expect(try realm.fileIdent() == SaltedFileIdent(ident: 2, salt: 4242))
    #expect(try realm.uploads(after: 0, byteLimit: 1000).entries.map(\.clientVersion) == [7])
    let hasReset = early.sql.contains("flx_client_reset")
    #expect(try realm.clientReset()?.text == (hasReset ? "reset" : nil))
    let hasRejectedWrite = early.sql.contains("flx_rejected_writes")
    #expect(try realm.rejectedWrites().map(\.id) == (hasRejectedWrite ? [5] : []))
    try realm.finishSetUp()
    #expect(try realm.isSetUp())
  }

  @Test func aRealmOfFormat4GetsTheTablesOfSeveralProcesses() throws {
    let path = folder.file("test.flexsync")
    let migrations = DatabaseConfiguration.Application.realm.migrator.migrations
    let before = try Database.open(path, .realm.withMigrations(Array(migrations.prefix(3))))
    try before.execute("INSERT INTO flx_history VALUES (7, 1, 2, x'01', NULL, NULL)")
    let realm = try folder.openRealm()
    #expect(realm.database.upgrade == ["several processes"])
    #expect(try CommitRecords.newest(in: realm.database) == 0)
    #expect(try realm.addDownloadRequest() == 1 && realm.downloadRequests() == [1])
    #expect(try realm.uploads(after: 0, byteLimit: 1000).entries.map(\.clientVersion) == [7])
  }

  @Test func anEarlyRealmKeepsItsOwner() throws {
    try EarlyFile.realms[2].write(to: folder.file("test.flexsync"), .realm)
    let error = #expect(throws: StorageError.self) {
      try folder.openRealm(owner: .synced(appID: "app", userID: "bob"))
    }
    #expect(error?.kind == .incompatibleFile)
  }

  @Test func aCurrentRealmIsOpenedWhileAnotherConnectionWrites() throws {
    let writer = try folder.openRealm()
    try writer.database.beginWrite()
    // Opening waits for nobody, because it only reads.
    _ = try folder.openRealm()
    try writer.database.rollback()
  }
}
