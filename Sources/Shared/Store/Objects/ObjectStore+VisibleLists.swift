// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Lists and sets of links as the app sees them: without dangling links.
extension ObjectStore {
  /// Returns the wire indexes of the visible elements, in order: entry i is the wire index of visible index i.
  public func visibleWireIndexes(row: Int64, _ column: Column) throws -> [Int] {
    guard column.mayDangle else { return Array(0..<(try wireCount(row: row, column))) }
    return try visibleElements(row: row, column).map(\.wireIndex)
  }

  /// Returns the rows of the visible targets, in order.
  public func visibleTargetRows(row: Int64, _ column: Column) throws -> [Int64] {
    try visibleElements(row: row, column).map(\.targetRow)
  }

  /// Returns the number of elements that the app sees.
  public func visibleCount(row: Int64, _ column: Column) throws -> Int {
    guard column.mayDangle else { return try wireCount(row: row, column) }
    return try visibleElements(row: row, column).count
  }

  /// Converts a visible index, which may be the end index, to a wire index.
  ///
  /// - Throws: `ObjectError.Reason.indexOutOfRange`.
  public func wireIndex(ofVisible index: Int, row: Int64, _ column: Column) throws -> Int {
    guard column.mayDangle else { return index }
    let visible = try visibleElements(row: row, column)
    if index == visible.count { return try wireCount(row: row, column) }
    guard visible.indices.contains(index) else {
      throw ObjectError(.indexOutOfRange(index: index, size: visible.count))
    }
    return visible[index].wireIndex
  }

  private func wireCount(row: Int64, _ column: Column) throws -> Int {
    column.isList ? try listCount(row: row, column) : try setCount(row: row, column)
  }

  private func visibleElements(row: Int64, _ column: Column) throws -> [(wireIndex: Int, targetRow: Int64)] {
    guard let target = column.schema.linkTarget, catalog.tables[target] != nil else { return [] }
    try flush()
    let statement = try statement(.visible, of: column)
    statement.bind(row, at: 1)
    defer { statement.reset() }
    var result: [(wireIndex: Int, targetRow: Int64)] = []
    var wireIndex = 0
    while try statement.step() {
      if !statement.isNull(0) { result.append((wireIndex, statement.int(0))) }
      wireIndex += 1
    }
    return result
  }
}

extension Column {
  /// Whether a value can be a link to an object that does not exist.
  fileprivate var mayDangle: Bool { storage.type == .link && !isEmbedded }
}
