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
  /// Whether the file is open for its user. A file that is open for reading only may have an owner, but is not synced.
  var isSynced: Bool { owner != .local && !database.configuration.isReadOnly }
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

  /// Opens or creates a realm. A file that is opened for reading without a user may belong to any: its user may be gone.
  ///
  /// - Throws: `StorageError`; of kind `incompatibleFile` if the file has another owner.
  public static func open(_ configuration: DatabaseConfiguration, owner: RealmOwner) throws -> RealmFile {
    let database = try Database.open(configuration)
    let objects = try ObjectStore(database)
    let stored = try storedOwner(database) ?? claim(database, owner)
    if configuration.isReadOnly, owner == .local {
      return RealmFile(database: database, objects: objects, owner: stored)
    }
    try check(owner, against: stored, database)
    return RealmFile(database: database, objects: objects, owner: owner)
  }

  /// Forgets what was true when this process last synced the file; another one may have done so since.
  func forgetWhatOthersMayHaveChanged() {
    knownChanges = nil
    mayHaveUntoldRejections = true
  }

  /// Creates the file of a connection to a realm that another `RealmFile` has opened.
  ///
  /// - Throws: `StorageError`.
  convenience init(_ database: Database, owner: RealmOwner) throws {
    self.init(database: database, objects: try ObjectStore(database), owner: owner)
  }

  /// Returns the owner of the file, or nil if the file has just been created.
  static func storedOwner(_ database: Database) throws -> RealmOwner? {
    try database.withStatement("SELECT app_id, user_id FROM flx_metadata") { statement in
      guard try statement.step() else { return nil }
      return statement.isNull(0) ? .local : .synced(appID: statement.text(0), userID: statement.text(1))
    }
  }

  /// Gives a file without an owner to `owner`.
  ///
  /// - Returns: The owner of the file: another one if another process was faster.
  private static func claim(_ database: Database, _ owner: RealmOwner) throws -> RealmOwner {
    try database.write {
      if let stored = try storedOwner(database) { return stored }
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
      return owner
    }
  }

  private static func check(_ owner: RealmOwner, against stored: RealmOwner, _ database: Database) throws {
    guard stored != owner else { return }
    let text =
      switch (stored, owner) {
      case (.local, _): "it is a local realm, which cannot be synced. Copy its objects to a synced realm"
      case (_, .local):
        "it is a synced realm; open it with the user it belongs to, or for reading, which needs no user"
      default: "it belongs to another user or app. Use one file for each user"
      }
    throw StorageError(
      kind: .incompatibleFile,
      message: "'\(database.path)' cannot be opened this way: \(text)."
    )
  }
}
