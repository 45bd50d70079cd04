// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncStore

/// A prepared statement that reads selected properties of a class's rows into buffers.
final class RowReader {
  let scan: RowScan
  /// The columns to read.
  let columns: UsedColumns
  /// The index of each column, and space for its value while a row is read.
  private let indexes: UnsafeMutableBufferPointer<Int>
  private let cells: UnsafeMutablePointer<Cell>

  /// - Parameter makeScan: prepares a scan of the given columns.
  init(_ info: ClassInfo, _ columns: UsedColumns = .all, _ makeScan: ([Column]) throws -> RowScan) rethrows {
    let chosen = info.readColumns.filter { columns.contains($0.index) }
    self.columns = columns
    scan = try makeScan(chosen)
    indexes = .allocate(capacity: chosen.count)
    _ = indexes.initialize(from: chosen.map(\.index))
    cells = .allocate(capacity: chosen.count)
  }

  deinit {
    indexes.deallocate()
    cells.deallocate()
  }

  /// Reads the next rows of the scan, up to a number of them.
  ///
  /// - Returns: the number of rows read; fewer at the end of the scan.
  func read(into buffer: RowBuffer, _ size: Int) throws -> Int {
    let scan = scan
    for count in 0..<size {
      guard try scan.next() else { return count }
      scan.read(into: cells)
      buffer.fill(count, row: scan.row, indexes, cells)
    }
    return size
  }

  /// Reads the current row of the scan.
  func read(into buffer: RowBuffer, at position: Int) {
    scan.read(into: cells)
    buffer.fill(position, row: scan.row, indexes, cells)
  }
}

/// A set of columns of a class, by index. Columns from 63 on are in every set.
struct UsedColumns: Equatable {
  private var bits: UInt64

  static let none = UsedColumns(bits: 1 << 63)
  static let all = UsedColumns(bits: .max)

  @inline(__always)
  func contains(_ index: Int) -> Bool { bits & (1 << UInt64(truncatingIfNeeded: min(index, 63))) != 0 }

  @inline(__always)
  mutating func insert(_ index: Int) { bits |= 1 &<< UInt64(truncatingIfNeeded: index) }

  func isSubset(of other: UsedColumns) -> Bool { bits & ~other.bits == 0 }

  mutating func formUnion(_ other: UsedColumns) { bits |= other.bits }
}
