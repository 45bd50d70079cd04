// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue

/// The stamps at which the open write transaction last wrote each row, so that cached reads of other rows stay
/// valid.
struct WriteMarks {
  private struct RowNumber: Hashable {
    let classKey: flx_class_key_t
    let row: Int64
  }

  /// The stamps of consecutive rows of one class, as a transaction creates them. Most transactions that write many
  /// rows create them, and an array costs less than a table.
  private struct Run {
    let classKey: flx_class_key_t
    let first: Int64
    var stamps: [UInt64]

    func index(of number: RowNumber) -> Int? {
      guard number.classKey == classKey, number.row >= first, number.row <= first + Int64(stamps.count) else {
        return nil
      }
      return Int(number.row - first)
    }
  }

  private var stamps: [RowNumber: UInt64] = [:]
  private var run: Run?
  /// The row written last, which is often written again. It is not in the table yet.
  private var latest: (row: RowNumber, stamp: UInt64)?

  @inline(__always)
  mutating func mark(_ classKey: flx_class_key_t, _ row: Int64, _ stamp: UInt64) {
    let number = RowNumber(classKey: classKey, row: row)
    if let latest, latest.row != number { keep(latest.row, latest.stamp) }
    latest = (number, stamp)
  }

  private mutating func keep(_ number: RowNumber, _ stamp: UInt64) {
    guard let index = run?.index(of: number) else {
      if run == nil {
        run = Run(classKey: number.classKey, first: number.row, stamps: [stamp])
      } else {
        stamps[number] = stamp
      }
      return
    }
    if index == run?.stamps.count { run?.stamps.append(stamp) } else { run?.stamps[index] = stamp }
  }

  /// Returns the stamp of the last write to a row; 0 if there is none.
  func stamp(_ classKey: flx_class_key_t, _ row: Int64) -> UInt64 {
    let number = RowNumber(classKey: classKey, row: row)
    if let latest, latest.row == number { return latest.stamp }
    if let run, let index = run.index(of: number), index < run.stamps.count {
      return max(run.stamps[index], stamps.isEmpty ? 0 : stamps[number] ?? 0)
    }
    return stamps.isEmpty ? 0 : stamps[number] ?? 0
  }

  mutating func removeAll() {
    stamps.removeAll(keepingCapacity: false)
    run = nil
    latest = nil
  }
}
