// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Counts, reads and clears the elements of lists, sets and dictionaries alike. Indexes count dangling links.
extension ObjectStore {
  /// Returns the number of elements of a set or dictionary, which the property must be.
  func elementCount(of kind: CollectionKind, row: Int64, _ column: Column) throws -> Int {
    try column.require(kind)
    try flush()
    let statement = try statement(.count, of: column)
    statement.bind(row, at: 1)
    defer { statement.reset() }
    return try statement.step() ? Int(statement.int(0)) : 0
  }

  /// Returns at most `limit` elements starting at an index, as `read` makes them of the current row.
  func elements<Element>(
    from index: Int,
    limit: Int,
    row: Int64,
    _ column: Column,
    _ read: (Statement) throws -> Element
  ) throws -> [Element] {
    try flush(for: column)
    let statement = try statement(.elements, of: column)
    statement.bind(row, at: 1)
    statement.bind(Int64(index), at: 2)
    statement.bind(Int64(limit), at: 3)
    defer { statement.reset() }
    var elements: [Element] = []
    while try statement.step() { elements.append(try read(statement)) }
    return elements
  }

  /// Removes all elements, including dangling links.
  func clearElements(row: Int64, _ column: Column) throws {
    try requireOwner(row: row, column)
    if column.isEmbedded { try eraseEmbedded(row: row, column) }
    try deleteElements(row: row, column)
    recorder?.modified(row: row, column: column)
  }

  func deleteElements(row: Int64, _ column: Column) throws {
    let statement = try statement(.clear, of: column)
    statement.bind(row, at: 1)
    try statement.run()
    listTail = nil
  }

  /// Checks that the object whose collection is about to change exists.
  func requireOwner(row: Int64, _ column: Column) throws {
    try flush()
    try database.requireWrite()
    if let found = lastFound, found.row == row, found.table === column.table,
      found.transaction == database.transactionNumber
    {
      return
    }
    guard try exists(row: row, in: column.table) else { throw ObjectError(.missingObject) }
  }
}
