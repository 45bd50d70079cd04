// SPDX-License-Identifier: Apache-2.0

extension EarlyFile {
  /// The server stores that versions without migrations left, oldest first. Each of them added to the tables of the
  /// one before it; the last one is a file that has existed since accounts have several identities.
  package static let stores = [
    EarlyFile(description: "an empty store", sql: ""),
    EarlyFile(description: "no tables but those of the schema", sql: classTables),
    make("the first server", additions(0)), make("with an index of bootstraps", additions(1)),
    make("with identities", additions(2)), make("with permissions", additions(3)),
    make("with ordered API keys", additions(4)), make("with an index of users", additions(5)),
    make("with bundled realms", additions(6)), make("with confirmed addresses", additions(7)),
    make("with former salts", additions(8)), make("with passed permissions", additions(9)),
    make("with begun bootstraps", additions(10)),
    make("with all but ordered API keys", Array(tables[...3] + tables[5...])),
  ]

  private static func make(_ name: String, _ additions: [String]) -> EarlyFile {
    EarlyFile(description: name, sql: classTables + additions.joined() + rows)
  }

  private static func additions(_ last: Int) -> [String] { Array(tables[...last]) }

  private static let tables = [
    """
    CREATE TABLE flx_settings (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE flx_users (
      id TEXT PRIMARY KEY, provider TEXT NOT NULL, email TEXT UNIQUE, password_hash TEXT,
      created INTEGER NOT NULL, disabled INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
    CREATE TABLE flx_logins (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL, device_id TEXT NOT NULL, expires INTEGER NOT NULL)
      WITHOUT ROWID;
    CREATE INDEX flx_logins_by_user ON flx_logins (user_id);
    CREATE TABLE flx_declarations (
      ordinal INTEGER PRIMARY KEY, changeset BLOB NOT NULL);
    CREATE TABLE flx_history (
      version INTEGER PRIMARY KEY, origin INTEGER NOT NULL, timestamp INTEGER NOT NULL,
      changeset BLOB NOT NULL, images BLOB NOT NULL);
    CREATE TABLE flx_files (
      ident INTEGER PRIMARY KEY AUTOINCREMENT, salt INTEGER NOT NULL, user_id TEXT NOT NULL,
      upload_client_version INTEGER NOT NULL DEFAULT 0, upload_server_version INTEGER NOT NULL DEFAULT 0,
      trimmed_version INTEGER NOT NULL DEFAULT 0, stream_head INTEGER NOT NULL DEFAULT 0,
      placed_version INTEGER NOT NULL DEFAULT 0, declaration_count INTEGER NOT NULL DEFAULT 0,
      query_version INTEGER NOT NULL DEFAULT 0, query TEXT NOT NULL DEFAULT '{}', last_seen INTEGER NOT NULL);
    CREATE TABLE flx_stream (
      id INTEGER PRIMARY KEY, file INTEGER NOT NULL, version INTEGER NOT NULL, kind INTEGER NOT NULL,
      base INTEGER NOT NULL, timestamp INTEGER NOT NULL, origin INTEGER NOT NULL, changeset BLOB NOT NULL,
      rejection TEXT, placed_version INTEGER, old_query TEXT, query TEXT,
      query_version INTEGER);
    CREATE UNIQUE INDEX flx_stream_by_file ON flx_stream (file, version);
    CREATE TABLE flx_reciprocals (
      file INTEGER NOT NULL, version INTEGER NOT NULL, class TEXT NOT NULL, key BLOB NOT NULL,
      changeset BLOB NOT NULL, PRIMARY KEY (file, version, class, key)) WITHOUT ROWID;
    INSERT INTO flx_users VALUES ('u1', 'local-userpass', 'ann@example.com', 'hash', 5, 1),
      ('u2', 'anon-user', NULL, NULL, 6, 0);
    """,
    "CREATE INDEX flx_stream_bootstraps ON flx_stream (placed_version) WHERE kind = 2;",
    identities,
    """
    ALTER TABLE flx_files ADD COLUMN permissions TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE flx_stream ADD COLUMN old_permissions TEXT;
    ALTER TABLE flx_stream ADD COLUMN permissions TEXT;
    """,
    // Files that existed already kept the table without row ids.
    """
    DROP TABLE flx_api_keys;
    CREATE TABLE flx_api_keys (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL, name TEXT NOT NULL, hash BLOB NOT NULL UNIQUE,
      server INTEGER NOT NULL, created INTEGER NOT NULL, disabled INTEGER NOT NULL DEFAULT 0,
      UNIQUE (user_id, name));
    \(apiKeys)
    """,
    "CREATE INDEX flx_files_by_user ON flx_files (user_id);",
    """
    ALTER TABLE flx_files ADD COLUMN has_written INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE flx_files ADD COLUMN source_salt INTEGER;
    CREATE INDEX flx_files_by_salt ON flx_files (salt);
    """,
    """
    ALTER TABLE flx_identities ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE flx_logins ADD COLUMN api_key TEXT;
    """,
    """
    CREATE TABLE flx_former_salts (
      file INTEGER NOT NULL, salt INTEGER NOT NULL, stream_head INTEGER NOT NULL, PRIMARY KEY (file, salt))
      WITHOUT ROWID;
    """,
    "ALTER TABLE flx_files ADD COLUMN passed_permissions TEXT NOT NULL DEFAULT '[]';",
    """
    ALTER TABLE flx_stream ADD COLUMN begun TEXT;
    ALTER TABLE flx_stream ADD COLUMN needed_version INTEGER;
    DROP INDEX IF EXISTS flx_stream_bootstraps;
    CREATE INDEX flx_stream_needed ON flx_stream (coalesce(needed_version, placed_version)) WHERE kind = 2;
    """,
  ]

