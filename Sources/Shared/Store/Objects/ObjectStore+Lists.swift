// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Lists, addressed by wire index, which counts dangling links.
extension ObjectStore {
  /// Returns the number of elements, including dangling links.
  public func listCount(row: Int64, _ column: Column) throws -> Int {
    try listEnd(row: row, column).count
  }

  /// Returns the element at a wire index, as stored. A dangling link is returned as a link.
  ///
  /// - Throws: `ObjectError.Reason.indexOutOfRange`.
  public func listValue(at index: Int, row: Int64, _ column: Column) throws -> Value {
    try element(at: index, row: row, column).value
  }

  /// Returns at most `limit` elements starting at a wire index, as stored.
  public func listValues(from index: Int = 0, limit: Int = .max, row: Int64, _ column: Column) throws
    -> [Value]
  {
    try column.require(.list)
    return try elements(from: index, limit: limit, row: row, column) { $0.value(1, column) }
  }

  /// Inserts an element at a wire index.
  ///
  /// - Throws: `ObjectError` if the value does not fit the property or the index exceeds the list.
  public func listInsert(_ value: Value, at index: Int, row: Int64, _ column: Column) throws {
    try checkFit(value, column)
    try listInsert(at: index, row: row, column) { value }
  }

  /// Inserts an element that is created only after its place has been verified.
  func listInsert(at index: Int, row: Int64, _ column: Column, making value: () throws -> Value) throws {
    let end = try changeableEnd(row: row, column)
    guard index >= 0, index <= end.count else {
      throw ObjectError(.indexOutOfRange(index: index, size: end.count))
    }
    let ordinal = try freeOrdinal(at: index, row: row, column, end)
    try insertElement(try value(), ordinal: ordinal, row: row, column)
    let last = index == end.count ? ordinal : listTail?.last
    listTail = last.map {
      ListTail(row: row, column: column, count: end.count + 1, last: $0, transaction: end.transaction)
    }
    recorder?.modified(row: row, column: column)
  }

  /// Replaces the element at a wire index.
  ///
  /// - Throws: `ObjectError` if the value does not fit the property or there is no such element.
  public func listSet(_ value: Value, at index: Int, row: Int64, _ column: Column) throws {
    try column.require(.list)
    try checkFit(value, column)
    try database.requireWrite()
    try updateElement(value, ordinal: try element(at: index, row: row, column).ordinal, row: row, column)
  }

  /// Moves an element from one wire index to another.
  ///
  /// - Throws: `ObjectError.Reason.indexOutOfRange`.
  public func listMove(from: Int, to: Int, row: Int64, _ column: Column) throws {
    let end = try changeableEnd(row: row, column)
    for index in [from, to] where index < 0 || index >= end.count {
      throw ObjectError(.indexOutOfRange(index: index, size: end.count))
    }
    guard from != to else { return }
    // When moving right, the element ends up after the one currently at the destination. The ordinal is determined
    // first, because that may renumber the list.
    let ordinal = try freeOrdinal(at: to > from ? to + 1 : to, row: row, column, end)
    let source = try element(at: from, row: row, column).ordinal
    let statement = try statement(.move, of: column)
    statement.bind(row, at: 1)
    statement.bind(source, at: 2)
    statement.bind(ordinal, at: 3)
    try statement.run()
    listTail = nil
    recorder?.modified(row: row, column: column)
  }

  /// Removes the element at a wire index.
  ///
  /// - Throws: `ObjectError.Reason.indexOutOfRange`.
  public func listErase(at index: Int, row: Int64, _ column: Column) throws {
    _ = try changeableEnd(row: row, column)
    let (ordinal, value) = try element(at: index, row: row, column)
    if column.isEmbedded { try eraseEmbedded([value]) }
    try eraseElement(ordinal: ordinal, row: row, column)
    listTail = nil
    recorder?.modified(row: row, column: column)
  }
}
