// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A connection to a SQLite file in WAL mode, which permits one writer and any number of readers at the same time,
/// across all connections and processes.
///
/// Confined to one thread at a time: it takes no locks and is not `Sendable`. An owner that moves it between threads
/// must synchronise.
public final class Database {
  /// The state of the connection's transaction.
  public enum TransactionState: Hashable, Sendable {
    /// Each statement is a transaction of its own.
    case none
    /// All reads see the same snapshot.
    case read
    /// This is the only writer. Its changes are visible here immediately, and elsewhere after the commit.
    case write
  }

  let connection: Connection
  /// How the database was opened.
  public let configuration: DatabaseConfiguration
  /// The names of the migrations that opening ran on an existing file; empty if there were none, or if the file is new.
  public internal(set) var upgrade: [String] = []
  /// The state of the current transaction.
  public var transactionState: TransactionState { state }
  // Private, because other modules would check each access to a stored property for exclusivity.
  @exclusivity(unchecked) private var state = TransactionState.none
  /// Increases with every start and end of a transaction, which tells caches when to check for changes.
  @exclusivity(unchecked) public private(set) var transactionNumber: UInt64 = 0
  /// Increases with every rollback, which may revert what a cache has read.
  public private(set) var rollbackCount: UInt64 = 0
  /// The number of commits made by this connection.
  private(set) var commitCount: UInt64 = 0
  /// The commits that `makeDurable` has synced; nil before its first call.
  var durableMark: CommitMark?
  /// Called at the start of a commit, when changes are still possible. An error causes a rollback.
  var willCommit: (() throws -> Void)?
  /// Called after each commit.
  package var didCommit: (() -> Void)?
  /// Called before a part of a write transaction that may be reverted on its own.
  var willNest: (() throws -> Void)?

  /// A statement that was left before its end, to be continued.
  private var openStatement: Statement?
  private var cache = StatementCache(capacity: 128)
  private let beginImmediate: Statement
  private let beginDeferred: Statement
  private let commitStatement: Statement
  private let rollbackStatement: Statement
  private let pinSnapshot: Statement
  private let savepoint: Statement
  private let rollbackToSavepoint: Statement
  private let releaseSavepoint: Statement

  init(connection: Connection, configuration: DatabaseConfiguration) throws {
    self.connection = connection
    self.configuration = configuration
    beginImmediate = try Statement(connection: connection, sql: "BEGIN IMMEDIATE")
    beginDeferred = try Statement(connection: connection, sql: "BEGIN DEFERRED")
    commitStatement = try Statement(connection: connection, sql: "COMMIT")
    rollbackStatement = try Statement(connection: connection, sql: "ROLLBACK")
    pinSnapshot = try Statement(connection: connection, sql: "SELECT 1 FROM sqlite_schema LIMIT 1")
    savepoint = try Statement(connection: connection, sql: "SAVEPOINT nested")
    rollbackToSavepoint = try Statement(connection: connection, sql: "ROLLBACK TO nested")
    releaseSavepoint = try Statement(connection: connection, sql: "RELEASE nested")
  }

  /// The path of the file, or ":memory:".
  public var path: String { connection.displayName }
  /// The advice that error messages give about the file.
  package var advice: FileAdvice { configuration.application.advice }

  // MARK: Statements

  /// Runs one or more statements without parameters, such as table declarations.
  public func execute(_ sql: String) throws {
    connection.retiredStatements.finalizeAll()
    let resultCode = sqlite3_exec(connection.handle, sql, nil, nil, nil)
    guard resultCode == SQLITE_OK else { throw connection.error(resultCode, sql: sql) }
  }

  /// Prepares a statement, which the caller keeps.
  public func prepare(_ sql: String) throws -> Statement {
    try Statement(connection: connection, sql: sql)
  }

  /// Passes a cached statement to `body`, preparing it if necessary. Afterwards the statement is reset and its
  /// bindings are cleared.
  public func withStatement<Result>(_ sql: String, _ body: (Statement) throws -> Result) throws -> Result {
    let statement = try cache.take(sql) ?? prepare(sql)
    defer {
      statement.reset()
      statement.clearBindings()
      cache.give(statement, sql: sql)
    }
    return try body(statement)
  }

  /// Lets a statement that has not run to its end be continued later in the same transaction, instead of the one that
  /// was left open before. It is reset before the transaction ends, whose snapshot it would keep alive otherwise.
  func leaveOpen(_ statement: Statement) {
    guard openStatement !== statement else { return }
    openStatement?.reset()
    openStatement = statement
  }

  /// Whether a statement was left open and not reset since.
  func isOpen(_ statement: Statement) -> Bool { openStatement === statement }

  /// Resets the statement that was left open, which might block a change of its table.
  func closeOpenStatement() {
    openStatement?.reset()
    openStatement = nil
  }