  private static let identities = """
    DROP TABLE flx_users;
    CREATE TABLE flx_users (
      id TEXT PRIMARY KEY, server INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL, last_login INTEGER,
      disabled INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
    CREATE TABLE flx_identities (
      provider TEXT NOT NULL, subject TEXT NOT NULL, id TEXT NOT NULL, user_id TEXT, position INTEGER NOT NULL DEFAULT 0,
      secret TEXT, pending INTEGER NOT NULL DEFAULT 0, data TEXT NOT NULL DEFAULT '{}', created INTEGER NOT NULL,
      PRIMARY KEY (provider, subject)) WITHOUT ROWID;
    CREATE INDEX flx_identities_by_user ON flx_identities (user_id);
    CREATE TABLE flx_api_keys (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL, name TEXT NOT NULL, hash BLOB NOT NULL UNIQUE,
      server INTEGER NOT NULL, created INTEGER NOT NULL, disabled INTEGER NOT NULL DEFAULT 0,
      UNIQUE (user_id, name)) WITHOUT ROWID;
    CREATE TABLE flx_mail_tokens (
      id TEXT PRIMARY KEY, purpose TEXT NOT NULL, email TEXT NOT NULL, hash BLOB NOT NULL, expires INTEGER NOT NULL)
      WITHOUT ROWID;
    CREATE INDEX flx_mail_tokens_by_email ON flx_mail_tokens (email);
    CREATE TABLE flx_custom_data (user_id TEXT PRIMARY KEY, document TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE flx_account_changes (
      ordinal INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, time INTEGER NOT NULL);
    INSERT INTO flx_users VALUES ('u1', 0, 5, NULL, 1), ('u2', 0, 6, NULL, 0);
    INSERT INTO flx_identities (provider, subject, id, user_id, secret, created)
      VALUES ('local-userpass', 'ann@example.com', 'u1', 'u1', 'hash', 5), ('anon-user', 'u2', 'u2', 'u2', NULL, 6);
    INSERT INTO flx_account_changes VALUES (1, 'u1', 7);
    \(apiKeys)
    """

  private static let apiKeys = """
    INSERT INTO flx_api_keys (id, user_id, name, hash, server, created)
      VALUES ('k1', 'u2', 'older', x'01', 0, 8), ('k0', 'u2', 'newer', x'02', 0, 9);
    """

  private static let rows = """
    INSERT INTO flx_settings VALUES ('latest_version_salt', 99);
    INSERT INTO flx_declarations VALUES (1, x'');
    INSERT INTO flx_history VALUES (1, 0, 50, x'', x'');
    INSERT INTO flx_logins (id, user_id, device_id, expires) VALUES ('l1', 'u1', 'd1', 60);
    INSERT INTO flx_files (ident, salt, user_id, stream_head, last_seen) VALUES (2, 4242, 'u1', 1, 70);
    INSERT INTO flx_stream (id, file, version, kind, base, timestamp, origin, changeset, placed_version)
      VALUES (1, 2, 1, 2, 0, 50, 0, x'', 1);
    """
}
