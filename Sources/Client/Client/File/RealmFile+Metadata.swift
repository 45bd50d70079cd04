// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import FlexSyncWire

/// The metadata of the file and its sync. Each function reads within the open transaction.
extension RealmFile {
  /// Whether the setup of a new file, such as its first subscriptions, was completed. The process may have ended
  /// before.
  public func isSetUp() throws -> Bool { try database.integer("SELECT is_set_up FROM flx_metadata") != 0 }

  /// Marks the file as set up.
  public func finishSetUp() throws {
    try database.write { try database.execute("UPDATE flx_metadata SET is_set_up = 1") }
  }

  /// Returns the version of the schema; nil if no program has numbered it.
  func schemaVersion() throws -> UInt64? {
    try database.firstRow("SELECT schema_version FROM flx_metadata") { $0.isNull(0) ? nil : $0.unsigned(0) }
      ?? nil
  }

  /// Notes the version of the schema.
  func setSchemaVersion(_ version: UInt64) throws {
    try database.run("UPDATE flx_metadata SET schema_version = ?1", [version])
  }

  /// Returns the version of the objects, which grows with every commit that changes objects, local or downloaded.
  public func clientVersion() throws -> UInt64 {
    try database.firstRow("SELECT \(Self.newestVersion) FROM flx_metadata") { $0.unsigned(0) } ?? 0
  }

  /// A commit by the app does not touch the metadata, since its version is that of the newest entry in the history.
  private static let newestVersion = "max(client_version, ifnull((SELECT max(version) FROM flx_history), 0))"

  /// Keeps the client version before entries are removed from the history.
  func keepClientVersion() throws {
    try database.run("UPDATE flx_metadata SET client_version = \(Self.newestVersion)")
  }

  /// Returns the client file ident that the server assigned; nil before the first connection.
  public func fileIdent() throws -> SaltedFileIdent? {
    try database.withStatement("SELECT file_ident, file_salt FROM flx_metadata") { statement in
      guard try statement.step(), statement.int(0) != 0 else { return nil }
      return SaltedFileIdent(ident: statement.unsigned(0), salt: statement.int(1))
    }
  }

  /// Stores the client file ident that the server assigned.
  public func setFileIdent(_ identity: SaltedFileIdent) throws {
    try database.write {
      try database.run(
        "UPDATE flx_metadata SET file_ident = ?1, file_salt = ?2",
        [identity.ident, identity.salt]
      )
    }
  }

  /// Returns the cursors to present to the server.
  public func progress() throws -> SyncProgress {
    try database.firstRow("SELECT \(SyncProgress.columns) FROM flx_metadata") { $0.progress(from: 0) }
      ?? .start
  }

  func saveProgress(_ progress: SyncProgress) throws {
    CrashPoint.reached(.clientBeforeCursors)
    defer { CrashPoint.reached(.clientAfterCursors) }
    let sql = """
      UPDATE flx_metadata SET download_server_version = ?1, download_client_version = ?2,
        upload_client_version = ?3, upload_server_version = ?4,
        latest_server_version = ?5, latest_server_salt = ?6
      """
    try database.withStatement(sql) {
      $0.bind(progress, from: 1)
      try $0.run()
    }
  }

  /// Advances the client version and returns it.
  func advanceClientVersion() throws -> UInt64 {
    let version = try clientVersion() + 1
    try database.run("UPDATE flx_metadata SET client_version = ?1", [version])
    return version
  }
}

extension SyncProgress {
  /// The columns in the order of `Statement.progress` and `Statement.bind`.
  static let columns = """
    download_server_version, download_client_version, upload_client_version, upload_server_version,
    latest_server_version, latest_server_salt
    """
}

extension Statement {
  func progress(from column: Int32) -> SyncProgress {
    SyncProgress(
      download: DownloadCursor(serverVersion: unsigned(column), clientVersion: unsigned(column + 1)),
      upload: UploadCursor(clientVersion: unsigned(column + 2), serverVersion: unsigned(column + 3)),
      latest: LatestServerVersion(serverVersion: unsigned(column + 4), salt: int(column + 5))
    )
  }

  func bind(_ progress: SyncProgress, from parameter: Int32) {
    bind(progress.download.serverVersion, at: parameter)
    bind(progress.download.clientVersion, at: parameter + 1)
    bind(progress.upload.clientVersion, at: parameter + 2)
    bind(progress.upload.serverVersion, at: parameter + 3)
    bind(progress.latest.serverVersion, at: parameter + 4)
    bind(progress.latest.salt, at: parameter + 5)
  }
}
