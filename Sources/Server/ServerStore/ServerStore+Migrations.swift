// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

extension DatabaseConfiguration.Application {
  /// A server's store, "FLXS".
  ///
  /// Migrations are only ever added, at the end: files that have had the others exist (Docs/Storage.md).
  public static let server = Self(
    identifier: 0x464C_5853,
    name: "FlexSync server store",
    migrations: [
      Migration("server tables", apply: ServerStore.createTables),
      Migration("kept batches", apply: ServerStore.addKeptBatches),
      Migration("kept batches of several sets", apply: ServerStore.createKeptBatches),
    ],
    advice: .server
  )
}

extension FileAdvice {
  /// The advice for the only copy of an app's data.
  static let server = FileAdvice(
    damaged: restore,
    notADatabase: restore,
    newerFormat:
      "Use the newer flexsyncd, or restore the backup from before the upgrade with `flexsyncd restore` into "
      + "a new folder",
    declarer: "the server's data",
    conflict: "Declare it as before, or use a new name; what the server has stored keeps its type"
  )

  private static let restore =
    "Stop the server, keep the data folder for a rescue, and restore the last backup with `flexsyncd restore` into a "
    + "new folder"
}

extension ServerStore {
  /// Creates all tables of a new file, and adds what a file of a version without migrations lacks. Those versions added
  /// tables, columns and indexes without a record of it, so this migration, unlike any later one, has to look at what is
  /// there.
  fileprivate static func createTables(_ database: Database) throws {
    try ObjectStore.createTables(database)
    try database.execute(tablesSQL)
    try createAccountTables(database)
    try addMissingColumns(database)
    try database.execute(bootstrapIndexSQL)
  }

  /// Adds the columns missing from files of older versions. Those versions had no permissions, so every user saw
  /// everything, and did not record whether a client file had written anything.
  private static func addMissingColumns(_ database: Database) throws {
    for (table, column, type) in [
      ("flx_files", "permissions", "TEXT NOT NULL DEFAULT '{}'"), ("flx_stream", "old_permissions", "TEXT"),
      ("flx_stream", "permissions", "TEXT"), ("flx_files", "has_written", "INTEGER NOT NULL DEFAULT 1"),
      ("flx_files", "source_salt", "INTEGER"),
      ("flx_files", "passed_permissions", "TEXT NOT NULL DEFAULT '[]'"), ("flx_stream", "begun", "TEXT"),
      ("flx_stream", "needed_version", "INTEGER"),
      ("flx_identities", "confirmed", "INTEGER NOT NULL DEFAULT 0"),
      ("flx_logins", "api_key", "TEXT"),
    ] {
      try database.addMissingColumn(column, type, to: table)
    }
  }

  private static let tablesSQL = """
    CREATE TABLE IF NOT EXISTS flx_settings (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS flx_declarations (
      ordinal INTEGER PRIMARY KEY, changeset BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS flx_history (
      version INTEGER PRIMARY KEY, origin INTEGER NOT NULL, timestamp INTEGER NOT NULL,
      changeset BLOB NOT NULL, images BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS flx_files (
      ident INTEGER PRIMARY KEY AUTOINCREMENT, salt INTEGER NOT NULL, user_id TEXT NOT NULL,
      upload_client_version INTEGER NOT NULL DEFAULT 0, upload_server_version INTEGER NOT NULL DEFAULT 0,
      trimmed_version INTEGER NOT NULL DEFAULT 0, stream_head INTEGER NOT NULL DEFAULT 0,
      placed_version INTEGER NOT NULL DEFAULT 0, declaration_count INTEGER NOT NULL DEFAULT 0,
      query_version INTEGER NOT NULL DEFAULT 0, query TEXT NOT NULL DEFAULT '{}', last_seen INTEGER NOT NULL,
      permissions TEXT NOT NULL DEFAULT '{}', has_written INTEGER NOT NULL DEFAULT 1, source_salt INTEGER,
      passed_permissions TEXT NOT NULL DEFAULT '[]');
    CREATE INDEX IF NOT EXISTS flx_files_by_user ON flx_files (user_id);
    CREATE INDEX IF NOT EXISTS flx_files_by_salt ON flx_files (salt);
    CREATE TABLE IF NOT EXISTS flx_stream (
      id INTEGER PRIMARY KEY, file INTEGER NOT NULL, version INTEGER NOT NULL, kind INTEGER NOT NULL,
      base INTEGER NOT NULL, timestamp INTEGER NOT NULL, origin INTEGER NOT NULL, changeset BLOB NOT NULL,
      rejection TEXT, placed_version INTEGER, old_query TEXT, query TEXT,
      query_version INTEGER, old_permissions TEXT, permissions TEXT, begun TEXT, needed_version INTEGER);
    CREATE UNIQUE INDEX IF NOT EXISTS flx_stream_by_file ON flx_stream (file, version);
    CREATE TABLE IF NOT EXISTS flx_reciprocals (
      file INTEGER NOT NULL, version INTEGER NOT NULL, class TEXT NOT NULL, key BLOB NOT NULL,
      changeset BLOB NOT NULL, PRIMARY KEY (file, version, class, key)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS flx_former_salts (
      file INTEGER NOT NULL, salt INTEGER NOT NULL, stream_head INTEGER NOT NULL, PRIMARY KEY (file, salt))
      WITHOUT ROWID;
    """

  /// Adds what a client file may have kept of incomplete bootstraps, at first only of one query set.
  fileprivate static func addKeptBatches(_ database: Database) throws {
    try database.execute(
      """
      ALTER TABLE flx_files ADD COLUMN kept_query_version INTEGER;
      ALTER TABLE flx_files ADD COLUMN kept_views TEXT;
      ALTER TABLE flx_files ADD COLUMN kept_needed_version INTEGER;
      CREATE INDEX flx_files_kept ON flx_files (kept_needed_version) WHERE kept_needed_version IS NOT NULL;
      """
    )
  }

  /// Needs a column that older versions did not have, and replaces an index of theirs.
  private static let bootstrapIndexSQL = """
    DROP INDEX IF EXISTS flx_stream_bootstraps;
    CREATE INDEX IF NOT EXISTS flx_stream_needed ON flx_stream (coalesce(needed_version, placed_version)) WHERE kind = 2;
    """
}