  /// The number of rows inserted, changed or deleted by the last statement.
  @inline(__always)
  package var changedRowCount: Int32 { sqlite3_changes(connection.handle) }

  /// Releases cached statements, for example before a file is deleted.
  public func releaseStatements() {
    cache.removeAll()
    connection.retiredStatements.finalizeAll()
  }

  // MARK: Transactions

  /// Starts a read transaction and pins the most recent snapshot.
  public func beginRead() throws {
    try require(.none, "start a read transaction")
    try beginDeferred.run()
    do {
      _ = try pinSnapshot.step()
      pinSnapshot.reset()
    } catch {
      try? rollbackStatement.run()  // The snapshot could not be read, which is the error to report.
      throw error
    }
    enter(.read)
  }

  /// Ends the read transaction and releases its snapshot.
  public func endRead() throws {
    try require(.read, "end a read transaction")
    enter(.none)
    // SQLite has already ended the transaction if something could not be read.
    guard sqlite3_get_autocommit(connection.handle) == 0 else { return }
    try commitStatement.run()
  }

  /// Releases the memory of the page cache that is not in use.
  public func releaseMemory() { sqlite3_db_release_memory(connection.handle) }

  /// Starts a write transaction, waiting for other writers at most as long as the busy timeout.
  public func beginWrite() throws {
    try require(.none, "start a write transaction")
    try beginImmediate.run()
    enter(.write)
  }

  /// Makes the changes permanent, or reverts them and throws. A transaction in which a statement failed because of a
  /// full disk or a device error cannot be committed, because a part of it may be missing.
  public func commit() throws {
    try require(.write, "commit")
    do {
      try willCommit?()
      try requireUnspoiled()
      try commitStatement.run()
    } catch {
      try rollback()
      throw error
    }
    commitCount += 1
    enter(.none)
    didCommit?()
  }

  /// Reverts the changes of the write transaction.
  public func rollback() throws {
    try require(.write, "roll back")
    rollbackCount += 1
    enter(.none)
    // SQLite has already rolled back after some errors, such as a full disk.
    guard sqlite3_get_autocommit(connection.handle) == 0 else { return }
    try rollbackStatement.run()
  }

  /// Runs `body` so that all its reads see one snapshot. Inside a transaction it uses that transaction's snapshot.
  public func read<Result>(_ body: () throws -> Result) throws -> Result {
    guard transactionState == .none else { return try body() }
    try beginRead()
    return try finishing(body, endRead, afterError: endRead)
  }

  /// Runs `body` in a write transaction, which is committed when `body` returns and rolled back when it throws.
  /// Inside a write transaction it becomes a part of that transaction, whose owner must roll back after an error.
  public func write<Result>(_ body: () throws -> Result) throws -> Result {
    guard transactionState != .write else { return try body() }
    try beginWrite()
    return try finishing(body, commit, afterError: rollback)
  }

  /// Runs `body` so that an error reverts only the changes made by `body`. Call it inside a write transaction.
  public func nested<Result>(_ body: () throws -> Result) throws -> Result {
    try requireWrite()
    try willNest?()
    try savepoint.run()
    return try finishing(body, releaseSavepoint.run) {
      // Caches must discard what they have read, as after a rollback of the entire transaction.
      rollbackCount += 1
      transactionNumber += 1
      // SQLite has already rolled back everything after some errors, such as a full disk.
      guard sqlite3_get_autocommit(connection.handle) == 0 else { return }
      try rollbackToSavepoint.run()
      try releaseSavepoint.run()
    }
  }

  /// Runs `body` and then `end`, or if it throws, `undo`.
  private func finishing<Result>(
    _ body: () throws -> Result,
    _ end: () throws -> Void,
    afterError undo: () throws -> Void
  ) throws -> Result {
    let result: Result
    do {
      result = try body()
    } catch {
      try undo()
      throw error
    }
    try end()
    return result
  }

  /// Moves committed changes from the write-ahead log to the file, unless a reader still needs the old pages.
  public func checkpoint() throws {
    try connection.check(
      sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    )
  }

  package func requireWrite() throws {
    guard transactionState == .write else {
      throw StorageError.misuse("'\(path)' can only be changed inside a write transaction.")
    }
    try requireUnspoiled()
  }

  private func requireUnspoiled() throws {
    if let error = connection.spoilingError { throw error }
  }

  private func enter(_ state: TransactionState) {
    self.state = state
    connection.isWriting = state == .write
    transactionNumber += 1
  }

  /// Checks the state before a transaction begins or ends, and finalizes released statements and resets the one left
  /// open, which might block it.
  private func require(_ state: TransactionState, _ action: String) throws {
    closeOpenStatement()
    connection.retiredStatements.finalizeAll()
    guard transactionState == state else {
      throw StorageError.misuse(
        "Cannot \(action) on '\(path)': the transaction state is \(transactionState)."
      )
    }
  }
}
