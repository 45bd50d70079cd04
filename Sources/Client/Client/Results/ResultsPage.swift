// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// The rows around the object requested last: a caller who iterates over results gets rows that were read in
/// batches.
struct ResultsPage {
  private static let largestSize = 256
  private static let smallestSize = 8

  private var buffer: RowBuffer?
  private var range = 0..<0
  /// The realm's stamp at which the rows were read.
  private var stamp: UInt64 = 0
  /// The index that would continue a sequential read.
  private var nextIndex = -1
  /// The columns known to have been requested from objects of these results.
  private var usedColumns = UsedColumns.none

  mutating func removeAll() {
    buffer = nil
    range = 0..<0
  }

  /// Returns the object at an index if its row was read in a batch in the current view.
  @inline(__always)
  mutating func object(at index: Int, viewStamp: UInt64) -> ManagedObject? {
    guard range.contains(index), stamp >= viewStamp, let buffer else { return nil }
    nextIndex = index + 1
    return ManagedObject(buffer, at: index - range.lowerBound, stamp: stamp)
  }

  /// Returns the object at an index of `rows`, which must be within bounds; reads a batch if the access is
  /// sequential.
  mutating func read(_ index: Int, _ rows: [Int64], _ realm: Realm, _ info: ClassInfo) throws -> ManagedObject
  {
    let isSequential = index == nextIndex
    nextIndex = index + 1
    guard isSequential else { return ManagedObject(realm, info, row: rows[index]) }
    let size = min(max(range.count * 2, Self.smallestSize), Self.largestSize)
    range = index..<min(index + size, rows.count)
    stamp = realm.stamp
    // A caller who reads objects in sequence reads the same properties of each.
    usedColumns.formUnion(info.usedColumns)
    info.usedColumns = .none
    buffer = try realm.read(rows[range], info, usedColumns)
    guard let buffer else { return ManagedObject(realm, info, row: rows[index]) }
    return ManagedObject(buffer, at: 0, stamp: stamp)
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
    try reader.scan.restart()
    return position == rows.endIndex ? buffer : nil
  }

  private func readEach(_ rows: ArraySlice<Int64>, _ info: ClassInfo, into buffer: RowBuffer) throws -> Bool {
    let reader = try info.rowReader ?? prepareRowReader(info)
    for (position, row) in rows.enumerated() {
      try reader.scan.restart(bindings: [.int(row)])
      guard try reader.scan.next() else { return false }
      reader.read(into: buffer, at: position)
    }
    try reader.scan.restart()
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
