// SPDX-License-Identifier: Apache-2.0

import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What a loss of power cannot take back (Docs/Reliability.md).
extension Database {
  /// The commits that a sync of the log has covered: those of others, as SQLite numbers them, and one's own.
  struct CommitMark: Hashable {
    let others: Int64
    let own: UInt64
  }

  /// Makes every commit so far survive a loss of power, those of other connections and processes too. Outside of a
  /// transaction.
  ///
  /// Costs one sync of the write-ahead log, and nothing if nobody has committed since the last time. It waits for no
  /// writer. A file that is opened as a temporary one stays as mortal as it is.
  ///
  /// - Throws: `StorageError` of kind `inputOutput` if the device refuses.
  public func makeDurable() throws {
    guard transactionState == .none else {
      throw StorageError.misuse("'\(path)' cannot be made durable inside a transaction.")
    }
    guard configuration.synchronous != .off else { return }
    // The reading opens the log, too. A commit from now on may be synced unnoticed, and is synced again next time.
    let mark = CommitMark(others: try integer("PRAGMA data_version"), own: commitCount)
    guard durableMark != mark else { return }
    let resultCode = flx_sqlite_sync_log(connection.handle)
    guard resultCode == SQLITE_OK else {
      throw StorageError(
        resultCode: resultCode,
        systemError: errno,
        file: path,
        detail: "the write-ahead log cannot be synced"
      )
    }
    durableMark = mark
  }

  /// The number of pages that this connection has written. A commit without any changes nothing and syncs nothing.
  package var writtenPageCount: Int32 {
    var current: Int32 = 0
    var unused: Int32 = 0
    sqlite3_db_status(connection.handle, SQLITE_DBSTATUS_CACHE_WRITE, &current, &unused, 0)
    return current
  }
}
