// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The end of the most recently changed list, so that appending many elements does not count them each time.
struct ListTail {
  let row: Int64
  let column: Column
  let count: Int
  /// The greatest ordinal; meaningless for an empty list.
  let last: Int64
  let transaction: UInt64

  init(row: Int64, column: Column, count: Int, last: Int64, _ transaction: UInt64) {
    self.row = row
    self.column = column
    self.count = count
    self.last = last
    self.transaction = transaction
  }
}

/// List elements are sorted by ordinals with gaps, so that an insertion touches only one row.
extension ObjectStore {
  /// The gap at the ends of a list, which leaves room for 20 halvings.
  static var ordinalStep: Int64 { 1 << 20 }

  func listStatements(_ column: Column) throws -> ListStatements {
    guard let list = column.list else {
      throw ObjectError(.wrongPath("'\(column.schema.name)' is not a list"))
    }
    return list
  }

  /// Returns the number of elements and the greatest ordinal.
  func listEnd(row: Int64, _ column: Column) throws -> ListTail {
    if let tail = listTail, tail.row == row, tail.column === column,
      tail.transaction == database.transactionNumber,
      database.transactionState == .write
    {
      return tail
    }
    try flush()
    let list = try listStatements(column)
    let statement = try list.count ?? prepareCount(column, list)
    statement.bind(row, at: 1)
    defer { statement.reset() }
    _ = try statement.step()
    return ListTail(
      row: row,
      column: column,
      count: Int(statement.int(0)),
      last: statement.int(1),
      database.transactionNumber
    )
  }

  /// Returns the end of a list that is about to change.
  ///
  /// - Throws: `ObjectError.Reason.missingObject` if the owner does not exist.
  func changeableEnd(row: Int64, _ column: Column) throws -> ListTail {
    try database.requireWrite()
    if openMixed != nil { try flush() }
    let isKnown =
      listTail.map { $0.row == row && $0.column === column && $0.transaction == database.transactionNumber }
      ?? false
    let end = try listEnd(row: row, column)
    if !isKnown, try !exists(row: row, in: column.table) { throw ObjectError(.missingObject) }
    listTail = end
    return end
  }

  func element(at index: Int, row: Int64, _ column: Column) throws -> (ordinal: Int64, value: Value) {
    try flush()
    let list = try listStatements(column)
    let statement = try list.elementAt ?? prepareElementAt(column, list)
    statement.bind(row, at: 1)
    statement.bind(Int64(index), at: 2)
    defer { statement.reset() }
    guard index >= 0, try statement.step() else {
      throw ObjectError(.indexOutOfRange(index: index, size: try listCount(row: row, column)))
    }
    return (statement.int(0), statement.value(1, column))
  }

  func forEachElement(
    from index: Int,
    limit: Int,
    row: Int64,
    _ column: Column,
    _ body: (Int64, Value) throws -> Void
  ) throws {
    try flush()
    let list = try listStatements(column)
    let statement = try list.elements ?? prepareElements(column, list)
    // Removed for the duration of the loop, because `body` may read the same list.
    list.elements = nil
    defer {
      statement.reset()
      list.elements = statement
    }
    statement.bind(row, at: 1)
    statement.bind(Int64(index), at: 2)
    statement.bind(Int64(limit), at: 3)
    while try statement.step() { try body(statement.int(0), statement.value(1, column)) }
  }

  /// Returns an ordinal between the elements around an index, renumbering the list if none is free.
  func freeOrdinal(at index: Int, row: Int64, _ column: Column, _ end: ListTail) throws -> Int64 {
    guard end.count > 0 else { return 0 }
    if index == end.count {
      let (ordinal, overflow) = end.last.addingReportingOverflow(Self.ordinalStep)
      if !overflow { return ordinal }
    } else {
      let next = try element(at: index, row: row, column).ordinal
      if index == 0 {
        let (ordinal, overflow) = next.subtractingReportingOverflow(Self.ordinalStep)
        if !overflow { return ordinal }
      } else {
        let previous = try element(at: index - 1, row: row, column).ordinal
        let middle = previous / 2 + next / 2 + (previous % 2 + next % 2) / 2
        if middle > previous, middle < next { return middle }
      }
    }
    return try freeOrdinal(at: index, row: row, column, try renumber(row: row, column))
  }

  /// Restores the gaps between elements by rewriting the list.
  private func renumber(row: Int64, _ column: Column) throws -> ListTail {
    let values = try listValues(row: row, column)
    try deleteList(row: row, column)
    for (index, value) in values.enumerated() {
      try insertElement(value, ordinal: Int64(index) * Self.ordinalStep, row: row, column)
    }
    let last = Int64(max(values.count - 1, 0)) * Self.ordinalStep
    let tail = ListTail(row: row, column: column, count: values.count, last: last, database.transactionNumber)
    listTail = tail
    return tail
  }

  func insertElement(_ value: Value, ordinal: Int64, row: Int64, _ column: Column) throws {
    let list = try listStatements(column)
    let statement = try list.insert ?? prepareInsert(column, list)
    statement.bind(row, at: 1)
    statement.bind(ordinal, at: 2)
    statement.bind(value, column.storage, at: 3)
    try statement.run()
  }
}
