// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// The records of which objects recent commits changed, in the file. A commit is recorded if another process has the file
/// open, so that its observers get the same reports as those of this process.
enum CommitRecords {
  /// The number of bytes that one record may have. Beyond it, others must assume that any object has changed.
  private static let longestByteCount = 256 << 10
  /// The number of bytes that all records may have. The oldest are removed; a process that is further behind must assume
  /// that any object has changed.
  private static let byteLimit: Int64 = 4 << 20
  /// The least number of bytes that a record takes in addition to its content.
  private static let overhead = 64
  /// The number of records between two removals.
  private static let recordsBetweenRemovals: Int64 = 64
  /// The number of bytes between two removals.
  private static let bytesBetweenRemovals: Int64 = 512 << 10

  static func createTable(_ database: Database) throws {
    try database.execute(
      """
      CREATE TABLE flx_commits (
        version INTEGER PRIMARY KEY, process INTEGER NOT NULL, end_byte INTEGER NOT NULL, changes BLOB NOT NULL)
      """
    )
  }

  /// Returns the number of the newest record, as a connection sees the file; 0 if there is none.
  static func newest(in database: Database) throws -> Int64 {
    try database.integer("SELECT ifnull(max(version), 0) FROM flx_commits")
  }

  /// Records what the open write transaction changes.
  static func append(_ touched: TouchedRows, by process: UInt64, to database: Database) throws {
    var changes = touched.encoded
    if changes.count > longestByteCount { changes = TouchedRows.unknown.encoded }
    let last = try database.firstRow(
      "SELECT version, end_byte FROM flx_commits ORDER BY version DESC LIMIT 1"
    ) {
      (version: $0.int(0), endByte: $0.int(1))
    }
    let version = (last?.version ?? 0) + 1
    let endByte = (last?.endByte ?? 0) + Int64(changes.count + overhead)
    try database.run(
      "INSERT INTO flx_commits (version, process, end_byte, changes) VALUES (?1, ?2, ?3, ?4)",
      [version, process, endByte, changes]
    )
    let isLong = endByte / bytesBetweenRemovals != (last?.endByte ?? 0) / bytesBetweenRemovals
    guard version % recordsBetweenRemovals == 0 || isLong else { return }
    try database.run("DELETE FROM flx_commits WHERE end_byte < ?1", [endByte - byteLimit])
  }

  /// Returns what other processes changed in the commits with numbers after `first` and up to `last`.
  ///
  /// - Parameter process: the process whose own commits are left out.
  static func changes(after first: Int64, through last: Int64, except process: UInt64, in database: Database)
    throws -> TouchedRows
  {
    let sql = """
      SELECT version, process, changes FROM flx_commits WHERE version > ?1 AND version <= ?2 ORDER BY version
      """
    var next = first + 1
    var touched = TouchedRows()
    _ = try database.rows(sql, [first, last]) { row in
      if row.int(0) != next { touched = .unknown }
      next = row.int(0) + 1
      if row.unsigned(1) != process { touched.formUnion(TouchedRows(encoded: row.blob(2))) }
    }
    return next == last + 1 ? touched : .unknown
  }
}

/// The commits of other processes that this one knows. A part of the coordinator's state, under its lock.
struct ForeignCommits: Sendable {
  private struct Connection: @unchecked Sendable {
    let database: Database
  }

  let processes: ProcessTable
  /// That of a connection for reading the records.
  let configuration: DatabaseConfiguration
  /// The number of the newest record that is known; nil before the first handle.
  private(set) var position: Int64?
  /// A connection without a transaction, which sees the newest data.
  private var reader: Connection?

  init(_ processes: ProcessTable, _ configuration: DatabaseConfiguration) {
    self.processes = processes
    self.configuration = configuration
  }

  /// Returns what other processes have changed since the last call, as far as a connection sees it.
  mutating func take(_ database: Database) throws -> TouchedRows {
    guard position == nil || processes.mayHaveNews else { return TouchedRows() }
    let newest = try CommitRecords.newest(in: database)
    var touched = TouchedRows()
    if let position, newest > position {
      touched = try CommitRecords.changes(
        after: position,
        through: newest,
        except: processes.identity,
        in: database
      )
    }
    position = newest
    return touched
  }

  /// Returns what other processes have changed since the last call.
  mutating func takeNewest() throws -> TouchedRows {
    // The first handle says where the records begin that matter.
    guard position != nil, processes.mayHaveNews else { return TouchedRows() }
    let database = try openReader()
    let generation = processes.generation
    let isAlone = !processes.hasOthers
    // The connection sees everything that was committed before, unlike one that has begun to read.
    let touched = try take(database)
    if isAlone { processes.noteQuiet(generation) }
    return touched
  }

  /// Records that any object may have changed: for a process that came while this one was committing without a record.
  mutating func recordUnknown() throws {
    let database = try openReader()
    try database.write { try CommitRecords.append(.unknown, by: processes.identity, to: database) }
  }

  private mutating func openReader() throws -> Database {
    let connection = try reader ?? Connection(database: Database.open(configuration))
    reader = connection
    return connection.database
  }

  /// Whether a connection that has begun to read sees the data up to the known position and none beyond.
  func isUpToDate(_ database: Database) throws -> Bool {
    try !processes.mayHaveNews || CommitRecords.newest(in: database) == position
  }
}
