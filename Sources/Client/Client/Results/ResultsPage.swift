// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// The rows around the object requested last: a caller who iterates over results gets rows that were read in
/// batches.
struct ResultsPage {
  private static let largestSize = 256
  private static let smallestSize = 8
  /// The number of objects for which a statement of their own is worth preparing.
  static let manyObjects = 128

  private var buffer: RowBuffer?
  private var range = 0..<0
  /// The realm's stamp at which the rows were read.
  private var stamp: UInt64 = 0
  /// The index that would continue a sequential read.
  private var nextIndex = -1
  /// The columns known to have been requested from objects of these results.
  private var usedColumns = UsedColumns.none
  /// The open statement that finds the objects and reads them, while the caller reads one after the other.
  private var orderedReader: RowReader?
  /// The handle returned last. A caller who has released it gets it again for the next object: a loop over many objects
  /// needs only one.
  private var spare: ManagedObject?

  mutating func removeAll() {
    buffer = nil
    spare = nil
    orderedReader = nil
    range = 0..<0
  }

  /// The number of rows to read next: more each time, because the caller has read all of the last batch.
  private var nextSize: Int { min(max(range.count * 2, Self.smallestSize), Self.largestSize) }

  /// Whether a caller asks for the first object, or has read the one before and asks for the next.
  func isInSequence(_ index: Int) -> Bool { index == nextIndex || index == 0 }

  /// Returns the object at an index if its row was read in a batch in the current view.
  @inline(__always)
  mutating func object(at index: Int, viewStamp: UInt64) -> ManagedObject? {
    guard range.contains(index), stamp >= viewStamp, let buffer else { return nil }
    nextIndex = index + 1
    return object(buffer, at: index - range.lowerBound)
  }

  @inline(__always)
  private mutating func object(_ buffer: RowBuffer, at position: Int) -> ManagedObject {
    if isKnownUniquelyReferenced(&spare), let spare {
      spare.become(buffer, at: position, stamp: stamp)
      return spare
    }
    let object = ManagedObject(buffer, at: position, stamp: stamp)
    spare = object
    return object
  }

  /// Returns the object at an index, reading a batch in the query's order; nil if the statement that would deliver it has
  /// ended.
  ///
  /// - Parameter query: makes a query for a new statement.
  mutating func readInOrder(
    _ index: Int,
    _ query: @autoclosure () throws -> RowQuery,
    _ realm: Realm,
    _ info: ClassInfo
  ) throws -> ManagedObject? {
    guard let reader = try reader(from: index, query, info) else { return nil }
    let size = nextSize
    let buffer = emptyBuffer(realm, info, size)
    // The objects of the last batch are gone, even if reading this one fails.
    range = 0..<0
    var count = 0
    while count < size, try reader.scan.next() {
      reader.read(into: buffer, at: count)
      count += 1
    }
    if count == size { reader.scan.pause() }
    guard count > 0 else { return nil }
    orderedReader = reader
    range = index..<index + count
    stamp = realm.stamp
    nextIndex = index + 1
    return object(buffer, at: 0)
  }

  /// Returns a reader that is about to read the object at an index.
  private mutating func reader(
    from index: Int,
    _ query: () throws -> RowQuery,
    _ info: ClassInfo
  ) throws -> RowReader? {
    let continued = orderedReader
    orderedReader = nil
    if let continued, continued.scan.isPaused, index == range.upperBound,
      info.usedColumns.isSubset(of: usedColumns)
    {
      return continued
    }
    guard index <= Self.smallestSize else { return nil }
    usedColumns.formUnion(info.usedColumns)
    info.usedColumns = .none
    let reader = try RowReader(info, usedColumns) { try query().scan(of: $0) }
    try reader.scan.restart()
    for _ in 0..<index {
      guard try reader.scan.next() else { return nil }
    }
    return reader
  }

  /// Returns the buffer of the last batch if no object uses it any more, or another one.
  private mutating func emptyBuffer(_ realm: Realm, _ info: ClassInfo, _ size: Int) -> RowBuffer {
    if isKnownUniquelyReferenced(&spare) { spare?.forgetValues() }
    if isKnownUniquelyReferenced(&buffer), let buffer, buffer.capacity == size,
      buffer.columnCount == info.columns.count
    {
      buffer.removeAll()
      return buffer
    }
    let empty = RowBuffer(realm, info, capacity: size)
    buffer = empty
    return empty
  }

  /// Returns the object at an index of `rows`, which must be within bounds; reads a batch if the access is
  /// sequential.
  mutating func read(_ index: Int, _ rows: [Int64], _ realm: Realm, _ info: ClassInfo) throws -> ManagedObject
  {
    let isSequential = index == nextIndex
    nextIndex = index + 1
    orderedReader = nil
    guard isSequential else { return ManagedObject(realm, info, row: rows[index]) }
    range = index..<min(index + nextSize, rows.count)
    stamp = realm.stamp
    // A caller who reads objects in sequence reads the same properties of each.
    usedColumns.formUnion(info.usedColumns)
    info.usedColumns = .none
    buffer = try realm.read(rows[range], info, usedColumns)
    guard let buffer else { return ManagedObject(realm, info, row: rows[index]) }
    return object(buffer, at: 0)
  }
}

extension Realm {
  /// Reads some columns of several rows; nil if one of the rows no longer exists.
  fileprivate func read(_ rows: ArraySlice<Int64>, _ info: ClassInfo, _ columns: UsedColumns) throws
    -> RowBuffer?
  {
    let buffer = RowBuffer(self, info, capacity: rows.count)
    guard let first = rows.first, let last = rows.last else { return buffer }
    // Rows that lie close together are read faster as a range, even if it includes a few others.
    let isDense = last >= first && last - first < Int64(rows.count * 4)
    guard isDense, zip(rows, rows.dropFirst()).allSatisfy(<) else {
      return try readEach(rows, info, into: buffer) ? buffer : nil
    }
    let reader = try rangeReader(info, columns)
    try reader.scan.restart(bindings: [.int(first), .int(last)])
    var position = rows.startIndex
    while position < rows.endIndex, try reader.scan.next() {
      guard reader.scan.row == rows[position] else { continue }
      reader.read(into: buffer, at: position - rows.startIndex)
      position += 1
    }
    reader.scan.stop()
    return position == rows.endIndex ? buffer : nil
  }

  private func readEach(_ rows: ArraySlice<Int64>, _ info: ClassInfo, into buffer: RowBuffer) throws -> Bool {
    let reader = try info.rowReader ?? prepareRowReader(info)
    for (position, row) in rows.enumerated() {
      try reader.scan.restart(bindings: [.int(row)])
      guard try reader.scan.next() else { return false }
      reader.read(into: buffer, at: position)
    }
    reader.scan.stop()
    return true
  }

  private func rangeReader(_ info: ClassInfo, _ columns: UsedColumns) throws -> RowReader {
    if let reader = info.rangeReader, reader.columns == columns { return reader }
    let selection = RowSelection(condition: "t0.flx_row BETWEEN ?1 AND ?2")
    let reader = try RowReader(info, columns) { try store.scan(info.table, selection, columns: $0) }
    info.rangeReader = reader
    return reader
  }
}
