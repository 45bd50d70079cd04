// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStore

/// A scan of the rows of a class that match one predicate and not another, in the order of their keys. Insertion
/// order would reveal how long objects have existed that a user sees only now. Links count as stored, whether or not
/// their targets exist, as in the matching of changes.
///
/// The scan examines one stretch of the table after another, so the caller can do other work in between, however few
/// rows match. Within a stretch it holds the snapshot of its database's transaction, which must stay open until the
/// stretch ends.
public final class ViewScan {
  /// The outcome of a step.
  public enum Step: Hashable, Sendable {
    /// A matching row, and the key of its object.
    case found(row: Int64, key: PrimaryKey)
    /// No match in a stretch, or in the rest of one.
    case nothing
    case end
  }

  /// The maximum duration of a step in milliseconds. A longer step is interrupted and retried with a shorter stretch.
  private static let longestStep: UInt64 = 8
  private static let firstLength: Int64 = 64
  private static let greatestLength: Int64 = 1 << 20

  private let store: ObjectStore
  /// The class being scanned.
  public let table: ClassTable
  private let stretches: KeyStretches
  private let conditions: (wanted: SQLFragment, unwanted: SQLFragment)
  private let hasValues: Bool
  private var statements: [String: Statement] = [:]
  /// Returns the milliseconds of a monotonic clock; nil if the scan need not yield.
  private let now: (() -> UInt64)?
  /// The maximum number of rows in a stretch.
  private var length: Int64
  /// The key up to which everything has been examined.
  private var position = KeyStretches.Position.start
  /// The stretch being examined.
  private var current: (statement: Statement, end: KeyStretches.Position)?

  /// - Parameters:
  ///   - hasValues: Whether `values` or `writeState` is asked for.
  ///   - now: Returns the milliseconds of a monotonic clock, from which the scan derives the length of a stretch; nil
  ///     to scan the entire table as one stretch.
  /// - Throws: `StorageError`.
  public init(
    _ store: ObjectStore,
    table: ClassTable,
    matching wanted: Predicate,
    excluding unwanted: Predicate,
    hasValues: Bool = false,
    now: (() -> UInt64)? = nil
  ) throws {
    self.store = store
    self.table = table
    self.hasValues = hasValues
    self.now = now
    length = now == nil ? .max : ViewScan.firstLength
    stretches = KeyStretches(store.database, table)
    let layout = try store.layout
    func condition(_ predicate: Predicate) -> SQLFragment {
      SQLCompiler.condition(predicate, on: table.name, layout: layout, danglingLinks: .asStored)
    }
    conditions = (condition(wanted), condition(unwanted))
  }

  /// Advances to the next matching row or to the end of a stretch.
  public func next() throws -> Step {
    let begin = now?() ?? 0
    guard let (statement, end) = try current ?? self.begin() else { return .end }
    do {
      if try step(statement, since: begin) {
        let key = statement.key(1, table.primaryKey.schema.type)
        position = .after(key)
        return .found(row: statement.int(0), key: key)
      }
    } catch let error as StorageError where error.kind == .interrupted && length > 1 {
      cancel()
      length = max(1, length / 8)
      return .nothing
    }
    position = end
    cancel()
    adjust(to: (now?() ?? 0) - begin)
    return .nothing
  }

  /// Returns the stored values of the row that was found last, by column index, with null for collections.
  public var values: [Value] { current?.statement.values(of: table, from: 2) ?? [] }

  /// Writes the state of the object that was found last, which `writer` has begun.
  public func writeState(of row: Int64, _ key: PrimaryKey, to writer: ChangesetWriter) throws {
    guard let statement = current?.statement else { return }
    try store.writeState(of: row, key, statement, from: 2, in: table, to: writer)
  }

  /// Returns the next matching row and the key of its object, without yielding; nil after the last row.
  public func nextRow() throws -> (row: Int64, key: PrimaryKey)? {
    while true {
      switch try next() {
      case .found(let row, let key): return (row, key)
      case .nothing: continue
      case .end: return nil
      }
    }
  }

  /// Ends the scan early.
  public func cancel() {
    current?.statement.reset()
    current = nil
  }

