// SPDX-License-Identifier: Apache-2.0

extension EarlyFile {
  /// The realm files that versions without migrations left, oldest first. The first two are those of a process that
  /// was killed while it created the file.
  package static let realms = [
    EarlyFile(description: "an empty realm", sql: ""),
    EarlyFile(description: "no tables but those of the schema", sql: classTables),
    EarlyFile(description: "the first realm tables", sql: classTables + firstRealmTables),
    EarlyFile(description: "with setup", sql: classTables + realmTables),
    EarlyFile(description: "with a client reset", sql: classTables + realmTables + clientReset),
    EarlyFile(description: "with rejected writes", sql: classTables + realmTables + rejectedWrites),
    EarlyFile(
      description: "with both",
      sql: classTables + realmTables + clientReset + rejectedWrites
    ),
  ]

  static let classTables = """
    CREATE TABLE flx_classes (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind INTEGER NOT NULL, table_name TEXT NOT NULL,
      next_row INTEGER NOT NULL DEFAULT 1);
    CREATE TABLE flx_properties (
      class INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, type INTEGER NOT NULL,
      nullable INTEGER NOT NULL, collection INTEGER NOT NULL, target TEXT, column_name TEXT NOT NULL,
      indexed INTEGER NOT NULL, PRIMARY KEY (class, position)) WITHOUT ROWID;
    """

  private static let firstRealmTables = makeRealmTables(isSetUp: "")
  private static let realmTables = makeRealmTables(isSetUp: "is_set_up INTEGER NOT NULL DEFAULT 0,")

  private static func makeRealmTables(isSetUp: String) -> String {
    """
    CREATE TABLE flx_metadata (
      id INTEGER PRIMARY KEY CHECK (id = 1), app_id TEXT, user_id TEXT,
      \(isSetUp)
      file_ident INTEGER NOT NULL DEFAULT 0, file_salt INTEGER NOT NULL DEFAULT 0,
      client_version INTEGER NOT NULL DEFAULT 1,
      download_server_version INTEGER NOT NULL DEFAULT 0, download_client_version INTEGER NOT NULL DEFAULT 0,
      upload_client_version INTEGER NOT NULL DEFAULT 0, upload_server_version INTEGER NOT NULL DEFAULT 0,
      latest_server_version INTEGER NOT NULL DEFAULT 0, latest_server_salt INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE flx_history (
      version INTEGER PRIMARY KEY, base_server_version INTEGER NOT NULL, timestamp INTEGER NOT NULL,
      changeset BLOB NOT NULL, reciprocal BLOB);
    CREATE TABLE flx_subscription_sets (
      version INTEGER PRIMARY KEY, state INTEGER NOT NULL, snapshot_version INTEGER NOT NULL, error TEXT);
    CREATE TABLE flx_subscriptions (
      set_version INTEGER NOT NULL, position INTEGER NOT NULL, id BLOB NOT NULL, name TEXT, class TEXT NOT NULL,
      query TEXT NOT NULL, created INTEGER NOT NULL, created_ns INTEGER NOT NULL, updated INTEGER NOT NULL,
      updated_ns INTEGER NOT NULL, PRIMARY KEY (set_version, position)) WITHOUT ROWID;
    CREATE TABLE flx_pending_bootstrap (
      position INTEGER PRIMARY KEY, query_version INTEGER NOT NULL, server_version INTEGER NOT NULL,
      client_version INTEGER NOT NULL, timestamp INTEGER NOT NULL, origin_file_ident INTEGER NOT NULL,
      changeset BLOB NOT NULL);
    CREATE TABLE flx_pending_bootstrap_end (
      query_version INTEGER PRIMARY KEY,
      download_server_version INTEGER NOT NULL, download_client_version INTEGER NOT NULL,
      upload_client_version INTEGER NOT NULL, upload_server_version INTEGER NOT NULL,
      latest_server_version INTEGER NOT NULL, latest_server_salt INTEGER NOT NULL);
    INSERT INTO flx_metadata (id, app_id, user_id, file_ident, file_salt, client_version)
      VALUES (1, 'app', 'ann', 2, 4242, 7);
    INSERT INTO flx_history VALUES (7, 3, 100, x'', NULL);
    INSERT INTO flx_subscription_sets VALUES (0, 3, 0, NULL), (1, 1, 6, NULL);
    INSERT INTO flx_subscriptions
      VALUES (1, 0, x'000000000000000100000002', NULL, 'Task', 'TRUEPREDICATE', 0, 0, 0, 0);
    """
  }

  private static let clientReset = """
    CREATE TABLE flx_client_reset (
      id INTEGER PRIMARY KEY CHECK (id = 1), stage INTEGER NOT NULL, kind INTEGER NOT NULL,
      code INTEGER NOT NULL, text TEXT NOT NULL);
    INSERT INTO flx_client_reset VALUES (1, 1, 2, 208, 'reset');
    """

  private static let rejectedWrites = """
    CREATE TABLE flx_rejected_writes (
      id INTEGER PRIMARY KEY AUTOINCREMENT, class TEXT NOT NULL, key BLOB NOT NULL, state INTEGER NOT NULL,
      reason TEXT NOT NULL, error_code INTEGER NOT NULL, error_text TEXT NOT NULL, log_url TEXT NOT NULL,
      server_version INTEGER NOT NULL, first_version INTEGER NOT NULL, last_version INTEGER NOT NULL,
      written INTEGER NOT NULL, rejected INTEGER NOT NULL, changeset BLOB NOT NULL,
      resubmitted_version INTEGER, is_told INTEGER NOT NULL);
    INSERT INTO flx_rejected_writes
      VALUES (5, 'Task', x'010000000000000001', 0, 'not allowed', 231, 'it has been reverted', 'url', 3, 5, 6, 1, 2, x'', NULL, 1);
    """
}
