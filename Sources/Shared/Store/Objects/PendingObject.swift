// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A new object that has not been inserted yet. Its values are bound to the INSERT as they are set. A store uses one
/// instance for all its objects. Access to the fields is not checked for exclusivity, because every write of a property
/// looks at them. What depends on the class stays from one object to the next, which usually has the same.
final class PendingObject {
  /// The class of the pending object, for comparisons that count no references; nil if none is pending.
  @exclusivity(unchecked) private var tableIdentity: ObjectIdentifier?
  /// The class of the object that was begun last.
  @exclusivity(unchecked) private(set) var table: ClassTable?
  @exclusivity(unchecked) private(set) var key = PrimaryKey.null
  @exclusivity(unchecked) private(set) var row: Int64 = 0
  /// The transaction that created the object. An object from a transaction that was rolled back is void.
  @exclusivity(unchecked) private(set) var transaction: UInt64 = 0
  /// The INSERT of the class. Parameter 1 is the row.
  @exclusivity(unchecked) private var statement: Statement?
  @exclusivity(unchecked) private var keyParameter: Int32 = 0
  /// The parameters of the INSERT.
  @exclusivity(unchecked) private var binder: Binder?
  private let arena = UnsafeMutablePointer<BindingArena>.allocate(capacity: 1)
  /// The values of the INSERT.
  @exclusivity(unchecked) private var steps: [InsertStep] = []
  /// Whether each column has been bound, by index.
  @exclusivity(unchecked) private var isBound: UnsafeMutableBufferPointer<Bool> = .allocate(capacity: 0)

  init() { arena.initialize(to: BindingArena(byteCount: 4096)) }

  deinit {
    isBound.deallocate()
    arena.deinitialize(count: 1)
    arena.deallocate()
  }

  /// Starts a new object with initial values.
  func begin(_ key: PrimaryKey, table: ClassTable, row: Int64, _ statement: Statement, transaction: UInt64) {
    if self.statement !== statement { use(statement, of: table) }
    tableIdentity = ObjectIdentifier(table)
    self.key = key
    self.row = row
    self.transaction = transaction
    isBound.initialize(repeating: false)
    arena.pointee.removeAll()
    binder?.bind(row, at: 1)
    binder?.bind(key, at: keyParameter)
    isBound[0] = true
  }

  /// Prepares for objects of a class. It has another statement whenever its columns have changed.
  private func use(_ statement: Statement, of table: ClassTable) {
    self.table = table
    self.statement = statement
    binder = Binder(handle: statement.handle, arena: arena)
    keyParameter = table.primaryKey.insertParameter
    steps = table.insertSteps
    isBound.deallocate()
    isBound = .allocate(capacity: table.columns.count)
  }

  var isEmpty: Bool { tableIdentity == nil }

  /// Whether the object is in that row of a table.
  @inline(__always)
  func isHeld(row: Int64, _ tableIdentity: ObjectIdentifier, _ transaction: UInt64) -> Bool {
    self.row == row && self.tableIdentity == tableIdentity && self.transaction == transaction
  }

  /// Whether the object is the one with that key.
  @inline(__always)
  func isHeld(_ key: PrimaryKey, _ table: ClassTable, _ transaction: UInt64) -> Bool {
    tableIdentity == ObjectIdentifier(table) && self.transaction == transaction && self.key == key
  }

  /// Sets a value that fits the column.
  @inline(__always)
  func assign(_ column: Column, _ bind: (Binder, Int32) -> Void) {
    guard let binder else { return }
    bind(binder, column.insertParameter)
    isBound[column.index] = true
  }

  /// Sets a plain value that fits the column.
  @inline(__always)
  func assign(_ cell: Cell, _ column: Column) {
    guard let binder else { return }
    binder.bind(cell, column.storage, at: column.insertParameter)
    isBound[column.index] = true
  }

  /// Inserts the object, with initial values in the columns that were not set, and forgets it.
  func insert() throws {
    guard !isEmpty, let statement else { return }
    for step in steps where !isBound[step.index] {
      statement.bind(step.zero, step.storage, at: step.parameter)
    }
    drop()
    try statement.run()
  }

  /// Forgets the object without inserting it.
  func drop() { tableIdentity = nil }
}

extension ObjectStore {
  func hold(_ key: PrimaryKey, table: ClassTable, row: Int64) throws {
    if table.greatestKeyTransaction == database.transactionNumber, key.isOrderedBehind(table.greatestKey) {
      table.greatestKey = key
    }
    let statement = try statement(.insert, of: table)
    pending.begin(key, table: table, row: row, statement, transaction: database.transactionNumber)
  }

  /// Whether the key sorts after all keys of the class, so that no object can have it.
  func isGreatest(_ key: PrimaryKey, _ table: ClassTable) throws -> Bool {
    // Querying the greatest key pays off from the second object of a transaction on.
    guard table.nextRowTransaction == database.transactionNumber else { return false }
    try flush()
    if table.greatestKeyTransaction != database.transactionNumber {
      let column = table.primaryKey
      table.greatestKey = try database.firstRow("SELECT max(\(column.sqlName)) FROM \(table.sqlName)") {
        $0.key(0, column.schema.type)
      }
      table.greatestKeyTransaction = database.transactionNumber
    }
    return key.isOrderedBehind(table.greatestKey)
  }

  /// Writes the pending object or the open mixed value. Call this before running your own statements on class tables;
  /// the store's functions do so themselves.
  @inline(__always)
  public func flush() throws {
    try flushPending()
    if let openMixed { try write(openMixed) }
  }

  /// Writes what a read of a collection concerns.
  func flush(for column: Column) throws {
    if openMixed?.place.column === column { try flush() } else { try flushPending() }
  }

  /// Writes the pending object only, for reads that the open mixed value does not concern.
  @inline(__always)
  func flushPending() throws {
    if !pending.isEmpty { try insertPending() }
  }

  @inline(never)
  private func insertPending() throws {
    guard pending.transaction == database.transactionNumber else { return pending.drop() }
    try pending.insert()
    guard let table = pending.table else { return }
    noteFound(pending.key, row: pending.row, in: table)
    recorder?.inserted(row: pending.row, in: table)
  }

  /// Returns the row for a new object. Rows are never reused, so that a stale reference cannot lead to a new object.
  func allocateRow(_ table: ClassTable) throws -> Int64 {
    try database.requireWrite()
    if table.nextRowTransaction != database.transactionNumber {
      let statement = try statement(.nextRow, of: table)
      statement.bind(table.id, at: 1)
      defer { statement.reset() }
      guard try statement.step() else { throw ObjectError(.unknownClass(table.name)) }
      table.nextRow = max(statement.int(0), table.firstRowAfterErased)
      table.nextRowTransaction = database.transactionNumber
    }
    defer { table.nextRow += 1 }
    return table.nextRow
  }

  /// Writes what is still outstanding before a commit.
  func finishTransaction() throws {
    try flush()
    for table in catalog.tables.values where table.firstRowAfterErased > 0 {
      try database.run(
        "UPDATE flx_classes SET next_row = max(next_row, ?1) WHERE id = ?2",
        [table.firstRowAfterErased, table.id]
      )
      table.firstRowAfterErased = 0
    }
  }
}

extension PrimaryKey {
  /// Whether SQLite sorts the key after the other one. False for types whose keys apps do not generate in ascending
  /// order.
  fileprivate func isOrderedBehind(_ other: PrimaryKey?) -> Bool {
    switch (self, other) {
    case (.int(let key), .int(let other)): key > other
    case (.objectId(let key), .objectId(let other)): key > other
    default: false
    }
  }
}
