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
}

/// List elements are sorted by ordinals with gaps, so that an insertion touches only one row.
extension ObjectStore {
  /// The gap at the ends of a list, which leaves room for 20 halvings.
  static var ordinalStep: Int64 { 1 << 20 }

  /// Returns the number of elements and the greatest ordinal.
  func listEnd(row: Int64, _ column: Column) throws -> ListTail {
    if let tail = listTail, tail.row == row, tail.column === column,
      tail.transaction == database.transactionNumber,
      database.transactionState == .write
    {
      return tail
    }
    try column.require(.list)
    try flush()
    let statement = try statement(.count, of: column)
    statement.bind(row, at: 1)
    defer { statement.reset() }
    _ = try statement.step()
    return ListTail(
      row: row,
      column: column,
      count: Int(statement.int(0)),
      last: statement.int(1),
      transaction: database.transactionNumber
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
    try column.require(.list)
    let found =
      index < 0
      ? []
      : try elements(from: index, limit: 1, row: row, column) {
        (ordinal: $0.int(0), value: $0.value(1, column))
      }
    guard let element = found.first else {
      throw ObjectError(.indexOutOfRange(index: index, size: try listCount(row: row, column)))
    }
    return element
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
    try deleteElements(row: row, column)
    for (index, value) in values.enumerated() {
      try insertElement(value, ordinal: Int64(index) * Self.ordinalStep, row: row, column)
    }
    let tail = ListTail(
      row: row,
      column: column,
      count: values.count,
      last: Int64(max(values.count - 1, 0)) * Self.ordinalStep,
      transaction: database.transactionNumber
    )
    listTail = tail
    return tail
  }

  func insertElement(_ value: Value, ordinal: Int64, row: Int64, _ column: Column) throws {
    try writeElement(.insert, value, ordinal: ordinal, row: row, column)
  }

  /// Replaces an existing element.
  func updateElement(_ value: Value, ordinal: Int64, row: Int64, _ column: Column) throws {
    try writeElement(.updateElement, value, ordinal: ordinal, row: row, column)
    recorder?.modified(row: row, column: column)
  }

  private func writeElement(
    _ kind: ColumnStatement,
    _ value: Value,
    ordinal: Int64,
    row: Int64,
    _ column: Column
  ) throws {
    let statement = try statement(kind, of: column)
    statement.bind(row, at: 1)
    statement.bind(ordinal, at: 2)
    statement.bind(value, column.storage, at: 3)
    try statement.run()
  }
}