  private func begin() throws -> (statement: Statement, end: KeyStretches.Position)? {
    guard let stretch = try stretches.next(after: position, length: length) else { return nil }
    let statement = try statement(where: stretch.condition)
    for (index, key) in stretch.keys.enumerated() {
      statement.bind(key, at: statement.parameterCount - Int32(stretch.keys.count - 1 - index))
    }
    let started = (statement, stretch.end)
    current = started
    return started
  }

  private func statement(where stretch: String) throws -> Statement {
    if let statement = statements[stretch] { return statement }
    let key = table.primaryKey.sqlName
    let values = hasValues ? ", " + table.selectList : ""
    let statement = try store.database.prepare(
      """
      SELECT t0.flx_row, t0.\(key)\(values) FROM \(table.sqlName) AS t0
      WHERE (\(conditions.wanted.text)) AND (\(conditions.unwanted.text)) IS NOT TRUE AND \(stretch)
      ORDER BY t0.\(key)
      """
    )
    try statement.bind(conditions.wanted.bindings + conditions.unwanted.bindings, store)
    statements[stretch] = statement
    return statement
  }

  /// Steps the statement, interrupting it if it takes too long. A single row cannot be divided.
  private func step(_ statement: Statement, since begin: UInt64) throws -> Bool {
    guard let now, length > 1 else { return try statement.step() }
    return try store.database.interrupting(when: { now() - begin > ViewScan.longestStep }, statement.step)
  }

  private func adjust(to milliseconds: UInt64) {
    guard now != nil else { return }
    if milliseconds <= 1 {
      length = min(length * 2, ViewScan.greatestLength)
    } else if milliseconds > ViewScan.longestStep / 2 {
      length = max(1, length / 2)
    }
  }
}

/// Divides the table of a class into stretches with a given number of rows, in the order of their keys.
struct KeyStretches {
  enum Position: Hashable {
    case start
    case after(PrimaryKey)
  }

  /// A condition on `t0`, the keys to bind, and the last key that satisfies it.
  struct Stretch {
    let condition: String
    let keys: [PrimaryKey]
    let end: Position
  }

  private let database: Database
  private let table: ClassTable
  private var key: String { table.primaryKey.sqlName }

  init(_ database: Database, _ table: ClassTable) {
    self.database = database
    self.table = table
  }

  /// Returns the next stretch; nil after the last one.
  func next(after position: Position, length: Int64) throws -> Stretch? {
    switch position {
    case .start:
      // Null sorts first, and compares neither less nor greater than another key.
      return Stretch(condition: "t0.\(key) IS NULL", keys: [], end: .after(.null))
    case .after(.null):
      guard let last = try lastKey(where: "\(key) IS NOT NULL", [], length) else { return nil }
      return Stretch(condition: "t0.\(key) <= ?", keys: [last], end: .after(last))
    case .after(let first):
      guard let last = try lastKey(where: "\(key) > ?", [first], length) else { return nil }
      return Stretch(condition: "t0.\(key) > ? AND t0.\(key) <= ?", keys: [first, last], end: .after(last))
    }
  }

  /// Returns the key of the last row of a stretch or of the table.
  private func lastKey(where condition: String, _ keys: [PrimaryKey], _ length: Int64) throws -> PrimaryKey? {
    if length < .max {
      let sql = "SELECT \(key) FROM \(table.sqlName) WHERE \(condition) ORDER BY \(key) LIMIT 1 OFFSET ?"
      if let key = try key(sql, keys, offset: length - 1) { return key }
    }
    return try key(
      "SELECT \(key) FROM \(table.sqlName) WHERE \(condition) ORDER BY \(key) DESC LIMIT 1",
      keys
    )
  }

  private func key(_ sql: String, _ keys: [PrimaryKey], offset: Int64? = nil) throws -> PrimaryKey? {
    try database.withStatement(sql) { statement in
      for (index, key) in keys.enumerated() { statement.bind(key, at: Int32(index + 1)) }
      if let offset { statement.bind(offset, at: Int32(keys.count + 1)) }
      return try statement.step() ? statement.key(0, table.primaryKey.schema.type) : nil
    }
  }
}
