// SPDX-License-Identifier: Apache-2.0

import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The handle of an open database file, the name used for it in messages, and what they advise.
///
/// Statements keep their connection alive. SQLite closes the file when the last of them has been released.
final class Connection {
  let handle: OpaquePointer
  let displayName: String
  let advice: FileAdvice
  /// Statements to finalize when the connection is next used.
  let retiredStatements = RetiredStatements()
  /// The error of a Swift function called by a statement: the reason the statement fails.
  var functionFailure: (any Error)?

  /// Ends statements from another thread.
  var interruption: Interruption?
  /// Whether the running statement must be ended.
  var isOver: (() -> Bool)?

  /// Whether a write transaction is open, according to FlexSync's own state.
  var isWriting = false {
    didSet { spoilingError = nil }
  }
  /// The reason the open write transaction must not be committed: SQLite has rolled it back, or a part of it may be
  /// missing.
  private(set) var spoilingError: StorageError?

  init(handle: OpaquePointer, displayName: String, advice: FileAdvice) {
    self.handle = handle
    self.displayName = displayName
    self.advice = advice
    // If SQLite has rolled back a transaction, each further statement would be a transaction of its own.
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_commit_hook(
      handle,
      { Unmanaged<Connection>.fromOpaque($0!).takeUnretainedValue().spoilingError == nil ? 0 : 1 },
      context
    )
  }

  deinit {
    retiredStatements.finalizeAll()
    sqlite3_commit_hook(handle, nil, nil)
    sqlite3_progress_handler(handle, 0, nil, nil)
    sqlite3_close_v2(handle)
  }

  /// Returns the error for the result code of the call that has just failed. In a spoiled write transaction it
  /// returns the error that spoiled it.
  func error(_ resultCode: Int32, sql: String? = nil) -> StorageError {
    if let spoilingError { return spoilingError }
    let error = newestError(resultCode, sql: sql)
    if isWriting, error.spoilsTransaction || sqlite3_get_autocommit(handle) != 0 { spoilingError = error }
    return error
  }

  private func newestError(_ resultCode: Int32, sql: String?) -> StorageError {
    let detail = String(cString: sqlite3_errmsg(handle))
    return StorageError(
      resultCode: sqlite3_extended_errcode(handle) & 0xff == resultCode & 0xff
        ? sqlite3_extended_errcode(handle) : resultCode,
      systemError: hasNoRoomForFiles(resultCode) ? ENOSPC : sqlite3_system_errno(handle),
      file: displayName,
      advice: advice,
      detail: sql.map { "\(detail), in: \($0)" } ?? detail
    )
  }

  /// Whether there is no space for a file next to this one. After such a failure SQLite tries to open the file for
  /// reading, so its error code says that the file does not exist.
  private func hasNoRoomForFiles(_ resultCode: Int32) -> Bool {
    guard resultCode & 0xff == SQLITE_CANTOPEN else { return false }
    var status = statvfs()
    guard statvfs(displayName, &status) == 0 else { return false }
    // A file system without a size, such as /proc, is not full.
    guard status.f_blocks > 0 else { return false }
    return status.f_bavail == 0 || (status.f_files > 0 && status.f_favail == 0)
  }

  func check(_ resultCode: Int32) throws {
    guard resultCode == SQLITE_OK else { throw error(resultCode) }
  }
}

extension StorageError {
  /// Translates a SQLite result code (sqlite.org/rescode.html).
  ///
  /// - Parameter systemError: The system's error number for the last failed file operation.
  init(resultCode: Int32, systemError: Int32, file: String, advice: FileAdvice, detail: String) {
    let hasNoSpace = systemError == ENOSPC || systemError == EDQUOT
    let primaryCode = resultCode & 0xff
    let (kind, text): (Kind, String) =
      switch hasNoSpace && [SQLITE_IOERR, SQLITE_CANTOPEN].contains(primaryCode) ? SQLITE_FULL : primaryCode {
      case SQLITE_FULL:
        (
          .diskFull,
          "No space is left to write '\(file)'. This transaction was not stored. Free space and try again"
        )
      case SQLITE_BUSY, SQLITE_LOCKED:
        (.busy, "'\(file)' is in use by another thread or process, which did not finish in time. Try again")
      case SQLITE_CORRUPT:
        (.corrupt, "'\(file)' is damaged. \(advice.damaged)")
      case SQLITE_NOTADB:
        (.notADatabase, "'\(file)' is not a FlexSync database. \(advice.notADatabase)")
      case SQLITE_IOERR:
        (
          .inputOutput,
          "The storage device failed while '\(file)' was in use. Check the device and the system's log, and try again"
        )
      case SQLITE_READONLY:
        (.readOnly, "'\(file)' can only be read. Make the file and its folder writable")
      case SQLITE_PERM, SQLITE_AUTH:
        (.permissionDenied, "Access to '\(file)' is denied. Check the permissions of the file and its folder")
      case SQLITE_CANTOPEN where systemError == EMFILE || systemError == ENFILE:
        (
          .cannotOpen,
          "'\(file)' cannot be opened: no file descriptors are left. Close some, or raise the limit (ulimit -n)"
        )
      case SQLITE_CANTOPEN:
        (
          .cannotOpen,
          "'\(file)' cannot be opened. Check the path, and the permissions of the file and its folder"
        )
      case SQLITE_NOMEM:
        (.outOfMemory, "Memory ran out while '\(file)' was in use")
      case SQLITE_INTERRUPT:
        (.interrupted, "A statement on '\(file)' was interrupted")
      case SQLITE_TOOBIG:
        (.tooLarge, "A value is too large to be stored in '\(file)'")
      case SQLITE_MISUSE:
        (.misuse, "The database '\(file)' was used incorrectly")
      default:
        (.statement, "The database rejected a statement on '\(file)'")
      }
    self.init(kind: kind, message: "\(text) (SQLite \(resultCode): \(detail)).", resultCode: resultCode)
  }

  /// Whether a statement with this error may have left a write transaction incomplete, in the file or in caches.
  fileprivate var spoilsTransaction: Bool {
    switch kind {
    case .diskFull, .inputOutput, .outOfMemory, .corrupt, .cannotOpen, .readOnly, .permissionDenied: true
    default: false
    }
  }
}
