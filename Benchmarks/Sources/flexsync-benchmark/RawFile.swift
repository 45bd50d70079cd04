// SPDX-License-Identifier: Apache-2.0

import FlexSyncLoops
import Foundation
import RawSQLite

/// A file with the same rows, written and read with the C API of SQLite.
final class RawFile {
  let pointer: OpaquePointer

  init(path: String, isDurable: Bool = false) throws {
    var pointer: OpaquePointer?
    try check { raw_open(path, isDurable, &pointer, $0) }
    guard let pointer else { throw BenchmarkError("A file that was opened has no handle.") }
    self.pointer = pointer
  }

  deinit { raw_close(pointer) }

  func insert(_ rows: [task_row_t], perTransaction: Int) throws {
    try check { raw_insert(pointer, rows, rows.count, perTransaction, $0) }
  }

  func count() throws -> Int {
    var count = 0
    try check { raw_count(pointer, &count, $0) }
    return count
  }
}

/// Returns the size of a database including its write-ahead log, in bytes.
func databaseSize(_ path: String) throws -> Int {
  try [path, path + "-wal"].filter(FileManager.default.fileExists(atPath:)).reduce(0) { total, file in
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    return total + ((attributes[.size] as? Int) ?? 0)
  }
}
