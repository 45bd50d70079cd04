// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// A selection of rows of a class and their order, as SQL fragments written by the query compiler. They refer to the
/// table of the class as `t0`.
public struct RowSelection: Sendable {
  /// The WHERE condition; nil for all rows.
  public var condition: SQLFragment?
  /// The ORDER BY terms; nil for the order of insertion.
  public var order: SQLFragment?
  /// The maximum number of rows; nil for no limit.
  public var limit: Int?

  /// Creates a selection of rows.
  public init(condition: SQLFragment? = nil, order: SQLFragment? = nil, limit: Int? = nil) {
    self.condition = condition
    self.order = order
    self.limit = limit
  }

  /// All rows in the order of insertion.
  public static let all = RowSelection()
}

/// A prepared scan over rows of a class that returns selected single-valued properties directly from SQLite.
///
/// Start it with `restart`, then call `next` until it returns false. Column positions are those of the requested
/// columns. A scan that stops early keeps its snapshot, so it should be restarted with `restart`.
public final class RowScan {
  private let store: ObjectStore
  let statement: Statement
  private let columns: [Column]
  /// The position of each column in the result row. Position 0 is the row number.
  private let positions: [Int32]
  /// Stored in plain memory, because looping over an array of objects costs more than reading the values that they
  /// describe.
  let readers: UnsafeMutableBufferPointer<CellReader>
  /// Whether the statement is on a row that is still to be read, because it did not fit into the caller's columns.
  var isOnUnreadRow = false
  private var wasPaused = false
  /// Keeps the key that `restart(key:)` binds; nil before its first call.
  private var arena: UnsafeMutablePointer<BindingArena>?

  init(store: ObjectStore, statement: Statement, columns: [Column], positions: [Int32]) {
    self.store = store
    self.statement = statement
    self.columns = columns
    self.positions = positions
    readers = .allocate(capacity: columns.count)
    _ = readers.initialize(from: zip(columns, positions).map { CellReader($0, position: $1) })
  }

  deinit {
    readers.deallocate()
    arena?.deinitialize(count: 1)
    arena?.deallocate()
  }

  /// Moves to before the first row, using the current data.
  public func restart() throws {
    stop()
    try store.flush()
  }

  /// Leaves the scan where it is, to continue after other statements have run. It ends with the read transaction, or
  /// when another scan of the same database is paused; in a write transaction, whose changes it might see or not, it
  /// ends at once.
  public func pause() {
    guard store.database.transactionState == .read else { return stop() }
    store.database.leaveOpen(statement)
    wasPaused = true
  }

  /// Whether the scan continues behind the last row read before it was paused.
  public var isPaused: Bool { wasPaused && store.database.isOpen(statement) }

  /// Ends the scan, which until then holds its snapshot.
  public func stop() {
    statement.reset()
    isOnUnreadRow = false
    wasPaused = false
  }

  /// Moves to before the first row, with new values for the parameters.
  public func restart(bindings: [Value]) throws {
    try restart()
    statement.bind(bindings)
  }

  /// Moves to before the object with another primary key, for a scan created by `keyScan`.
  public func restart(key: PrimaryKey) throws {
    try restart()
    let arena = arena ?? makeArena()
    arena.pointee.removeAll()
    Binder(handle: statement.handle, arena: arena).bind(key, at: 1)
  }

  private func makeArena() -> UnsafeMutablePointer<BindingArena> {
    let made = UnsafeMutablePointer<BindingArena>.allocate(capacity: 1)
    made.initialize(to: BindingArena(byteCount: 256))
    arena = made
    return made
  }

  /// Advances to the next row. Returns false after the last one.
  @inline(__always)
  public func next() throws -> Bool {
    guard try statement.step() else {
      statement.reset()
      wasPaused = false
      return false
    }
    return true
  }

  /// The current row.
  public var row: Int64 { statement.int(0) }

  /// Whether the value is null.
  public func isNull(_ column: Int) -> Bool { statement.isNull(positions[column]) }

  /// Returns the value of an integer property, or 0 for null.
  public func int(_ column: Int) -> Int64 { statement.int(positions[column]) }

  /// Returns the value of a Boolean property, or false for null.
  public func bool(_ column: Int) -> Bool { statement.int(positions[column]) != 0 }

  /// Returns the value of a double property, or 0 for null.
  public func double(_ column: Int) -> Double { statement.number(positions[column]) }

