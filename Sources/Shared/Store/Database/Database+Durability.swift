// SPDX-License-Identifier: Apache-2.0

import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Makes commits safe from a loss of power (Docs/Reliability.md).
extension Database {
  /// The commits covered by a sync of the log: those of other connections, as numbered by SQLite, and this
  /// connection's own.
  struct CommitMark: Hashable {
    let others: Int64
    let own: UInt64
  }

  /// Makes every commit so far survive a loss of power, including those of other connections and processes. Call it
  /// outside of a transaction.
  ///
  /// Costs one sync of the write-ahead log, or nothing if there has been no commit since the last call. Does not wait
  /// for a writer. A file opened as a temporary one gains no durability.
  ///
  /// - Throws: `StorageError` of kind `inputOutput` if the device fails.
  public func makeDurable() throws {
    guard transactionState == .none else {
      throw StorageError.misuse("'\(path)' cannot be made durable inside a transaction.")
    }
    guard configuration.synchronous != .off else { return }
    // This read also opens the log. A later commit may be covered by the sync without being noted, and is then synced
    // again next time.
    let mark = CommitMark(others: try integer("PRAGMA data_version"), own: commitCount)
    guard durableMark != mark else { return }
    let resultCode = flx_sqlite_sync_log(connection.handle)
    guard resultCode == SQLITE_OK else {
      throw StorageError(
        resultCode: resultCode,
        systemError: errno,
        file: path,
        advice: advice,
        detail: "the write-ahead log cannot be synced"
      )
    }
    durableMark = mark
  }

  /// Whether the file has been deleted or replaced since it was opened. What is written to it then cannot be found any
  /// more.
  public var isFileGone: Bool {
    var hasMoved: Int32 = 0
    let resultCode = sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    // File systems of tests do not answer.
    return resultCode == SQLITE_OK && hasMoved != 0
  }

  /// The files that SQLite keeps next to the file while it is open: the log, which may hold the newest commits, and the
  /// index of it that all processes share. Empty before the first read, and for a database in memory.
  public var companionFiles: [String: FileIdentity] {
    guard let name = sqlite3_db_filename(connection.handle, "main") else { return [:] }
    let paths = ["-wal", "-shm"].map { String(cString: name) + $0 }
    let present = paths.compactMap { path in FileIdentity(of: path).map { (path, $0) } }
    return Dictionary(uniqueKeysWithValues: present)
  }

  /// The number of pages written by this connection. A commit that writes no pages changes nothing and syncs nothing.
  package var writtenPageCount: Int32 {
    var current: Int32 = 0
    var unused: Int32 = 0
    sqlite3_db_status(connection.handle, SQLITE_DBSTATUS_CACHE_WRITE, &current, &unused, 0)
    return current
  }
}
