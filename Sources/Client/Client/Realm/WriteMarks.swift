// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue

/// The stamps at which the open write transaction last wrote each row, so that cached reads of other rows stay
/// valid.
struct WriteMarks {
  private struct RowNumber: Hashable {
    let classKey: flx_class_key_t
    let row: Int64
  }

  private var stamps: [RowNumber: UInt64] = [:]
  /// The row written last, which is often written again. It is not in the table yet.
  private var latest: (row: RowNumber, stamp: UInt64)?

  @inline(__always)
  mutating func mark(_ classKey: flx_class_key_t, _ row: Int64, _ stamp: UInt64) {
    let number = RowNumber(classKey: classKey, row: row)
    if let latest, latest.row != number { stamps[latest.row] = latest.stamp }
    latest = (number, stamp)
  }

  /// Returns the stamp of the last write to a row; 0 if there is none.
  func stamp(_ classKey: flx_class_key_t, _ row: Int64) -> UInt64 {
    let number = RowNumber(classKey: classKey, row: row)
    if let latest, latest.row == number { return latest.stamp }
    return stamps.isEmpty ? 0 : stamps[number] ?? 0
  }

  mutating func removeAll() {
    stamps.removeAll(keepingCapacity: false)
    latest = nil
  }
}
