// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// The rows around the object requested last: a caller who iterates over results gets rows that were read in
/// batches.
struct ResultsPage {
  private static let largestSize = 64
  private static let smallestSize = 8
  /// The number of objects for which a statement of their own is worth preparing.
  static let manyObjects = 128

  private var buffer: RowBuffer?
  private var range = 0..<0
  /// The realm's stamp at which the rows were read.
  private var stamp: UInt64 = 0
  /// The index that would continue a sequential read.
  private var nextIndex = -1
  /// The number of results, if a statement has found them all.
  private(set) var foundCount: Int?
  /// The columns known to have been requested from objects of these results.
  private var usedColumns = UsedColumns.none
  /// The open statement that finds the objects and reads them, while the caller reads one after the other.
  private var orderedReader: RowReader?

  mutating func removeAll() {
    buffer = nil
    orderedReader = nil
    foundCount = nil
    range = 0..<0
  }

  /// The number of rows to read next: more each time, because the caller has read all of the last batch.
  private var nextSize: Int { min(max(range.count * 2, Self.smallestSize), Self.largestSize) }

  /// Whether a caller asks for the first object, or has read the one before and asks for the next.
  func isInSequence(_ index: Int) -> Bool { index >= 0 && (index == nextIndex || index == 0) }

  /// Returns the object at an index if its row was read in a batch in the current view.
  mutating func object(at index: Int, viewStamp: UInt64) -> ManagedObject? {
    guard range.contains(index), stamp >= viewStamp, let buffer else { return nil }
    nextIndex = index + 1
    return ManagedObject(buffer, at: index - range.lowerBound, stamp: stamp)
  }

  /// Makes `object`, which nobody else uses, the object at an index, if its row was read in a batch in the current view.
  /// Returns whether it did.
  @inline(__always)
  mutating func becomeObject(_ object: ManagedObject, at index: Int, viewStamp: UInt64) -> Bool {
    // No references are counted, because callers read many objects.
    guard range.contains(index), stamp >= viewStamp, let buffer = buffer.map(Unmanaged.passUnretained) else {
      return false
    }
    nextIndex = index + 1
    buffer._withUnsafeGuaranteedRef { object.become($0, at: index - range.lowerBound, stamp: stamp) }
    return true
  }

  /// Returns the object at an index, reading a batch in the query's order; nil if the statement that would deliver it has
  /// ended.
  ///
  /// - Parameters:
  ///   - query: makes a query for a new statement.
  ///   - spare: an object of the results that nobody else uses; it becomes the object.
  mutating func readInOrder(
    _ index: Int,
    _ query: @autoclosure () throws -> RowQuery,
    _ realm: Realm,
    _ info: ClassInfo,
    reusing spare: ManagedObject?
  ) throws -> ManagedObject? {
    guard let reader = try reader(from: index, query, info) else { return nil }
    let size = nextSize
    // It may be the only one that uses the buffer of the last batch.
    spare?.forgetValues()
    let buffer = emptyBuffer(realm, info, size)
    // The objects of the last batch are gone, even if reading this one fails.
    range = 0..<0
    let count = try reader.read(into: buffer, size)
    if count == size { reader.scan.pause() } else { foundCount = index + count }
    guard count > 0 else { return nil }
    orderedReader = reader
    range = index..<index + count
    stamp = realm.stamp
    nextIndex = index + 1
    return firstObject(buffer, spare)
  }

  private func firstObject(_ buffer: RowBuffer, _ spare: ManagedObject?) -> ManagedObject {
    guard let spare else { return ManagedObject(buffer, at: 0, stamp: stamp) }
    spare.become(buffer, at: 0, stamp: stamp)
    return spare
  }

  /// Returns a reader that is about to read the object at an index.
  private mutating func reader(from index: Int, _ query: () throws -> RowQuery, _ info: ClassInfo) throws
    -> RowReader?
  {
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
  /// sequential. Then the object is `spare` if there is one.
  mutating func read(
    _ index: Int,
    _ rows: [Int64],
    _ realm: Realm,
    _ info: ClassInfo,
    reusing spare: ManagedObject?
  ) throws -> ManagedObject {
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
    return firstObject(buffer, spare)
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
