// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Testing

@testable import FlexSyncServerStore
@testable import FlexSyncStore

/// Server stores of versions without migrations are brought to the format of this one.
@Suite struct ServerStoreMigrationTests {
  let folder = TemporaryFolder()
  var path: String { folder.file("data.sqlite") }

  @Test(arguments: EarlyFile.stores)
  func anEarlyStoreGetsTheTablesOfANewOneAndKeepsItsRows(early: EarlyFile) throws {
    try early.write(to: path, .server)
    let before = try Database.open(path, .server.withMigrations([])).values()
    let store = try ServerStore(path: path)
    #expect(try store.database.shape() == Database.open(folder.file("new"), .server).shape())
    let migrations = DatabaseConfiguration.Application.server.migrator.migrations
    #expect(store.database.upgrade == migrations.map(\.name))
    #expect(try ServerStore(path: path).database.upgrade.isEmpty)
    #expect(try EarlyFile.lasting(before).isSubset(of: store.database.values()))
  }

  @Test(arguments: EarlyFile.stores.dropFirst(2))
  func usersOfAnEarlyStoreKeepTheirAccounts(early: EarlyFile) throws {
    try early.write(to: path, .server)
    let store = try ServerStore(path: path)
    var user = UserRecord(id: "u1", created: 5)
    user.isDisabled = true
    #expect(try store.user(id: "u1") == user)
    let identity = try #require(try store.identity(provider: "local-userpass", subject: "ann@example.com"))
    #expect(identity.userID == "u1" && identity.passwordHash == "hash" && !identity.isPending)
    #expect(try store.identities(userID: "u2").map(\.provider) == ["anon-user"])
    #expect(try store.login(id: "l1")?.apiKeyID == nil)
    let hasKeys = early.sql.contains("flx_api_keys")
    #expect(try store.apiKeys(userID: "u2").map(\.name) == (hasKeys ? ["older", "newer"] : []))
  }

  @Test(arguments: EarlyFile.stores.dropFirst(2))
  func clientFilesOfAnEarlyStoreKeepTheirStreams(early: EarlyFile) throws {
    try early.write(to: path, .server)
    let store = try ServerStore(path: path)
    #expect(try store.file(salt: 4242)?.ident == 2)
    #expect(try store.firstBootstrap(file: 2, after: 0)?.version == 1)
    #expect(try store.oldestNeededVersion(keptBatchesFrom: 0) == 1)
    #expect(try store.versionSalt() == 99)
    try store.write { try store.changeVersionSalt(to: 100) }
    #expect(try store.formerSalts(file: 2, version: 1) == [99])
  }

  @Test func aCurrentStoreIsOpenedWhileAnotherConnectionWrites() throws {
    let writer = try ServerStore(path: path)
    try writer.database.beginWrite()
    // Opening waits for nobody, because it only reads.
    _ = try ServerStore(path: path)
    try writer.database.rollback()
  }
}
