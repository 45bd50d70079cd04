// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// Batches that a client may have of incomplete bootstraps of one query set. A client that speaks a version of the
/// protocol before 14 applies them together with the next bootstrap of that set. It drops them only when a batch of
/// another set arrives, and the server cannot know whether one did (protocol §4.3).
public struct KeptBatches: Hashable, Sendable {
  public var queryVersion: UInt64
  /// The query set that was asked for under this version.
  public var query: String
  /// The views that the client may have received in part; see `BootstrapRecord.begun`.
  public var begun: String
  /// The oldest version of the history needed to use `begun`.
  public var neededVersion: UInt64
}

extension ServerStore {
  /// Returns what a client may have kept of the bootstraps of a query set.
  public func keptBatches(file: UInt64, queryVersion: UInt64) throws -> KeptBatches? {
    let sql = """
      SELECT query, begun, needed_version FROM flx_kept_batches WHERE file = ?1 AND query_version = ?2
      """
    return try database.firstRow(sql, [file, queryVersion]) { row in
      KeptBatches(
        queryVersion: queryVersion,
        query: row.text(0),
        begun: row.text(1),
        neededVersion: row.unsigned(2)
      )
    }
  }

  /// Returns the number of query sets of which a client may have kept batches.
  public func keptBatchesCount(file: UInt64) throws -> Int {
    let sql = "SELECT count(*) FROM flx_kept_batches WHERE file = ?1"
    return try database.firstRow(sql, [file]) { Int($0.int(0)) } ?? 0
  }

  /// Notes what a client may have kept of a bootstrap, in place of what was noted for the same query set.
  ///
  /// - Parameter begun: The views that the client may have received in part; see `BootstrapRecord.begun`.
  public func noteKeptBatches(of bootstrap: BootstrapRecord, begun: String, file: UInt64) throws {
    try database.run(
      """
      INSERT OR REPLACE INTO flx_kept_batches (file, query_version, query, begun, needed_version)
      VALUES (?1, ?2, ?3, ?4, ?5)
      """,
      [file, bootstrap.queryVersion, bootstrap.query, begun, bootstrap.neededVersion]
    )
  }

  /// Forgets what a client may have kept of a query set and of all older ones.
  public func forgetKeptBatches(file: UInt64, through queryVersion: UInt64) throws {
    let sql = "DELETE FROM flx_kept_batches WHERE file = ?1 AND query_version <= ?2"
    try database.run(sql, [file, queryVersion])
  }

  /// Forgets all that a client may have kept.
  public func forgetKeptBatches(file: UInt64) throws {
    try database.run("DELETE FROM flx_kept_batches WHERE file = ?1", [file])
  }

  /// Moves what client files may have kept into a table of its own. Of the sets noted before, the query is not known:
  /// no set equals an empty text, so those clients start over when they ask for such a set again.
  static func createKeptBatches(_ database: Database) throws {
    try database.execute(
      """
      CREATE TABLE flx_kept_batches (
        file INTEGER NOT NULL, query_version INTEGER NOT NULL, query TEXT NOT NULL, begun TEXT NOT NULL,
        needed_version INTEGER NOT NULL, PRIMARY KEY (file, query_version)) WITHOUT ROWID;
      CREATE INDEX flx_kept_batches_needed ON flx_kept_batches (needed_version);
      INSERT INTO flx_kept_batches
        SELECT ident, kept_query_version, '', kept_views, kept_needed_version FROM flx_files
        WHERE kept_query_version IS NOT NULL;
      DROP INDEX flx_files_kept;
      ALTER TABLE flx_files DROP COLUMN kept_query_version;
      ALTER TABLE flx_files DROP COLUMN kept_views;
      ALTER TABLE flx_files DROP COLUMN kept_needed_version;
      """
    )
  }
}