  /// Returns the value of a float property, or 0 for null.
  public func float(_ column: Int) -> Float { statement.float(positions[column]) }

  /// Returns the value of a string property, or an empty string for null. Invalid UTF-8 is repaired.
  public func string(_ column: Int) -> String { statement.text(positions[column]) }

  /// Returns the value of a timestamp property, or the epoch for null.
  public func timestamp(_ column: Int) -> Timestamp { statement.timestamp(positions[column]) }

  /// Returns the value of an object id property, or zero for null.
  public func objectId(_ column: Int) -> ObjectId { statement.objectId(positions[column]) }

  /// Returns the value of a UUID property, or zero for null.
  public func uuid(_ column: Int) -> UUIDValue { statement.uuid(positions[column]) }

  /// Returns the value of a decimal property, or zero for null.
  public func decimal(_ column: Int) -> Decimal128 { statement.decimal(positions[column]) }

  /// Reads all columns into `cells`, which must have space for as many cells. Text and bytes are valid until the next
  /// call to `next` or `restart`.
  public func read(into cells: UnsafeMutablePointer<Cell>) {
    let statement = statement
    for (index, reader) in readers.enumerated() { cells[index] = statement.cell(reader) }
  }

  /// Returns the value of a property of any type, as stored. A dangling link is returned as a link.
  public func value(_ column: Int) -> Value { statement.value(positions[column], columns[column]) }
}

/// The row number, if wanted, and some columns, as the results of a SELECT from `t0`.
struct SelectList {
  let text: String
  /// The position of each column.
  let positions: [Int32]

  init(_ columns: [Column], includesRow: Bool = true) {
    var names = includesRow ? ["t0.flx_row"] : []
    var positions: [Int32] = []
    var position = Int32(names.count)
    for column in columns {
      names.append("t0.\(column.sqlName)")
      if let nanoseconds = column.nanosecondsSQLName { names.append("t0.\(nanoseconds)") }
      positions.append(position)
      position += column.storage.width
    }
    text = names.joined(separator: ", ")
    self.positions = positions
  }
}

extension ObjectStore {
  /// Prepares a scan that returns the rows of a selection and selected single-valued properties.
  ///
  /// - Throws: `StorageError` if SQLite rejects the selection.
  public func scan(_ table: ClassTable, _ selection: RowSelection = .all, columns: [Column] = []) throws
    -> RowScan
  {
    let list = SelectList(columns)
    let statement = try prepare(list.text, table, selection)
    return RowScan(store: self, statement: statement, columns: columns, positions: list.positions)
  }

  /// Prepares a scan that returns the object with a primary key and selected single-valued properties of it. Start it
  /// with `restart(key:)`.
  public func keyScan(_ table: ClassTable, columns: [Column]) throws -> RowScan {
    try scan(table, RowSelection(condition: "t0.\(raw: table.primaryKey.sqlName) IS ?1"), columns: columns)
  }

  /// Returns the rows of a selection, in its order.
  public func rows(_ table: ClassTable, _ selection: RowSelection = .all) throws -> [Int64] {
    let scan = try scan(table, selection)
    try scan.restart()
    var rows: [Int64] = []
    while try scan.next() { rows.append(scan.row) }
    return rows
  }

  /// Returns the number of rows of a selection.
  public func count(_ table: ClassTable, _ selection: RowSelection = .all) throws -> Int {
    try flush()
    var unordered = selection
    unordered.order = nil
    guard selection.limit != nil else {
      let statement = try prepare("count(*)", table, unordered, isOrdered: false)
      return try statement.step() ? Int(statement.int(0)) : 0
    }
    let statement = try prepare("1", table, unordered, isOrdered: false)
    var count = 0
    while try statement.step() { count += 1 }
    return count
  }

  private func prepare(
    _ columns: String,
    _ table: ClassTable,
    _ selection: RowSelection,
    isOrdered: Bool = true
  ) throws -> Statement {
    var sql: SQLFragment = "SELECT \(raw: columns) FROM \(raw: table.sqlName) AS t0"
    if let condition = selection.condition { sql = "\(sql) WHERE \(condition)" }
    if isOrdered { sql = "\(sql) ORDER BY \(selection.order ?? "t0.flx_row")" }
    if let limit = selection.limit { sql.text += " LIMIT \(limit)" }
    let statement = try database.prepare(sql.text)
    try statement.bind(sql.bindings, self)
    return statement
  }
}
