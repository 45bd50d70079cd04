// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// The objects of a database: one SQL table per class, with separate tables for collections (Docs/Storage.md).
///
/// Confined to the thread of its database. Changes require a write transaction. A new object is held back until the
/// next operation other than a `set` on it, so that creating and filling it takes a single INSERT.
///
/// A link is the primary key of its target. If the target does not exist, the link dangles: it reads as null, or is
/// skipped in a list or set, but it keeps its place and becomes visible again when the target reappears (protocol
/// §4.8). Functions that take or return *wire* indexes count dangling links, those with *visible* indexes do not.
public final class ObjectStore {
  /// The database that contains the objects.
  public let database: Database
  /// Records changes for notifications.
  @exclusivity(unchecked) public var recorder: ChangeRecorder?
  /// Captures the app's changes for the server; nil for a file that is not synced.
  @exclusivity(unchecked) public var capture: ChangeCapture? {
    didSet { captureReference = capture.map { .passUnretained($0) } }
  }
  /// `capture` for the most frequent writes, which count no references to it.
  @exclusivity(unchecked) private var captureReference: Unmanaged<ChangeCapture>?

  let catalog: Catalog
  let pending = PendingObject()
  var openMixed: OpenMixed?
  var listTail: ListTail?
  var lastFound: FoundObject?
  var lastErased: FoundObject?
  /// The rows of erased objects, in a phase in which they are reused.
  var rowsToReuse: [ObjectReference: Int64]?

  /// Creates a store in a database that has the schema tables (`createTables`).
  public init(_ database: Database) throws {
    self.database = database
    catalog = try Catalog(database: database)
    // Not weak, because weak references slow down all reference counting of an object.
    database.willCommit = { [unowned(unsafe) self] in try finishTransaction() }
    // What is still held back was written before, and must not be reverted.
    database.willNest = { [unowned(unsafe) self] in try flush() }
  }

  deinit {
    database.willCommit = nil
    database.willNest = nil
  }

  /// Creates the schema tables in a file that lacks them. A part of the first migration of each kind of file.
  public static func createTables(_ database: Database) throws { try database.execute(Catalog.tablesSQL) }

  // MARK: Classes

  /// Returns the table of a class, or nil if the class is not declared.
  public func table(named name: String) throws -> ClassTable? { try catalog.table(named: name) }

  /// The tables of all classes, by name.
  public var tables: [String: ClassTable] {
    get throws {
      try catalog.refresh()
      return catalog.tables
    }
  }

  /// The declarations of all classes.
  public var schema: Schema {
    get throws { Schema(try tables.values.map(\.schema)) }
  }

  package func requireTable(_ name: String) throws -> ClassTable {
    guard let table = try catalog.table(named: name) else { throw ObjectError(.unknownClass(name)) }
    return table
  }

  // MARK: Objects

  /// Returns the row of an object, or nil if there is no such object.
  public func row(of object: ObjectReference) throws -> Int64? {
    guard let table = try catalog.table(named: object.table) else { return nil }
    return try row(of: object.key, in: table)
  }

  /// Returns the row of the object with that key, or nil if there is none.
  public func row(of key: PrimaryKey, in table: ClassTable) throws -> Int64? {
    if pending.isHeld(key, table, database.transactionNumber) { return pending.row }
    try flushPending()
    if let found = lastFound, found.transaction == database.transactionNumber, found.table === table,
      found.key == key, database.transactionState != .none
    {
      return found.row
    }
    // SQLite would find the object with the key 5 by the text '5'.
    guard isPossible(key, table) else { return nil }
    let statement = try statement(.find, of: table)
    statement.bind(key, at: 1)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let row = statement.int(0)
    noteFound(key, row: row, in: table)
    return row
  }

  /// Whether the row contains an object.
  public func exists(row: Int64, in table: ClassTable) throws -> Bool { try key(of: row, in: table) != nil }

  /// Returns the primary key of the object in that row, or nil if there is none.
  public func key(of row: Int64, in table: ClassTable) throws -> PrimaryKey? {
    if pending.isHeld(row: row, ObjectIdentifier(table), database.transactionNumber) { return pending.key }
    try flushPending()
    if let found = lastFound, found.transaction == database.transactionNumber, found.table === table,
      found.row == row, database.transactionState == .write
    {
      return found.key
    }
    let statement = try statement(.key, of: table)
    statement.bind(row, at: 1)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let key = statement.key(0, table.primaryKey.schema.type)
    noteFound(key, row: row, in: table)
    return key
  }

  func noteFound(_ key: PrimaryKey, row: Int64, in table: ClassTable) {
    lastFound = FoundObject(table: table, key: key, row: row, transaction: database.transactionNumber)
  }

  /// Creates an object with initial values unless one with that key exists.
  ///
  /// - Throws: `ObjectError` if the key does not have the class's key type.
  public func create(_ key: PrimaryKey, in table: ClassTable) throws -> (row: Int64, isNew: Bool) {
    guard !table.isEmbedded else { throw ObjectError(.embeddedClass(table.name)) }
    // Columns that another connection has added must not appear while the object is pending.
    try catalog.refresh()
    try checkKey(key, table)
    if try !isGreatest(key, table), let row = try row(of: key, in: table) { return (row, false) }
    let row = try allocateRow(table)
    try hold(key, table: table, row: row)
    capture?.appendCreation(of: key, row: row, in: table)
    return (row, true)
  }

  /// Creates an object with initial values in a class whose rows are the keys.
  ///
  /// - Returns: The row.
  public func create(in table: ClassTable) throws -> Int64 {
    precondition(table.isKeyedByRow && !table.isEmbedded, "An object of '\(table.name)' needs a key.")
    try catalog.refresh()
    try flush()
    let row = try allocateRow(table)
    try hold(.int(row), table: table, row: row)
    return row
  }

