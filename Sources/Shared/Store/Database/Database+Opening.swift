// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FlexSyncModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Database {
  /// Opens or creates a database, verifies that it is a FlexSync file of the expected kind, and brings it to the format
  /// of this version.
  ///
  /// - Throws: `StorageError`, among others `directoryMissing`, `notADatabase`, `foreignFile`, `newerFormat`,
  ///   `corrupt`, `readOnly`.
  public static func open(_ configuration: DatabaseConfiguration) throws -> Database {
    do {
      return try openFile(configuration)
    } catch let error as StorageError {
      guard case .file(let path) = configuration.location else { throw error }
      if !configuration.isReadOnly, let obstacle = findObstacle(nextTo: path, error) { throw obstacle }
      throw DatabaseFiles.explain(error, at: path)
    }
  }

  private static func openFile(_ configuration: DatabaseConfiguration) throws -> Database {
    if case .file(let path) = configuration.location { try checkContent(of: path) }
    let connection = try connect(configuration)
    try prepareConnection(connection, configuration)
    try connection.registerFunctions()
    let database = try Database(connection: connection, configuration: configuration)
    if configuration.canShrink, !configuration.isReadOnly { try database.prepareToShrink() }
    let isNew = try database.identify()
    // A newer file is refused here, before anything is written to it.
    let isCurrent = try configuration.application.migrator.missingMigrations(of: database).isEmpty
    guard !configuration.isReadOnly else { return database }
    try database.enableWriteAheadLog()
    guard !isCurrent else { return database }
    let migrations = try configuration.application.migrator.migrate(database)
    if !isNew { database.upgrade = migrations.map(\.name) }
    return database
  }

  /// Whether a process was killed before it had created the tables of a file. The next one that opens the file to write
  /// it finishes that; this only looks.
  ///
  /// - Throws: `StorageError`.
  public static func isUnfinished(at path: String, _ application: DatabaseConfiguration.Application) throws
    -> Bool
  {
    var configuration = DatabaseConfiguration(location: .file(path), application: application)
    configuration.isReadOnly = true
    do {
      let database = try Database(connection: connect(configuration), configuration: configuration)
      return try database.integer("SELECT count(*) FROM sqlite_schema") == 0
    } catch let error as StorageError where error.resultCode == needsRollback {
      // Files have such a journal only until they get the write-ahead log.
      return true
    }
  }

  /// `SQLITE_READONLY_ROLLBACK`, a macro that Swift cannot import: only a writer can undo the journal of a process that
  /// was killed.
  private static let needsRollback: Int32 = SQLITE_READONLY | 3 << 8

  private static func connect(_ configuration: DatabaseConfiguration) throws -> Connection {
    let path =
      switch configuration.location {
      case .memory: ":memory:"
      case .file(let file): file
      }
    let access = configuration.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let isUnchanging = configuration.isReadOnly && isUnchanging(path)
    var handle: OpaquePointer?
    let resultCode = sqlite3_open_v2(
      isUnchanging ? unchangingURI(path) : path,
      &handle,
      access | SQLITE_OPEN_NOMUTEX | (isUnchanging ? SQLITE_OPEN_URI : 0),
      nil
    )
    guard let handle else {
      throw StorageError(kind: .outOfMemory, message: "Out of memory: '\(path)' cannot be opened.")
    }
    let connection = Connection(
      handle: handle,
      displayName: path,
      advice: configuration.application.advice
    )
    guard resultCode == SQLITE_OK else {
      let error = connection.error(resultCode)
      // SQLite only reports "unable to open database file".
      guard error.kind == .cannotOpen else { throw error }
      throw findObstacle(to: path, isReadOnly: configuration.isReadOnly) ?? error
    }
    // SQLite opens a file for reading if it cannot open it for writing.
    if !configuration.isReadOnly, sqlite3_db_readonly(handle, "main") == 1 { throw notWritable(path) }
    sqlite3_extended_result_codes(handle, 1)
    return connection
  }

  /// Whether a file is in a folder in which SQLite cannot create the memory that connections share. Such a file can be
  /// read if nothing writes it.
  private static func isUnchanging(_ path: String) -> Bool {
    guard access(folder(of: path), W_OK) != 0, errno == EACCES || errno == EROFS else { return false }
    var log = stat()
    return stat("\(path)-wal", &log) != 0 || log.st_size == 0
  }

  /// The size of the header of a database file.
  private static let headerByteCount = 100

  /// Checks that SQLite will not begin anew with a file that somebody has truncated. It takes one without a whole header
  /// for an empty one, and the log of an empty file for that of a file that no longer exists, which it deletes. No crash
  /// leaves such files, unless a journal tells how to undo what was written.
  ///
  /// - Throws: `StorageError`.
  public static func checkContent(of path: String) throws {
    let log = "\(path)-wal"
    var status = stat()
    // In this order, because another process may be creating the file.
    let hasLog = stat(log, &status) == 0 && status.st_size > 0
    let hasJournal = stat("\(path)-journal", &status) == 0
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size < headerByteCount
    else { return }
    if status.st_size == 0, hasLog {
      throw StorageError(
        kind: .corrupt,
        message:
          "'\(path)' is empty, but '\(log)' is not: the file has lost its content. Restore the file, or delete both to "
          + "begin with an empty file."
      )
    }
    guard status.st_size > 0, !hasJournal else { return }
    let error = StorageError(
      kind: .notADatabase,
      message:
        "'\(path)' has only \(status.st_size) bytes, fewer than any database: the file has lost its content. Restore "
        + "the file, or delete it to begin with an empty file."
    )
    throw DatabaseFiles.explain(error, at: path)
  }

  private static func unchangingURI(_ path: String) -> String {
    let escaped = path.utf8.map { byte in
      let isPlain = byte > 0x20 && byte < 0x7f && !"%?#".utf8.contains(byte)
      return isPlain ? String(UnicodeScalar(byte)) : "%" + Hex.encode([byte])
    }
    return "file:\(escaped.joined())?immutable=1"
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Applies the settings of a connection that do not require access to the file.
  private static func prepareConnection(_ connection: Connection, _ configuration: DatabaseConfiguration)
    throws
  {
    sqlite3_busy_timeout(connection.handle, configuration.busyTimeoutMilliseconds)
    // A foreign file must not be able to make us run functions named in its schema or corrupt itself through SQL.
    _ = flx_sqlite_db_config_flag(connection.handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    _ = flx_sqlite_db_config_flag(connection.handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    // "text" in double quotes is always a name and never a string, so a misspelt column is detected.
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

  /// Finds the reason a file cannot be opened.
  private static func findObstacle(to path: String, isReadOnly: Bool) -> StorageError? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard isReadOnly else { return findObstacle(inFolderOf: path) }
      return StorageError(
        kind: .cannotOpen,
        message: "'\(path)' does not exist, and read-only access cannot create it."
      )
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      return StorageError(
        kind: .cannotOpen,
        message: "'\(path)' is a folder. Give the path of a file in it."
      )
    }
    guard access(path, R_OK) == 0 else {
      return StorageError(
        kind: .permissionDenied,
        message: "'\(path)' cannot be read. Check its permissions."
      )
    }
    return isReadOnly || access(path, W_OK) == 0 ? nil : notWritable(path)
  }

  private static func notWritable(_ path: String) -> StorageError {
    StorageError(kind: .readOnly, message: "'\(path)' cannot be written. Check its permissions.")
  }

  private static func findObstacle(inFolderOf path: String) -> StorageError? {
    let folder = folder(of: path)
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      return StorageError(
        kind: .directoryMissing,
        message: "The folder '\(folder)' for '\(path)' does not exist. Create it first."
      )
    }
    guard access(folder, W_OK | X_OK) != 0 else { return nil }
    return StorageError(
      kind: errno == EROFS ? .readOnly : .permissionDenied,
      message: "'\(path)' cannot be created in '\(folder)'. Check the permissions of the folder."
    )
  }

  /// Finds the reason why the files that belong to one cannot be made next to it; SQLite only reports that it cannot open
  /// or write the database.
  private static func findObstacle(nextTo path: String, _ error: StorageError) -> StorageError? {
    guard error.kind == .cannotOpen || error.kind == .readOnly, access(path, R_OK | W_OK) == 0,
      access(folder(of: path), W_OK | X_OK) != 0
    else { return nil }
    return StorageError(
      kind: error.kind == .readOnly ? .readOnly : .permissionDenied,
      message:
        "'\(path)' cannot be written, because no files can be created in its folder, '\(folder(of: path))'. Check "
        + "the permissions of the folder, or open the file for reading only."
    )
  }

  /// Claims an empty file, and rejects one that belongs to another program.
  ///
  /// - Returns: whether the file was empty.
  private func identify() throws -> Bool {
    let application = configuration.application
    var identifier = try integer("PRAGMA application_id")
    let isUnclaimed = identifier == 0 && !configuration.isReadOnly
    if isUnclaimed {
      try claim(application)
      identifier = try integer("PRAGMA application_id")
    }
    guard identifier == Int64(application.identifier) else {
      throw StorageError(
        kind: .foreignFile,
        message: "'\(path)' is a SQLite database, but not a \(application.name). Choose another file name."
      )
    }
    return isUnclaimed
  }

  private func claim(_ application: DatabaseConfiguration.Application) throws {
    try write {
      // Another process may have claimed it first, and a database with tables already belongs to some program.
      guard try integer("PRAGMA application_id") == 0, try integer("SELECT count(*) FROM sqlite_schema") == 0
      else {
        return
      }
      try execute("PRAGMA application_id=\(application.identifier)")
      try execute("PRAGMA user_version=\(Migrator.firstFormat)")
    }
  }

  /// Only an empty file can be set up to keep the map. Setting it on a file that already has the map would write to
  /// the file.
  private func prepareToShrink() throws {
    guard try integer("PRAGMA page_count") == 0 else { return }
    try execute("PRAGMA auto_vacuum=INCREMENTAL")
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

  /// Returns the integer result of a statement without parameters, or 0 if it has no row.
  package func integer(_ sql: String) throws -> Int64 {
    try withStatement(sql) { try $0.step() ? $0.int(0) : 0 }
  }
}
