// SPDX-License-Identifier: Apache-2.0

import FlexSyncStorage

/// The rows around the object that was asked for last: who goes through results in order gets rows that were read
/// many at a time.
struct ResultsPage {
  private static let largestSize = 256
  private static let smallestSize = 8

  private var buffer: RowBuffer?
  private var range = 0..<0
  /// The realm's stamp at which the rows were read.
  private var stamp: UInt64 = 0
  /// The index that goes on in order.
  private var nextIndex = -1

  mutating func removeAll() {
    buffer = nil
    range = 0..<0
  }

  /// The object at an index of `rows`, which is not out of bounds.
  mutating func object(at index: Int, _ rows: [Int64], _ realm: Realm, _ info: ClassInfo) throws
    -> ManagedObject
  {
    let isSequential = index == nextIndex
    nextIndex = index + 1
    if let buffer, range.contains(index), stamp >= realm.viewStamp {
      return ManagedObject(realm, info, row: rows[index], buffer, at: index - range.lowerBound, stamp: stamp)
    }
    guard isSequential else { return ManagedObject(realm, info, row: rows[index]) }
    let size = min(max(range.count * 2, Self.smallestSize), Self.largestSize)
    try read(index..<min(index + size, rows.count), rows, realm, info)
    guard let buffer else { return ManagedObject(realm, info, row: rows[index]) }
    return ManagedObject(realm, info, row: rows[index], buffer, at: 0, stamp: stamp)
  }

  private mutating func read(_ range: Range<Int>, _ rows: [Int64], _ realm: Realm, _ info: ClassInfo) throws {
    let buffer = RowBuffer(info, capacity: range.count)
    self.buffer = try realm.read(rows[range], info, into: buffer) ? buffer : nil
    self.range = range
    stamp = realm.stamp
  }
}

extension Realm {
  /// Reads several rows; false if one of them is gone.
  func read(_ rows: ArraySlice<Int64>, _ info: ClassInfo, into buffer: RowBuffer) throws -> Bool {
    guard let first = rows.first, let last = rows.last else { return true }
    // Rows that lie close together come faster as a range, even with some others in between.
    let isDense = last >= first && last - first < Int64(rows.count * 4)
    guard isDense, zip(rows, rows.dropFirst()).allSatisfy(<) else {
      return try readEach(rows, info, into: buffer)
    }
    let scan = try info.rangeScan ?? prepareRangeScan(info)
    try scan.restart(bindings: [.int(first), .int(last)])
    var position = rows.startIndex
    while position < rows.endIndex, try scan.next() {
      guard scan.row == rows[position] else { continue }
      buffer.read(scan, info, at: position - rows.startIndex)
      position += 1
    }
    try scan.restart()
    return position == rows.endIndex
  }

  private func readEach(_ rows: ArraySlice<Int64>, _ info: ClassInfo, into buffer: RowBuffer) throws -> Bool {
    let scan = try info.rowScan ?? prepareRowScan(info)
    for (position, row) in rows.enumerated() {
      try scan.restart(bindings: [.int(row)])
      guard try scan.next() else { return false }
      buffer.read(scan, info, at: position)
    }
    try scan.restart()
    return true
  }

  private func prepareRangeScan(_ info: ClassInfo) throws -> RowScan {
    let selection = RowSelection(
      condition: "t0.flx_row BETWEEN ? AND ?",
      bindings: [.int(0), .int(0)]
    )
    let scan = try store.scan(info.table, selection, columns: info.readColumns)
    info.rangeScan = scan
    return scan
  }
}