  /// Removes an object, its collections and its embedded objects. Links to it remain and dangle, as for an object
  /// that leaves the view (protocol §4.8). Use `localErase` for deletions by the app.
  public func erase(row: Int64, in table: ClassTable) throws {
    try flush()
    try database.requireWrite()
    for column in table.embeddedColumns { try eraseEmbedded(row: row, column) }
    for column in table.collectionColumns { try deleteElements(row: row, column) }
    let statement = try statement(.erase, of: table)
    statement.bind(row, at: 1)
    try statement.run()
    lastFound = nil
    guard database.changedRowCount > 0 else { return }
    table.firstRowAfterErased = max(table.firstRowAfterErased, row + 1)
    recorder?.erased(row: row, in: table)
  }

  // MARK: Single values

  /// Returns the value of a single-valued property as the app sees it: dangling links are null, including those
  /// inside a nested collection.
  ///
  /// - Throws: `ObjectError.Reason.missingObject` if the row does not exist.
  public func value(row: Int64, _ column: Column) throws -> Value {
    try visible(storedValue(row: row, column))
  }

  /// Returns the row that a single link leads to, or nil for a null link or a dangling one.
  ///
  /// - Throws: `ObjectError.Reason.missingObject` if the row does not exist.
  public func targetRow(row: Int64, _ column: Column) throws -> Int64? {
    guard case .link(let link) = try storedValue(row: row, column) else { return nil }
    if case .int(let row) = link.key, column.isEmbedded { return row }
    return try self.row(of: ObjectReference(table: link.className, key: link.key))
  }

  /// Returns the value of a single-valued property as stored and synced. A dangling link is returned as a link.
  public func storedValue(row: Int64, _ column: Column) throws -> Value {
    if let value = openValue(row: row, column) { return value }
    try flushPending()
    try requireSingle(column)
    let statement = try statement(.select, of: column)
    statement.bind(row, at: 1)
    defer { statement.reset() }
    guard try statement.step() else { throw ObjectError(.missingObject) }
    return statement.value(0, column)
  }

  /// Sets a single-valued property. Setting a property that holds an embedded object to null erases that object.
  ///
  /// - Throws: `ObjectError` if the value does not fit the property or the object does not exist.
  public func set(_ value: Value, row: Int64, _ column: Column) throws {
    try checkSettable(value, column)
    try write(row: row, column) { $0.bind(value, column.storage, at: $1) }
  }

  /// Sets a property of a plain type, of which the caller has verified that it can hold the value, and captures the
  /// change.
  ///
  /// - Parameter key: Returns the key of the object.
  /// - Throws: `ObjectError.Reason.missingObject`, or what `key` throws.
  @inline(__always)
  public func set(plain cell: Cell, row: Int64, _ column: Column, key: () throws -> PrimaryKey) throws {
    try setUncaptured(plain: cell, row: row, column)
    try captureReference?._withUnsafeGuaranteedRef { try $0.appendUpdate(cell, row: row, column, key: key) }
  }

  /// Sets a property of a plain type, of which the caller has verified that it can hold the value.
  ///
  /// - Throws: `ObjectError.Reason.missingObject`.
  @inline(__always)
  func setUncaptured(plain cell: Cell, row: Int64, _ column: Column) throws {
    if pending.isHeld(row: row, column.tableIdentity, database.transactionNumber) {
      pending.assign(cell, column)
    } else {
      try write(row: row, column) { $0.bind(cell, column.storage, at: $1) }
    }
  }

  /// Writes a value to a new object, or to one in the file.
  ///
  /// - Parameter bind: Binds the value, starting at a parameter.
  @inline(__always)
  private func write(row: Int64, _ column: Column, _ bind: (Binder, Int32) -> Void) throws {
    if pending.isHeld(row: row, column.tableIdentity, database.transactionNumber) {
      return pending.assign(column, bind)
    }
    try flush()
    try database.requireWrite()
    if column.isEmbedded { try eraseEmbedded(row: row, column) }
    try update(row: row, column, bind)
  }

  /// Writes a value to an object in the file.
  func store(_ value: Value, row: Int64, _ column: Column) throws {
    try update(row: row, column) { $0.bind(value, column.storage, at: $1) }
  }

  private func update(row: Int64, _ column: Column, _ bind: (Binder, Int32) -> Void) throws {
    let statement = try statement(.update, of: column)
    statement.bind(row, at: 1)
    bind(statement.binder, 2)
    try statement.run()
    guard database.changedRowCount > 0 else { throw ObjectError(.missingObject) }
    recorder?.modified(row: row, column: column)
  }

  /// Checks that a property can be set to a value.
  package func checkSettable(_ value: Value, _ column: Column) throws {
    guard !column.isPrimaryKey else { throw ObjectError(.primaryKeyIsConstant) }
    try requireSingle(column)
    try checkFit(value, column)
  }

  private func requireSingle(_ column: Column) throws {
    guard column.isSingle else {
      throw ObjectError(.wrongPath("'\(column.schema.name)' is a \(column.schema.collection)"))
    }
  }

  func checkKey(_ key: PrimaryKey, _ table: ClassTable) throws {
    guard isPossible(key, table) else {
      throw ObjectError(.wrongKeyType(expected: table.primaryKey.storage.type))
    }
  }

  /// Whether an object of the class can have the key.
  private func isPossible(_ key: PrimaryKey, _ table: ClassTable) -> Bool {
    let expected = table.primaryKey.storage
    return key == .null ? expected.isNullable : key.type == expected.type
  }
}

/// The last object that was looked up by its key. Changesets often name the same object many times in a row.
struct FoundObject {
  let table: ClassTable
  let key: PrimaryKey
  let row: Int64
  let transaction: UInt64
}
