// SPDX-License-Identifier: Apache-2.0

import CSQLite

extension Database {
  /// Returns the size of the file, and the part of it that holds data, in bytes.
  package func byteCounts() throws -> (total: UInt64, used: UInt64) {
    let pageSize = try integer("PRAGMA page_size")
    let count = try integer("PRAGMA page_count")
    let free = try integer("PRAGMA freelist_count")
    return (UInt64(count * pageSize), UInt64((count - free) * pageSize))
  }

  /// Rewrites the file without free space. Outside of transactions.
  ///
  /// - Throws: `StorageError` of kind `busy` if another connection is writing.
  package func compact() throws {
    sqlite3_busy_timeout(connection.handle, 0)
    defer { sqlite3_busy_timeout(connection.handle, configuration.busyTimeoutMilliseconds) }
    try execute("VACUUM")
    // Moves the new pages to the file, which otherwise keeps its size until the last connection closes.
    try execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Moves everything to the file itself, and deletes the write-ahead log until the file is opened again. The only
  /// connection.
  package func endWriteAheadLog() throws { try execute("PRAGMA journal_mode=DELETE") }
}
