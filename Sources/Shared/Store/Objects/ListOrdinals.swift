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

  /// Returns an ordinal between the elements around an index, renumbering those nearby if none is free.
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
    return try freeOrdinal(at: index, row: row, column, try makeRoom(at: index, row: row, column, end))
  }

  /// Restores the gaps between the elements around an index: between as many as it takes for the gaps to be wide. So the
  /// cost of insertions at one place grows with the logarithm of the length of the list.
  private func makeRoom(at index: Int, row: Int64, _ column: Column, _ end: ListTail) throws -> ListTail {
    var reach = 16
    while true {
      let window = max(index - reach, 0)..<min(index + reach, end.count)
      let before = try window.lowerBound > 0 ? ordinal(at: window.lowerBound - 1, row: row, column) : nil
      let after = try window.upperBound < end.count ? ordinal(at: window.upperBound, row: row, column) : nil
      if let ordinals = Self.ordinals(window.count, after: before, before: after) {
        return try renumber(window, ordinals, row: row, column, end)
      }
      reach *= 2
    }
  }

  private func ordinal(at index: Int, row: Int64, _ column: Column) throws -> Int64 {
    try element(at: index, row: row, column).ordinal
  }

  /// Returns the first ordinal and the distance of evenly spaced elements; nil if there is no room for wide gaps.
  ///
  /// - Parameters:
  ///   - lower: the ordinal of the element before; nil at the start of the list.
  ///   - upper: the ordinal of the element after; nil at its end.
  static func ordinals(_ count: Int, after lower: Int64?, before upper: Int64?) -> (
    first: Int64, step: Int64
  )? {
    let step = ordinalStep
    guard let lower else {
      let (first, overflow) = (upper ?? 0).subtractingReportingOverflow(Int64(count) * step)
      return overflow ? nil : (first, step)
    }
    guard let upper else {
      let (_, overflow) = lower.addingReportingOverflow(Int64(count + 1) * step)
      return overflow ? nil : (lower + step, step)
    }
    let (room, overflow) = upper.subtractingReportingOverflow(lower)
    guard !overflow else { return (lower + step, step) }
    let share = min(room / Int64(count + 1), step)
    // Half as many halvings as a full gap has room for.
    return share * share >= step ? (lower + share, share) : nil
  }

  private func renumber(
    _ window: Range<Int>,
    _ ordinals: (first: Int64, step: Int64),
    row: Int64,
    _ column: Column,
    _ end: ListTail
  ) throws -> ListTail {
    let elements = try elements(from: window.lowerBound, limit: window.count, row: row, column) {
      (ordinal: $0.int(0), value: $0.value(1, column))
    }
    for (ordinal, _) in elements { try eraseElement(ordinal: ordinal, row: row, column) }
    for (number, element) in elements.enumerated() {
      let ordinal = ordinals.first + Int64(number) * ordinals.step
      try insertElement(element.value, ordinal: ordinal, row: row, column)
    }
    let isAtEnd = window.upperBound == end.count
    let tail = ListTail(
      row: row,
      column: column,
      count: end.count,
      last: isAtEnd ? ordinals.first + Int64(max(window.count - 1, 0)) * ordinals.step : end.last,
      transaction: end.transaction
    )
    listTail = tail
    return tail
  }

  /// Removes the element with an ordinal.
  func eraseElement(ordinal: Int64, row: Int64, _ column: Column) throws {
    let statement = try statement(.erase, of: column)
    statement.bind(row, at: 1)
    statement.bind(ordinal, at: 2)
    try statement.run()
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
