// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// The metadata of the file and its sync. Each function reads within the open transaction.
extension RealmFile {
  /// Whether the setup of a new file, such as its first subscriptions, was completed. The process may have ended
  /// before.
  public func isSetUp() throws -> Bool { try database.integer("SELECT is_set_up FROM flx_metadata") != 0 }

  /// Marks the file as set up.
  public func finishSetUp() throws {
    try database.write { try database.execute("UPDATE flx_metadata SET is_set_up = 1") }
  }

  /// Returns the version of the objects, which grows with every commit that changes objects, local or downloaded.
  public func clientVersion() throws -> UInt64 {
    try database.withStatement("SELECT \(Self.newestVersion) FROM flx_metadata") {
      try $0.step() ? $0.unsigned(0) : 0
    }
  }

  /// A commit by the app does not touch the metadata, since its version is that of the newest entry in the history.
  private static let newestVersion = "max(client_version, ifnull((SELECT max(version) FROM flx_history), 0))"

  /// Keeps the client version before entries are removed from the history.
  func keepClientVersion() throws {
    try database.withStatement("UPDATE flx_metadata SET client_version = \(Self.newestVersion)") {
      try $0.run()
    }
  }

  /// Returns the client file ident that the server assigned; nil before the first connection.
  public func fileIdent() throws -> RealmFileIdent? {
    try database.withStatement("SELECT file_ident, file_salt FROM flx_metadata") { statement in
      guard try statement.step(), statement.int(0) != 0 else { return nil }
      return RealmFileIdent(ident: statement.unsigned(0), salt: statement.int(1))
    }
  }

  /// Stores the client file ident that the server assigned.
  public func setFileIdent(_ identity: RealmFileIdent) throws {
    try database.write {
      try database.withStatement("UPDATE flx_metadata SET file_ident = ?1, file_salt = ?2") {
        $0.bind(identity.ident, at: 1)
        $0.bind(identity.salt, at: 2)
        try $0.run()
      }
    }
  }

  /// Returns the cursors to present to the server.
  public func progress() throws -> RealmProgress {
    try database.withStatement("SELECT \(RealmProgress.columns) FROM flx_metadata") {
      try $0.step() ? $0.progress(from: 0) : RealmProgress()
    }
  }

  func saveProgress(_ progress: RealmProgress) throws {
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
    try database.withStatement("UPDATE flx_metadata SET client_version = ?1") {
      $0.bind(version, at: 1)
      try $0.run()
    }
    return version
  }
}

extension RealmProgress {
  /// The columns in the order of `Statement.progress` and `Statement.bind`.
  static let columns = """
    download_server_version, download_client_version, upload_client_version, upload_server_version,
    latest_server_version, latest_server_salt
    """
}

extension Statement {
  func progress(from column: Int32) -> RealmProgress {
    var progress = RealmProgress()
    progress.downloadServerVersion = unsigned(column)
    progress.downloadClientVersion = unsigned(column + 1)
    progress.uploadClientVersion = unsigned(column + 2)
    progress.uploadServerVersion = unsigned(column + 3)
    progress.latestServerVersion = unsigned(column + 4)
    progress.latestServerSalt = int(column + 5)
    return progress
  }

  func bind(_ progress: RealmProgress, from parameter: Int32) {
    bind(progress.downloadServerVersion, at: parameter)
    bind(progress.downloadClientVersion, at: parameter + 1)
    bind(progress.uploadClientVersion, at: parameter + 2)
    bind(progress.uploadServerVersion, at: parameter + 3)
    bind(progress.latestServerVersion, at: parameter + 4)
    bind(progress.latestServerSalt, at: parameter + 5)
  }
}
