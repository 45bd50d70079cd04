// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A new object that is not inserted yet.
final class PendingObject {
  let table: ClassTable
  let key: PrimaryKey
  let row: Int64
  /// Whether an object with that key may be there already: a changeset creates it once more without harm, and
  /// asking beforehand would cost more than the conflict.
  let mayExist: Bool
  let transaction: UInt64
  var values: [Value]
  /// The columns that were set, in case the object exists; only kept if it may.
  var assigned: [Int] = []

  init(table: ClassTable, key: PrimaryKey, row: Int64, mayExist: Bool, transaction: UInt64) {
    self.table = table
    self.key = key
    self.row = row
    self.mayExist = mayExist
    self.transaction = transaction
    values = table.zeroValues
    values[0] = key.value ?? .null
  }
}

extension ObjectStore {
  /// Whether the object belongs to the transaction that is open; one that was rolled back is void.
  func isCurrent(_ pending: PendingObject) -> Bool { pending.transaction == database.transactionNumber }

  func hold(_ key: PrimaryKey, table: ClassTable, row: Int64, mayExist: Bool) {
    pending = PendingObject(
      table: table,
      key: key,
      row: row,
      mayExist: mayExist,
      transaction: database.transactionNumber
    )
  }

  /// Writes the object that is kept back. Needed before statements of one's own on class tables; the functions of
  /// the store do it themselves.
  @inline(__always)
  public func flush() throws {
    if let pending { try insert(pending) }
  }

  @inline(never)
  private func insert(_ object: PendingObject) throws {
    pending = nil
    guard isCurrent(object) else { return }
    let table = object.table
    // SQL's UNIQUE lets several nulls through.
    if object.mayExist, object.key == .null, let row = try row(of: .null, in: table) {
      return try update(row: row, from: object)
    }
    let statement = try table.insertStatement ?? prepareInsert(table)
    statement.bind(object.row, at: 1)
    var parameter: Int32 = 2
    for column in table.singleColumns {
      statement.bind(object.values[column.index], column.storage, at: parameter)
      parameter += column.storage.width
    }
    try statement.run()
    if database.changedRowCount > 0 {
      lastFound = FoundObject(
        table: table,
        key: object.key,
        row: object.row,
        transaction: database.transactionNumber
      )
      recorder?.inserted(row: object.row, in: table)
    } else if let row = try row(of: object.key, in: table) {
      try update(row: row, from: object)
    }
  }

  private func update(row: Int64, from object: PendingObject) throws {
    for index in object.assigned { try store(object.values[index], row: row, object.table.columns[index]) }
  }

  /// The row for a new object. Rows are never used twice, so that a stale reference cannot meet a new object.
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

  /// What is left to write before a commit.
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
