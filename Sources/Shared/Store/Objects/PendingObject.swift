// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A new object that has not been inserted yet. A store uses one instance for all its objects.
final class PendingObject {
  /// Nil if no object is pending.
  private(set) var table: ClassTable?
  private(set) var key = PrimaryKey.null
  private(set) var row: Int64 = 0
  /// Whether an object with that key may exist. A changeset may create an object again without harm, and checking
  /// beforehand would cost more than the conflict.
  private(set) var mayExist = false
  /// The transaction that created the object. An object from a transaction that was rolled back is void.
  private(set) var transaction: UInt64 = 0
  private(set) var values: [Value] = []
  /// The columns that were set, for the case that the object exists. Only recorded if it may.
  private(set) var assigned: [Int] = []

  /// Starts a new object with initial values.
  func begin(_ key: PrimaryKey, table: ClassTable, row: Int64, mayExist: Bool, transaction: UInt64) {
    self.table = table
    self.key = key
    self.row = row
    self.mayExist = mayExist
    self.transaction = transaction
    let zeroValues = table.zeroValues
    if values.count == zeroValues.count {
      for index in zeroValues.indices { values[index] = zeroValues[index] }
    } else {
      values = zeroValues
    }
    values[0] = key.value ?? .null
    assigned.removeAll(keepingCapacity: true)
  }

  /// Sets a value that fits the column.
  func assign(_ value: Value, _ index: Int) {
    values[index] = value
    if mayExist { assigned.append(index) }
  }

  func clear() { table = nil }
}

extension ObjectStore {
  func hold(_ key: PrimaryKey, table: ClassTable, row: Int64, mayExist: Bool) {
    if table.greatestKeyTransaction == database.transactionNumber, key.isOrderedBehind(table.greatestKey) {
      table.greatestKey = key
    }
    pending.begin(key, table: table, row: row, mayExist: mayExist, transaction: database.transactionNumber)
  }

  /// Whether the key sorts after all keys of the class, so that no object can have it.
  func isGreatest(_ key: PrimaryKey, _ table: ClassTable) throws -> Bool {
    // Querying the greatest key pays off from the second object of a transaction on.
    guard table.nextRowTransaction == database.transactionNumber else { return false }
    try flush()
    if table.greatestKeyTransaction != database.transactionNumber {
      let column = table.primaryKey
      table.greatestKey = try database.withStatement("SELECT max(\(column.sqlName)) FROM \(table.sqlName)") {
        try $0.step() ? $0.key(0, column.schema.type) : nil
      }
      table.greatestKeyTransaction = database.transactionNumber
    }
    return key.isOrderedBehind(table.greatestKey)
  }

  /// Writes the pending object or the open mixed value. Call this before running your own statements on class tables;
  /// the store's functions do so themselves.
  @inline(__always)
  public func flush() throws {
    if let table = pending.table { try insert(pending, table) }
    if let openMixed { try write(openMixed) }
  }

  @inline(never)
  private func insert(_ object: PendingObject, _ table: ClassTable) throws {
    object.clear()
    guard object.transaction == database.transactionNumber else { return }
    // SQL's UNIQUE permits several nulls.
    if object.mayExist, object.key == .null, let row = try row(of: .null, in: table) {
      return try update(row: row, from: object, table)
    }
    let statement = try table.insertStatement ?? prepareInsert(table)
    statement.bind(object.row, at: 1)
    var parameter: Int32 = 2
    for step in table.insertSteps {
      statement.bind(object.values[step.index], step.storage, at: parameter)
      parameter += step.storage.width
    }
    try statement.run()
    if !object.mayExist || database.changedRowCount > 0 {
      lastFound = FoundObject(
        table: table,
        key: object.key,
        row: object.row,
        transaction: database.transactionNumber
      )
      recorder?.inserted(row: object.row, in: table)
    } else if let row = try row(of: object.key, in: table) {
      try update(row: row, from: object, table)
    }
  }

  private func update(row: Int64, from object: PendingObject, _ table: ClassTable) throws {
    for index in object.assigned { try store(object.values[index], row: row, table.columns[index]) }
  }

  /// Returns the row for a new object. Rows are never reused, so that a stale reference cannot lead to a new object.
  func allocateRow(_ table: ClassTable) throws -> Int64 {
    try database.requireWrite()
    if table.nextRowTransaction != database.transactionNumber {
      let statement = try table.nextRowStatement ?? prepareNextRow(table)
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
      try database.withStatement("UPDATE flx_classes SET next_row = max(next_row, ?1) WHERE id = ?2") {
        $0.bind(table.firstRowAfterErased, at: 1)
        $0.bind(table.id, at: 2)
        try $0.run()
      }
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
