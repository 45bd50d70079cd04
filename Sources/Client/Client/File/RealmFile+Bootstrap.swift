// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import FlexSyncWire

/// Bootstraps: stored batch by batch as they arrive, applied in one transaction once the last is stored (protocol
/// §4.3).
extension RealmFile {
  /// Stores a batch and discards the batches of other query versions; a pending set becomes `bootstrapping`.
  ///
  /// - Parameter end: the cursors of the last batch; nil for the earlier ones.
  /// - Throws: `IntegrationError` if there is no such set or the server has refused it.
  public func storeBootstrapBatch(queryVersion: Int64, entries: [DownloadEntry], end: SyncProgress?)
    throws
  {
    try database.write {
      CrashPoint.reached(.clientBeforeBootstrapBatch, if: end == nil)
      try checkAwaitsBootstrap(queryVersion, serverVersion: entries.first?.serverVersion ?? 0)
      try discardBatches(condition: "query_version <> \(queryVersion)")
      for entry in entries { try insert(entry, queryVersion: queryVersion) }
      if let end { try insertEnd(end, queryVersion: queryVersion) }
      try changeState(of: queryVersion, from: .pending, to: .bootstrapping)
    }
    CrashPoint.reached(.clientAfterBootstrapBatch, if: end == nil)
  }

  /// Returns the query version of a bootstrap that is stored completely but not yet applied; nil if there is none.
  public func completeBootstrap() throws -> Int64? {
    try database.firstRow("SELECT query_version FROM flx_pending_bootstrap_end") { $0.int(0) }
  }

  /// Discards the batches of an incomplete bootstrap, because the server starts over after an interruption.
  public func discardIncompleteBootstrap() throws {
    guard try completeBootstrap() == nil else { return }
    try database.write {
      try discardBatches(condition: "1")
      let (bootstrapping, pending) = (SubscriptionSetState.bootstrapping, SubscriptionSetState.pending)
      try database.execute(
        """
        UPDATE flx_subscription_sets SET state = \(pending.rawValue) WHERE state = \(bootstrapping.rawValue)
        """
      )
    }
  }

  /// Applies the completely stored bootstrap in one transaction: its changes, its cursors, the state of its set and
  /// the removal of older sets.
  ///
  /// - Parameter rejections: the errors whose changes this bootstrap reverts; the rejected writes are kept.
  /// - Returns: the client version afterwards.
  /// - Throws: `IntegrationError` if a changeset is invalid; the file is then unchanged.
  @discardableResult
  public func applyBootstrap(rejections: [ServerRejection] = []) throws -> UInt64 {
    try database.write {
      CrashPoint.reached(.clientBeforeBootstrap)
      guard let (queryVersion, progress) = try bootstrapEnd() else {
        throw StorageError.misuse("'\(database.path)' has no complete bootstrap to apply.")
      }
      try keep(rejections, rejectedAt: 0)
      try applyBatches()
      try discardBatches(condition: "1")
      try changeState(of: queryVersion, from: .pending, to: .awaitingMark)
      try changeState(of: queryVersion, from: .bootstrapping, to: .awaitingMark)
      try supersede(before: queryVersion)
      return try finishIntegration(progress, hasChanges: true)
    }
  }

  private func applyBatches() throws {
    let base = try database.integer("SELECT ifnull(min(client_version), 0) FROM flx_pending_bootstrap")
    var concurrent = try concurrentChanges(after: UInt64(bitPattern: base))
    let sql = """
      SELECT server_version, client_version, timestamp, origin_file_ident, changeset FROM flx_pending_bootstrap
      ORDER BY position
      """
    try database.withStatement(sql) { statement in
      while try statement.step() {
        let entry = DownloadEntry(
          serverVersion: statement.unsigned(0),
          clientVersion: statement.unsigned(1),
          timestamp: statement.unsigned(2),
          originFileIdent: statement.unsigned(3),
          changeset: statement.blob(4)
        )
        try apply([entry], &concurrent, isBootstrap: true)
      }
    }
    try concurrent.save(database)
  }

  private func checkAwaitsBootstrap(_ queryVersion: Int64, serverVersion: UInt64) throws {
    let set = try subscriptionSet(version: queryVersion)
    guard let set, set.state != .error else {
      throw IntegrationError(
        serverVersion: serverVersion,
        reason: "it bootstraps subscription set \(queryVersion), which "
          + (set == nil ? "does not exist" : "the server has rejected")
      )
    }
  }

  private func insert(_ entry: DownloadEntry, queryVersion: Int64) throws {
    let sql = """
      INSERT INTO flx_pending_bootstrap
        (query_version, server_version, client_version, timestamp, origin_file_ident, changeset)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """
    try database.run(
      sql,
      [
        queryVersion, entry.serverVersion, entry.clientVersion, entry.timestamp, entry.originFileIdent,
        entry.changeset,
      ]
    )
  }

  private func insertEnd(_ progress: SyncProgress, queryVersion: Int64) throws {
    let sql = """
      INSERT OR REPLACE INTO flx_pending_bootstrap_end (query_version, \(SyncProgress.columns))
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """
    try database.withStatement(sql) {
      $0.bind(queryVersion, at: 1)
      $0.bind(progress, from: 2)
      try $0.run()
    }
  }

  private func bootstrapEnd() throws -> (queryVersion: Int64, progress: SyncProgress)? {
    let sql = "SELECT query_version, \(SyncProgress.columns) FROM flx_pending_bootstrap_end"
    return try database.firstRow(sql) { ($0.int(0), $0.progress(from: 1)) }
  }

  private func discardBatches(condition: String) throws {
    try database.execute(
      """
      DELETE FROM flx_pending_bootstrap WHERE \(condition);
      DELETE FROM flx_pending_bootstrap_end WHERE \(condition);
      """
    )
  }
}
