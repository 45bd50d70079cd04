// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

extension DatabaseConfiguration.Application {
  /// A client's realm file, "FLXC".
  ///
  /// Migrations are only ever added, at the end: files that have had the others exist (Docs/Storage.md).
  public static let realm = Self(
    identifier: 0x464C_5843,
    name: "FlexSync realm",
    migrations: [
      Migration("realm tables", apply: RealmFile.createTables),
      Migration("packed history", apply: RealmFile.packHistory),
      Migration("schema version", apply: RealmFile.addSchemaVersion),
      Migration("several processes", apply: RealmFile.createTablesOfProcesses),
    ]
  )
}

extension RealmFile {
  /// Creates all tables of a new file, and adds what a file of a version without migrations lacks. Those versions added
  /// tables and a column without a record of it, so this migration, unlike any later one, has to look at what is there.
  fileprivate static func createTables(_ database: Database) throws {
    try ObjectStore.createTables(database)
    try database.execute(tablesSQL)
    // A file without the column may have been set up: what is done only during setup checks that for itself.
    try database.addMissingColumn("is_set_up", "INTEGER NOT NULL DEFAULT 0", to: "flx_metadata")
  }

  /// Lets the history hold compressed changesets, whose size it notes, and the newest client version, which the metadata
  /// follow only when entries are removed.
  fileprivate static func packHistory(_ database: Database) throws {
    try database.execute("ALTER TABLE flx_history ADD COLUMN byte_count INTEGER")
  }

  /// Lets the file note the version of its schema, which is null for a file of programs that do not number theirs.
  fileprivate static func addSchemaVersion(_ database: Database) throws {
    try database.execute("ALTER TABLE flx_metadata ADD COLUMN schema_version INTEGER")
  }

  /// Creates the tables through which processes that have the file open at the same time tell each other things.
  fileprivate static func createTablesOfProcesses(_ database: Database) throws {
    try CommitRecords.createTable(database)
    try createDownloadRequests(database)
  }

  /// Versions, salts and idents are unsigned and stored by their bit patterns.
  private static let tablesSQL = """
    CREATE TABLE IF NOT EXISTS flx_metadata (
      id INTEGER PRIMARY KEY CHECK (id = 1), app_id TEXT, user_id TEXT,
      is_set_up INTEGER NOT NULL DEFAULT 0,
      file_ident INTEGER NOT NULL DEFAULT 0, file_salt INTEGER NOT NULL DEFAULT 0,
      client_version INTEGER NOT NULL DEFAULT 1,
      download_server_version INTEGER NOT NULL DEFAULT 0, download_client_version INTEGER NOT NULL DEFAULT 0,
      upload_client_version INTEGER NOT NULL DEFAULT 0, upload_server_version INTEGER NOT NULL DEFAULT 0,
      latest_server_version INTEGER NOT NULL DEFAULT 0, latest_server_salt INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE IF NOT EXISTS flx_history (
      version INTEGER PRIMARY KEY, base_server_version INTEGER NOT NULL, timestamp INTEGER NOT NULL,
      changeset BLOB NOT NULL, reciprocal BLOB);
    CREATE TABLE IF NOT EXISTS flx_subscription_sets (
      version INTEGER PRIMARY KEY, state INTEGER NOT NULL, snapshot_version INTEGER NOT NULL, error TEXT);
    CREATE TABLE IF NOT EXISTS flx_subscriptions (
      set_version INTEGER NOT NULL, position INTEGER NOT NULL, id BLOB NOT NULL, name TEXT, class TEXT NOT NULL,
      query TEXT NOT NULL, created INTEGER NOT NULL, created_ns INTEGER NOT NULL, updated INTEGER NOT NULL,
      updated_ns INTEGER NOT NULL, PRIMARY KEY (set_version, position)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS flx_pending_bootstrap (
      position INTEGER PRIMARY KEY, query_version INTEGER NOT NULL, server_version INTEGER NOT NULL,
      client_version INTEGER NOT NULL, timestamp INTEGER NOT NULL, origin_file_ident INTEGER NOT NULL,
      changeset BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS flx_pending_bootstrap_end (
      query_version INTEGER PRIMARY KEY,
      download_server_version INTEGER NOT NULL, download_client_version INTEGER NOT NULL,
      upload_client_version INTEGER NOT NULL, upload_server_version INTEGER NOT NULL,
      latest_server_version INTEGER NOT NULL, latest_server_salt INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS flx_rejected_writes (
      id INTEGER PRIMARY KEY AUTOINCREMENT, class TEXT NOT NULL, key BLOB NOT NULL, state INTEGER NOT NULL,
      reason TEXT NOT NULL, error_code INTEGER NOT NULL, error_text TEXT NOT NULL, log_url TEXT NOT NULL,
      server_version INTEGER NOT NULL, first_version INTEGER NOT NULL, last_version INTEGER NOT NULL,
      written INTEGER NOT NULL, rejected INTEGER NOT NULL, changeset BLOB NOT NULL,
      resubmitted_version INTEGER, is_told INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS flx_client_reset (
      id INTEGER PRIMARY KEY CHECK (id = 1), stage INTEGER NOT NULL, kind INTEGER NOT NULL,
      code INTEGER NOT NULL, text TEXT NOT NULL);
    """
}
