// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// The tables for users and their log-ins.
extension ServerStore {
  /// Creates the account tables, and moves the rows of older ones into them. A part of the first migration.
  static func createAccountTables(_ database: Database) throws {
    let hasOldUsers = try declares("password_hash", "flx_users", database)
    let hasOldKeys = try declares("WITHOUT ROWID", "flx_api_keys", database)
    if hasOldUsers { try database.execute("ALTER TABLE flx_users RENAME TO flx_users_before") }
    if hasOldKeys { try database.execute("ALTER TABLE flx_api_keys RENAME TO flx_api_keys_before") }
    try database.execute(accountTablesSQL)
    if hasOldUsers { try database.execute(userUpgradeSQL) }
    if hasOldKeys { try database.execute(keyUpgradeSQL) }
  }

  /// Whether the declaration of a table contains a text.
  private static func declares(_ text: String, _ table: String, _ database: Database) throws -> Bool {
    try database.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = '\(table)' AND sql LIKE '%\(text)%'"
    ) > 0
  }

  private static let accountTablesSQL = """
    CREATE TABLE IF NOT EXISTS flx_users (
      id TEXT PRIMARY KEY, server INTEGER NOT NULL DEFAULT 0, created INTEGER NOT NULL, last_login INTEGER,
      disabled INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS flx_identities (
      provider TEXT NOT NULL, subject TEXT NOT NULL, id TEXT NOT NULL, user_id TEXT, position INTEGER NOT NULL DEFAULT 0,
      secret TEXT, pending INTEGER NOT NULL DEFAULT 0, data TEXT NOT NULL DEFAULT '{}', created INTEGER NOT NULL,
      confirmed INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (provider, subject)) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS flx_identities_by_user ON flx_identities (user_id);
    CREATE TABLE IF NOT EXISTS flx_logins (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL, device_id TEXT NOT NULL, expires INTEGER NOT NULL,
      api_key TEXT) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS flx_logins_by_user ON flx_logins (user_id);
    CREATE TABLE IF NOT EXISTS flx_api_keys (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL, name TEXT NOT NULL, hash BLOB NOT NULL UNIQUE,
      server INTEGER NOT NULL, created INTEGER NOT NULL, disabled INTEGER NOT NULL DEFAULT 0,
      UNIQUE (user_id, name));
    CREATE TABLE IF NOT EXISTS flx_mail_tokens (
      id TEXT PRIMARY KEY, purpose TEXT NOT NULL, email TEXT NOT NULL, hash BLOB NOT NULL, expires INTEGER NOT NULL)
      WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS flx_mail_tokens_by_email ON flx_mail_tokens (email);
    CREATE TABLE IF NOT EXISTS flx_custom_data (user_id TEXT PRIMARY KEY, document TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS flx_account_changes (
      ordinal INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, time INTEGER NOT NULL);
    """

  /// At first, a user had a single identity, which was stored with the user.
  private static let userUpgradeSQL = """
    INSERT INTO flx_users (id, created, disabled) SELECT id, created, disabled FROM flx_users_before;
    INSERT INTO flx_identities (provider, subject, id, user_id, secret, created)
      SELECT provider, coalesce(email, id), id, id, password_hash, created FROM flx_users_before;
    DROP TABLE flx_users_before;
    """

  /// At first, the table had no row ids, which order the keys.
  private static let keyUpgradeSQL = """
    INSERT INTO flx_api_keys (id, user_id, name, hash, server, created, disabled)
      SELECT id, user_id, name, hash, server, created, disabled FROM flx_api_keys_before ORDER BY created, id;
    DROP TABLE flx_api_keys_before;
    """
}
