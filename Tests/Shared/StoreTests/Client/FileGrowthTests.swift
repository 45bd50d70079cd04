// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

@Suite struct FileGrowthTests {
  let folder = TemporaryFolder()

  private func count(_ table: String, _ realm: RealmFile) throws -> Int64 {
    try realm.database.integer("SELECT count(*) FROM \(table)")
  }

  /// The pages of the database, and of its write-ahead log.
  private func pages(_ realm: RealmFile) throws -> (database: Int64, log: Int64) {
    let database = try realm.database.integer("PRAGMA page_count")
    let log = try realm.database.withStatement("PRAGMA wal_checkpoint(PASSIVE)") { statement in
      try statement.step() ? statement.int(1) : 0
    }
    return (database, log)
  }

  @Test func aFileThatSyncsForLongStaysAsSmallAsAtTheBeginning() throws {
    let realm = try folder.openTaskRealm()
    try realm.writeLocally((1...20).map { .createObject(task($0)) })
    var server: UInt64 = 0
    var early: (database: Int64, log: Int64) = (0, 0)
    for round in 1...1500 {
      let key = Int64(round % 20 + 1)
      let version = try realm.writeLocally([setTitle(key, String(repeating: "l", count: round % 300))])
      // Made before the server knew of the local change, which is merged with it.
      server += 1
      let remote = setTitle(key, String(repeating: "r", count: round % 300))
      try realm.integrate(
        [entry(server, base: version - 1, [remote])],
        progress: progress(server: server, base: version - 1, upload: version - 1)
      )
      #expect(try count("flx_history", realm) == 1)
      try realm.integrate([], progress: progress(server: server, base: version, upload: version))
      if round % 100 == 0 {
        let set = try realm.addSubscriptionSet([subscription("Task", "a == \(round)")])
        for isLast in [false, true] {
          server += isLast ? 0 : 1
          try realm.storeBootstrapBatch(
            queryVersion: set.version,
            entries: (1...20).map { entry(server, base: version, [setTitle($0, "bootstrapped")]) },
            end: isLast ? progress(server: server, base: version, upload: version) : nil
          )
        }
        try realm.applyBootstrap()
        _ = try realm.completeSubscriptionSet(version: set.version)
      }
      if round == 500 { early = try pages(realm) }
    }
    #expect(try count("flx_history", realm) == 0)
    #expect(try count("flx_pending_bootstrap", realm) == 0)
    #expect(try count("flx_pending_bootstrap_end", realm) == 0)
    #expect(try count("flx_subscription_sets", realm) == 1)
    #expect(try count("flx_subscriptions", realm) == 1)
    let late = try pages(realm)
    #expect(late.database <= early.database + 2, "\(early.database) pages became \(late.database)")
    // SQLite moves the log into the database each 1,000 pages and begins it again.
    #expect(late.log < 1_100)
  }
}
