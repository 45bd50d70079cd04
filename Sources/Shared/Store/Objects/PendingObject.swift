// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A new object that has not been inserted yet. Its values are bound to the INSERT as they are set. A store uses one
/// instance for all its objects. Access to the fields is not checked for exclusivity, because every write of a property
/// looks at them.
final class PendingObject {
  /// Nil if no object is pending.
  @exclusivity(unchecked) private(set) var table: ClassTable?
  /// Identifies the table, for comparisons that count no references.
  @exclusivity(unchecked) private var tableIdentity: ObjectIdentifier?
  @exclusivity(unchecked) private(set) var key = PrimaryKey.null
  @exclusivity(unchecked) private(set) var row: Int64 = 0
  /// The transaction that created the object. An object from a transaction that was rolled back is void.
  @exclusivity(unchecked) private(set) var transaction: UInt64 = 0
  /// The INSERT of the class. Parameter 1 is the row.
  @exclusivity(unchecked) private var statement: Statement?
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
    self.table = table
    tableIdentity = ObjectIdentifier(table)
    self.key = key
    self.row = row
    self.transaction = transaction
    self.statement = statement
    steps = table.insertSteps
    if isBound.count < table.columns.count {
      isBound.deallocate()
      isBound = .allocate(capacity: table.columns.count)
    }
    isBound.initialize(repeating: false)
    arena.pointee.removeAll()
    let binder = Binder(handle: statement.handle, arena: arena)
    self.binder = binder
    binder.bind(row, at: 1)
    binder.bind(key, at: table.primaryKey.insertParameter)
    isBound[0] = true
  }

  /// Whether the object is in that row of a table.
  @inline(__always)
  func isHeld(row: Int64, _ tableIdentity: ObjectIdentifier, _ transaction: UInt64) -> Bool {
    self.row == row && self.tableIdentity == tableIdentity && self.transaction == transaction
  }

  /// Whether the object is the one with that key.
  @inline(__always)
  func isHeld(_ key: PrimaryKey, _ table: ClassTable, _ transaction: UInt64) -> Bool {
    self.table === table && self.transaction == transaction && self.key == key
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

  /// Binds the initial values of the columns that were not set, and forgets the object.
  ///
  /// - Returns: The INSERT, ready to run.
  func end() -> Statement? {
    guard table != nil, let statement else { return nil }
    for step in steps where !isBound[step.index] {
      statement.bind(step.zero, step.storage, at: step.parameter)
    }
    drop()
    return statement
  }

  /// Forgets the object without inserting it.
  func drop() {
    table = nil
    tableIdentity = nil
  }
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
    if let table = pending.table { try insertPending(table) }
  }

  @inline(never)
  private func insertPending(_ table: ClassTable) throws {
    guard pending.transaction == database.transactionNumber else { return pending.drop() }
    try pending.end()?.run()
    lastFound = FoundObject(
      table: table,
      key: pending.key,
      row: pending.row,
      transaction: database.transactionNumber
    )
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
