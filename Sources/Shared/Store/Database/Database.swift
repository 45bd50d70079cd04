// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A connection to a SQLite file in WAL mode: one writer and any number of readers at a time, over all
/// connections and processes.
///
/// Confined to one thread at a time: it takes no locks, and it is not `Sendable`, so an owner that moves it
/// between threads has to synchronise.
public final class Database {
  /// What is going on.
  public enum TransactionState: Hashable, Sendable {
    /// Statements run on their own.
    case none
    /// Everything read comes from one snapshot.
    case read
    /// The only writer; changes are visible here at once and elsewhere after the commit.
    case write
  }

  let connection: Connection
  /// How the database was opened.
  public let configuration: DatabaseConfiguration
  /// What is going on.
  public private(set) var transactionState = TransactionState.none
  /// Grows with every start and end of a transaction, so that caches know when to look again.
  public private(set) var transactionNumber: UInt64 = 0
  /// Grows with every rollback, which may take back what a cache has seen.
  public private(set) var rollbackCount: UInt64 = 0
  /// The number of commits of this connection.
  private(set) var commitCount: UInt64 = 0
  /// What `makeDurable` has synced; nil before the first time.
  var durableMark: CommitMark?
  /// Called at the start of a commit, with changes still possible; an error rolls back.
  var willCommit: (() throws -> Void)?

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

  // MARK: Statements

  /// Runs one or more statements without parameters, such as declarations of tables.
  public func execute(_ sql: String) throws {
    connection.retiredStatements.finalizeAll()
    let resultCode = sqlite3_exec(connection.handle, sql, nil, nil, nil)
    guard resultCode == SQLITE_OK else { throw connection.error(resultCode, sql: sql) }
  }

  /// Prepares a statement for the caller to keep.
  public func prepare(_ sql: String) throws -> Statement {
    try Statement(connection: connection, sql: sql)
  }

  /// Lends a statement from the cache, prepared if need be; it is reset afterwards, its bindings are forgotten.
  public func withStatement<Result>(_ sql: String, _ body: (Statement) throws -> Result) throws -> Result {
    let statement = try cache.take(sql) ?? prepare(sql)
    defer {
      statement.reset()
      statement.clearBindings()
      cache.give(statement, sql: sql)
    }
    return try body(statement)
  }

  /// The number of rows that the last statement inserted, changed or deleted.
  @inline(__always)
  package var changedRowCount: Int32 { sqlite3_changes(connection.handle) }

  /// Forgets cached statements, for example before a file is deleted.
  public func releaseStatements() {
    cache.removeAll()
    connection.retiredStatements.finalizeAll()
  }

  // MARK: Transactions

  /// Starts a read transaction and pins the newest snapshot.
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
    // SQLite has ended it by itself if something could not be read.
    guard sqlite3_get_autocommit(connection.handle) == 0 else { return }
    try commitStatement.run()
  }

  /// Starts the write transaction, waiting for other writers no longer than the busy timeout.
  public func beginWrite() throws {
    try require(.none, "start a write transaction")
    try beginImmediate.run()
    enter(.write)
  }

  /// Makes the changes permanent, or takes them back and throws. A transaction in which a statement failed for lack of
  /// space, or because of the device, cannot be committed: a part of it may be missing.
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
  }

  /// Takes back the changes of the write transaction.
  public func rollback() throws {
    try require(.write, "roll back")
    rollbackCount += 1
    enter(.none)
    // SQLite has rolled back by itself after some errors, for example a full disk.
    guard sqlite3_get_autocommit(connection.handle) == 0 else { return }
    try rollbackStatement.run()
  }

  /// Runs `body` with everything it reads coming from one snapshot. Inside a transaction it uses that one.
  public func read<Result>(_ body: () throws -> Result) throws -> Result {
    guard transactionState == .none else { return try body() }
    try beginRead()
    let result: Result
    do {
      result = try body()
    } catch {
      try endRead()
      throw error
    }
    try endRead()
    return result
  }

  /// Runs `body` in a write transaction, committed when it returns and rolled back when it throws. Inside a write
  /// transaction it becomes a part of that one, whose owner has to roll back after an error.
  public func write<Result>(_ body: () throws -> Result) throws -> Result {
    guard transactionState != .write else { return try body() }
    try beginWrite()
    let result: Result
    do {
      result = try body()
    } catch {
      try rollback()
      throw error
    }
    try commit()
    return result
  }

  /// Runs `body` so that an error in it takes back its own changes and no others. Inside a write transaction.
  public func nested<Result>(_ body: () throws -> Result) throws -> Result {
    try requireWrite()
    try savepoint.run()
    let result: Result
    do {
      result = try body()
    } catch {
      // Caches must forget what they have seen, as after the rollback of the whole transaction.
      rollbackCount += 1
      transactionNumber += 1
      // SQLite has rolled back everything by itself after some errors, for example a full disk.
      if sqlite3_get_autocommit(connection.handle) == 0 {
        try rollbackToSavepoint.run()
        try releaseSavepoint.run()
      }
      throw error
    }
    try releaseSavepoint.run()
    return result
  }

  /// Moves committed changes from the write-ahead log into the file, as far as no reader needs the old pages.
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
    transactionState = state
    connection.isWriting = state == .write
    transactionNumber += 1
  }

  /// Makes sure of the state before a transaction begins or ends, and that no statement that nobody has hinders it.
  private func require(_ state: TransactionState, _ action: String) throws {
    connection.retiredStatements.finalizeAll()
    guard transactionState == state else {
      throw StorageError.misuse(
        "Cannot \(action) on '\(path)': the transaction state is \(transactionState)."
      )
    }
  }
}
