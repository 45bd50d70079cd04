// SPDX-License-Identifier: Apache-2.0

import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Database {
  /// Opens or creates a database and makes sure that it is one of ours.
  ///
  /// - Throws: `StorageError`, among others `directoryMissing`, `notADatabase`, `foreignFile`, `newerFormat`,
  ///   `corrupt`, `readOnly`.
  public static func open(_ configuration: DatabaseConfiguration) throws -> Database {
    let path: String
    switch configuration.location {
    case .memory: path = ":memory:"
    case .file(let file):
      try checkPath(file, isReadOnly: configuration.isReadOnly)
      path = file
    }
    let connection = try connect(path, configuration)
    try prepareConnection(connection, configuration)
    try connection.registerFunctions()
    let database = try Database(connection: connection, configuration: configuration)
    try database.identify()
    if !configuration.isReadOnly { try database.enableWriteAheadLog() }
    return database
  }

  private static func connect(_ path: String, _ configuration: DatabaseConfiguration) throws -> Connection {
    let access = configuration.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    var handle: OpaquePointer?
    let resultCode = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX, nil)
    guard let handle else {
      throw StorageError(kind: .outOfMemory, message: "Memory is exhausted; '\(path)' cannot be opened.")
    }
    let connection = Connection(handle: handle, displayName: path)
    guard resultCode == SQLITE_OK else { throw connection.error(resultCode) }
    sqlite3_extended_result_codes(handle, 1)
    return connection
  }

  /// Settings of the connection that need not look into the file.
  private static func prepareConnection(_ connection: Connection, _ configuration: DatabaseConfiguration)
    throws
  {
    sqlite3_busy_timeout(connection.handle, configuration.busyTimeoutMilliseconds)
    // A file from elsewhere must not make us run functions that its schema names or corrupt itself by SQL.
    _ = flx_sqlite_db_config_flag(connection.handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    _ = flx_sqlite_db_config_flag(connection.handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    // "text" in double quotes is a name and never a string, so that a misspelt column cannot go unnoticed.
    _ = flx_sqlite_db_config_flag(connection.handle, SQLITE_DBCONFIG_DQS_DML, 0)
    _ = flx_sqlite_db_config_flag(connection.handle, SQLITE_DBCONFIG_DQS_DDL, 0)
    let settings = """
      PRAGMA synchronous=\(configuration.synchronous.rawValue);
      PRAGMA secure_delete=OFF;
      PRAGMA temp_store=MEMORY;
      PRAGMA cache_size=-\(configuration.cacheKibibytes);
      """
    try connection.check(sqlite3_exec(connection.handle, settings, nil, nil, nil))
  }

  /// Finds the errors for which SQLite has only "unable to open database file".
  private static func checkPath(_ path: String, isReadOnly: Bool) throws {
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT != S_IFDIR else {
        throw StorageError(
          kind: .cannotOpen,
          message: "'\(path)' is a folder. Give the path of a file in it."
        )
      }
      let mode = isReadOnly ? R_OK : R_OK | W_OK
      guard access(path, mode) == 0 else {
        let kind: StorageError.Kind = access(path, R_OK) == 0 ? .readOnly : .permissionDenied
        throw StorageError(
          kind: kind,
          message: "'\(path)' cannot be \(kind == .readOnly ? "written" : "read"). Check its permissions."
        )
      }
      return
    }
    if isReadOnly {
      throw StorageError(
        kind: .cannotOpen,
        message: "'\(path)' does not exist, and read-only access cannot create it."
      )
    }
    try checkFolder(of: path)
  }

  private static func checkFolder(of path: String) throws {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw StorageError(
        kind: .directoryMissing,
        message: "The folder '\(folder)' for '\(path)' does not exist. Create it first."
      )
    }
    guard access(folder, W_OK | X_OK) == 0 else {
      throw StorageError(
        kind: errno == EROFS ? .readOnly : .permissionDenied,
        message: "'\(path)' cannot be created in '\(folder)'. Check the permissions of the folder."
      )
    }
  }

  /// Claims an empty file, refuses that of another program or a newer format.
  private func identify() throws {
    let application = configuration.application
    if try integer("PRAGMA application_id") == 0, !configuration.isReadOnly {
      try claim(application)
    }
    let identifier = try integer("PRAGMA application_id")
    guard identifier == Int64(application.identifier) else {
      throw StorageError(
        kind: .foreignFile,
        message: "'\(path)' is a SQLite database, but not a \(application.name). Choose another file name."
      )
    }
    let format = try integer("PRAGMA user_version")
    guard format <= Int64(application.formatVersion) else {
      throw StorageError(
        kind: .newerFormat,
        message: "'\(path)' has format \(format), written by a newer FlexSync; this one reads formats up to "
          + "\(application.formatVersion). Update the program."
      )
    }
  }

  private func claim(_ application: DatabaseConfiguration.Application) throws {
    try write {
      // Another process may have been faster, and a database with tables is somebody's.
      guard try integer("PRAGMA application_id") == 0, try integer("SELECT count(*) FROM sqlite_schema") == 0
      else {
        return
      }
      try execute("PRAGMA application_id=\(application.identifier)")
      try execute("PRAGMA user_version=\(application.formatVersion)")
    }
  }

  private func enableWriteAheadLog() throws {
    guard configuration.location != .memory else { return }
    try withStatement("PRAGMA journal_mode=WAL") { statement in
      guard try statement.step(), statement.text(0) == "wal" else {
        throw StorageError(
          kind: .cannotOpen,
          message: "'\(path)' is on a file system without shared memory, which the write-ahead log needs. "
            + "Use a local disk."
        )
      }
    }
    try execute("PRAGMA journal_size_limit=67108864")
  }

  /// The integer that a statement without parameters gives, or 0 without a row.
  func integer(_ sql: String) throws -> Int64 {
    try withStatement(sql) { try $0.step() ? $0.int(0) : 0 }
  }
}
