// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The handle of an open database file and the name to use in messages about it.
///
/// Statements keep their connection alive; SQLite closes the file when the last of them is gone.
final class Connection {
  let handle: OpaquePointer
  let displayName: String
  /// The error of a Swift function that a statement called: the reason why the statement fails.
  var functionFailure: (any Error)?

  init(handle: OpaquePointer, displayName: String) {
    self.handle = handle
    self.displayName = displayName
  }

  deinit { sqlite3_close_v2(handle) }

  /// The error for the result code of the call that has just failed.
  func error(_ resultCode: Int32, sql: String? = nil) -> StorageError {
    let detail = String(cString: sqlite3_errmsg(handle))
    return StorageError(
      resultCode: sqlite3_extended_errcode(handle) & 0xff == resultCode & 0xff
        ? sqlite3_extended_errcode(handle) : resultCode,
      file: displayName,
      detail: sql.map { "\(detail), in: \($0)" } ?? detail
    )
  }

  func check(_ resultCode: Int32) throws {
    guard resultCode == SQLITE_OK else { throw error(resultCode) }
  }
}

extension StorageError {
  /// Translates a result code of SQLite (sqlite.org/rescode.html).
  init(resultCode: Int32, file: String, detail: String) {
    let (kind, text): (Kind, String) =
      switch resultCode & 0xff {
      case SQLITE_FULL:
        (
          .diskFull,
          "No space is left to write '\(file)'. Nothing of this transaction was stored. Free space and try again"
        )
      case SQLITE_BUSY, SQLITE_LOCKED:
        (.busy, "'\(file)' is in use by another thread or process, which did not finish in time. Try again")
      case SQLITE_CORRUPT:
        (.corrupt, "'\(file)' is damaged. Delete it, or restore it from a backup")
      case SQLITE_NOTADB:
        (.notADatabase, "'\(file)' is not a FlexSync database. Choose another file name, or delete the file")
      case SQLITE_IOERR:
        (.inputOutput, "The storage device failed while '\(file)' was in use")
      case SQLITE_READONLY:
        (.readOnly, "'\(file)' can only be read. Make the file and its folder writable")
      case SQLITE_PERM, SQLITE_AUTH:
        (.permissionDenied, "Access to '\(file)' is denied. Check the permissions of the file and its folder")
      case SQLITE_CANTOPEN:
        (
          .cannotOpen,
          "'\(file)' cannot be opened. Check the path, and the permissions of the file and its folder"
        )
      case SQLITE_NOMEM:
        (.outOfMemory, "Memory is exhausted while '\(file)' was in use")
      case SQLITE_TOOBIG:
        (.tooLarge, "A value is too large to be stored in '\(file)'")
      case SQLITE_MISUSE:
        (.misuse, "The database '\(file)' was used wrongly")
      default:
        (.statement, "The database refused a statement on '\(file)'")
      }
    self.init(kind: kind, message: "\(text) (SQLite \(resultCode): \(detail)).", resultCode: resultCode)
  }
}
