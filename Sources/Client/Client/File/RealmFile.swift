// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncStore

/// The file of a realm: objects, the history of local changes that the server has not acknowledged, the sync
/// progress, subscription sets, and incomplete bootstraps (Docs/Storage.md).
///
/// Confined to one thread at a time, like its database. Several `RealmFile`s for one path, in any number of threads
/// and processes, see each other's commits; only one of them may sync (`SyncAgentLock`).
public final class RealmFile {
  /// The database connection.
  public let database: Database
  /// The objects.
  public let objects: ObjectStore
  /// The owner of the file.
  public let owner: RealmOwner
  /// The history that the last integration read, cached for the next one.
  var knownChanges: ConcurrentChanges?
  /// The limits on how many rejected writes are kept.
  public var rejectedWriteLimits = RejectedWriteLimits()
  /// Whether there may be rejected writes that have not been reported to the app.
  var mayHaveUntoldRejections = true
  /// Whether rejected writes were added, changed or removed through this file since the caller reset this flag. A
  /// rollback does not clear it.
  public var hasChangedRejectedWrites = false

  private init(database: Database, objects: ObjectStore, owner: RealmOwner) {
    self.database = database
    self.objects = objects
    self.owner = owner
  }

  /// Opens or creates a realm.
  ///
  /// - Throws: `StorageError`; of kind `incompatibleFile` if the file has another owner.
  public static func open(_ configuration: DatabaseConfiguration, owner: RealmOwner) throws -> RealmFile {
    let database = try Database.open(configuration)
    let objects = try ObjectStore(database)
    if !configuration.isReadOnly, try !hasTables(database) {
      try database.write { try createTables(database, owner) }
    }
    if !configuration.isReadOnly, try !hasRejectedWrites(database) {
      try database.write { try database.execute(rejectedWritesTableSQL) }
    }
    guard try hasTables(database) else {
      throw StorageError(kind: .corrupt, message: "'\(database.path)' does not contain a realm. Delete it.")
    }
    try checkOwner(database, owner)
    return RealmFile(database: database, objects: objects, owner: owner)
  }

  private static func hasTables(_ database: Database) throws -> Bool {
    try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'flx_metadata'") > 0
  }

  /// Files created by older versions lack the table.
  private static func hasRejectedWrites(_ database: Database) throws -> Bool {
    try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'flx_rejected_writes'") > 0
  }

  private static func createTables(_ database: Database, _ owner: RealmOwner) throws {
    // Another process may have created the tables first.
    guard try !hasTables(database) else { return }
    try database.execute(tablesSQL)
    try database.execute(rejectedWritesTableSQL)
    try database.withStatement("INSERT INTO flx_metadata (id, app_id, user_id) VALUES (1, ?1, ?2)") {
      if case .synced(let appID, let userID) = owner {
        $0.bind(appID, at: 1)
        $0.bind(userID, at: 2)
      }
      try $0.run()
    }
    if owner != .local {
      let state = SubscriptionSetState.pending.rawValue
      try database.execute(
        "INSERT INTO flx_subscription_sets (version, state, snapshot_version) VALUES (0, \(state), 0)"
      )
    }
  }

  private static func checkOwner(_ database: Database, _ owner: RealmOwner) throws {
    let stored = try database.withStatement("SELECT app_id, user_id FROM flx_metadata") { statement in
      guard try statement.step(), !statement.isNull(0) else { return RealmOwner.local }
      return .synced(appID: statement.text(0), userID: statement.text(1))
    }
    guard stored != owner else { return }
    let text =
      switch (stored, owner) {
      case (.local, _): "it is a local realm, which cannot be synced. Copy its objects to a synced realm"
      case (_, .local):
        "it is a synced realm; open it with the user it belongs to, or copy its objects to a local realm"
      default: "it belongs to another user or app. Use one file for each user"
      }
    throw StorageError(
      kind: .incompatibleFile,
      message: "'\(database.path)' cannot be opened this way: \(text)."
    )
  }

  /// Versions, salts and idents are unsigned and stored by their bit patterns.
  private static let tablesSQL = """
    CREATE TABLE flx_metadata (
      id INTEGER PRIMARY KEY CHECK (id = 1), app_id TEXT, user_id TEXT,
      is_set_up INTEGER NOT NULL DEFAULT 0,
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
    """
}
