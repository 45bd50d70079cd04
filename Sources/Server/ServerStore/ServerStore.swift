// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// The server's data for one app, in a single SQLite file: the current state of the objects, their history, the
/// users, and for each client file the stream of entries placed for it (protocol §5.3).
///
/// Confined to one thread. Data that belong together are written inside one `write` and are durable when it returns.
/// Data that are not reported immediately are written lazily: that takes no sync of its own, but they must be made
/// durable before any client is notified of them.
public final class ServerStore {
  public let database: Database
  /// The current state of all objects.
  public let objects: ObjectStore
  private var synchronous = DatabaseConfiguration.Synchronous.full
  /// The number of the newest lazy commit.
  public private(set) var newestLazyCommit: UInt64 = 0
  private var durableLazyCommit: UInt64 = 0
  private let interruption: Interruption?
  /// What SQLite keeps next to the file, as it was when this store was opened.
  private let companionFiles: [String: FileIdentity]

  /// Opens or creates the store in a file.
  ///
  /// - Parameter interruption: Interrupts statements of the store and of its readers, except during opening.
  /// - Throws: `StorageError` if the file cannot be opened or is not a server store.
  public init(path: String, interruption: Interruption? = nil) throws {
    self.interruption = interruption
    var configuration = DatabaseConfiguration(location: .file(path), application: .server)
    configuration.synchronous = .full
    configuration.cacheKibibytes = 65_536
    configuration.canShrink = true
    database = try Database.open(configuration)
    objects = try ObjectStore(database)
    // A killed process may have left lazy commits, which can no longer be told apart from others.
    try database.makeDurable()
    companionFiles = database.companionFiles
    if let interruption { database.obey(interruption) }
  }

  /// Runs `body` in a durable transaction, waiting for other processes to finish writing. When it returns, all
  /// previous commits are durable as well. Within a transaction, `body` becomes part of that transaction and is as
  /// durable as it is.
  ///
  /// - Throws: The error that `body` throws, or `StorageError`. If only the sync failed, the transaction may have
  ///   been committed nevertheless. If the file was deleted or replaced, the transaction is lost.
  public func write<Result>(_ body: () throws -> Result) throws -> Result {
    guard database.transactionState == .none else { return try database.write(body) }
    try use(.full)
    let pageCount = database.writtenPageCount
    let result = try database.write(body)
    // SQLite does not sync for a transaction that changes nothing.
    if database.writtenPageCount != pageCount { durableLazyCommit = newestLazyCommit }
    try makeDurable(through: newestLazyCommit)
    try checkFile()
    return result
  }

  /// Checks that the file and those next to it are still where they were when the store was opened. On Unix, a deleted
  /// file can be written until it is closed, and nobody would notice that what is acknowledged will be gone then.
  ///
  /// - Throws: `StorageError` of kind `cannotOpen`.
  public func checkFile() throws {
    guard !database.isFileGone else {
      throw StorageError(
        kind: .cannotOpen,
        message:
          "'\(database.path)' was deleted or replaced while it was in use. What was written to it since is lost. Put "
          + "the file back, or restore a backup with flexsyncd restore."
      )
    }
    let missing = companionFiles.first { FileIdentity(of: $0.key) != $0.value }
    guard let lost = missing?.key else { return }
    // This connection still has the deleted log, and moves what is in it to the file when the server ends. Now a reader might
    // be in the way, and a part of the log would damage the file.
    throw StorageError(
      kind: .cannotOpen,
      message:
        "'\(lost)' was deleted or replaced while it was in use. It belongs to '\(database.path)', to which the server "
        + "moves what was in it as it ends. Start the server again."
    )
  }

  /// Runs `body` in a transaction that a power loss may undo until the next durable transaction or `makeDurable`. A
  /// killed process loses nothing. Inside `body`, `newestLazyCommit` is the number of this commit.
  public func writeLazily<Result>(_ body: () throws -> Result) throws -> Result {
    guard database.transactionState == .none else { return try database.write(body) }
    try use(.normal)
    newestLazyCommit += 1
    return try database.write(body)
  }

  /// Makes a lazy commit and all commits before it durable, if it is not durable yet. Must be called before any
  /// client is notified of something that relies on it.
  public func makeDurable(through lazyCommit: UInt64) throws {
    guard lazyCommit > durableLazyCommit else { return }
    try database.makeDurable()
    durableLazyCommit = newestLazyCommit
  }

  /// Sets the durability of the next commit.
  private func use(_ level: DatabaseConfiguration.Synchronous) throws {
    guard synchronous != level else { return }
    try database.execute("PRAGMA synchronous=\(level.rawValue)")
    synchronous = level
  }

  /// Opens a snapshot of the committed state for reading while this store continues to write. The snapshot is held
  /// until the returned store is released or its database's transaction ends.
  public func snapshot() throws -> ServerStore {
    let reader = try openReader()
    try reader.beginRead()
    return try ServerStore(reading: reader)
  }

  private init(reading database: Database) throws {
    self.database = database
    objects = try ObjectStore(database)
    interruption = nil
    companionFiles = [:]
  }

  /// Opens a file only for reading. It keeps its format if it is an older one.
  ///
  /// - Returns: Nil if a process was killed before it had finished creating the file.
  /// - Throws: The same errors as `init`.
  public static func readOnly(file path: String) throws -> ServerStore? {
    guard try !Database.isUnfinished(at: path, .server) else { return nil }
    var configuration = DatabaseConfiguration(location: .file(path), application: .server)
    configuration.isReadOnly = true
    return try ServerStore(reading: Database.open(configuration))
  }

  /// Opens a second connection to the same file.
  private func openReader() throws -> Database {
    var configuration = database.configuration
    configuration.isReadOnly = true
    configuration.cacheKibibytes = 512
    let reader = try Database.open(configuration)
    if let interruption { reader.obey(interruption) }
    return reader
  }
}

/// Settings by name.
extension ServerStore {
  /// Returns the integer stored under a name.
  public func setting(_ name: String) throws -> Int64? {
    try database.firstRow(ServerStore.settingSQL, [name]) { $0.int(0) }
  }

  /// Returns the text stored under a name.
  public func textSetting(_ name: String) throws -> String? {
    try database.firstRow(ServerStore.settingSQL, [name]) { $0.optionalText(0) } ?? nil
  }

  /// Stores an integer under a name.
  public func set(_ name: String, to value: Int64) throws { try store(value, name) }

  /// Stores a text under a name.
  public func set(_ name: String, to value: String) throws { try store(value, name) }

  private static let settingSQL = "SELECT value FROM flx_settings WHERE name = ?1"

  private func store(_ value: any StatementValue, _ name: String) throws {
    try database.run("INSERT OR REPLACE INTO flx_settings VALUES (?1, ?2)", [name, value])
  }
}

extension ServerStore {
  /// Returns a number that changes whenever another process has committed something.
  public func dataVersion() throws -> Int64 { try database.integer("PRAGMA data_version") }
}
