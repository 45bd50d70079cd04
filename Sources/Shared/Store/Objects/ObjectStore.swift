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
  public var recorder: ChangeRecorder?

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
  }

  deinit { database.willCommit = nil }

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
    try flush()
    if let found = lastFound, found.transaction == database.transactionNumber, found.table === table,
      found.key == key, database.transactionState != .none
    {
      return found.row
    }
    let statement = try table.findStatement ?? prepareFind(table)
    statement.bind(key, at: 1)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let row = statement.int(0)
    lastFound = FoundObject(table: table, key: key, row: row, transaction: database.transactionNumber)
    return row
  }

  /// Whether the row contains an object.
  public func exists(row: Int64, in table: ClassTable) throws -> Bool { try key(of: row, in: table) != nil }

  /// Returns the primary key of the object in that row, or nil if there is none.
  public func key(of row: Int64, in table: ClassTable) throws -> PrimaryKey? {
    try flush()
    let statement = try table.keyStatement ?? prepareKey(table)
    statement.bind(row, at: 1)
    defer { statement.reset() }
    return try statement.step() ? statement.key(0, table.primaryKey.schema.type) : nil
  }

  /// Creates an object with initial values unless one with that key exists.
  ///
  /// - Throws: `ObjectError` if the key does not have the class's key type.
  public func create(_ key: PrimaryKey, in table: ClassTable) throws -> (row: Int64, isNew: Bool) {
    guard !table.isEmbedded else { throw ObjectError(.embeddedClass(table.name)) }
    try checkKey(key, table)
    if try !isGreatest(key, table), let row = try row(of: key, in: table) { return (row, false) }
    let row = try allocateRow(table)
    hold(key, table: table, row: row, mayExist: false)
    return (row, true)
  }

  /// Removes an object, its collections and its embedded objects. Links to it remain and dangle, as for an object
  /// that leaves the view (protocol §4.8). Use `localErase` for deletions by the app.
  public func erase(row: Int64, in table: ClassTable) throws {
    try flush()
    try database.requireWrite()
    for column in table.embeddedColumns { try eraseEmbedded(row: row, column) }
    for column in table.collectionColumns { try deleteElements(row: row, column) }
    let statement = try table.eraseStatement ?? prepareErase(table)
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
    try flush()
    try requireSingle(column)
    let statement = try column.selectStatement ?? prepareSelect(column)
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
    if pending.row == row, pending.table === column.table, pending.transaction == database.transactionNumber {
      return pending.assign(value, column.index)
    }
    try flush()
    try database.requireWrite()
    if column.isEmbedded { try eraseEmbedded(row: row, column) }
    try store(value, row: row, column)
  }

  func store(_ value: Value, row: Int64, _ column: Column) throws {
    let statement = try column.updateStatement ?? prepareUpdate(column)
    statement.bind(row, at: 1)
    statement.bind(value, column.storage, at: 2)
    try statement.run()
    guard database.changedRowCount > 0 else { throw ObjectError(.missingObject) }
    recorder?.modified(row: row, column: column)
  }

  func checkSettable(_ value: Value, _ column: Column) throws {
    guard !column.isPrimaryKey else { throw ObjectError(.primaryKeyIsConstant) }
    try requireSingle(column)
    try checkFit(value, column)
  }

  private func requireSingle(_ column: Column) throws {
    guard column.isSingle else {
      throw ObjectError(.wrongPath("'\(column.schema.name)' is a \(column.schema.collection)"))
    }
  }

  private func deleteElements(row: Int64, _ column: Column) throws {
    switch column.schema.collection {
    case .single: break
    case .list: try deleteList(row: row, column)
    case .set: try deleteSet(row: row, column)
    case .dictionary: try deleteDictionary(row: row, column)
    }
  }

  func checkKey(_ key: PrimaryKey, _ table: ClassTable) throws {
    let expected = table.primaryKey.storage
    if key == .null, expected.isNullable { return }
    guard key.type == expected.type else { throw ObjectError(.wrongKeyType(expected: expected.type)) }
  }
}

/// The last object that was looked up by its key. Changesets often name the same object many times in a row.
struct FoundObject {
  let table: ClassTable
  let key: PrimaryKey
  let row: Int64
  let transaction: UInt64
}
