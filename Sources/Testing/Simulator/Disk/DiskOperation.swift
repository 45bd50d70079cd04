// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A disk operation.
public enum DiskOperation: CaseIterable, Hashable, Sendable {
  case open, read, write, truncate, sync, delete, size, access, lock, sharedMemory

  /// The result code that SQLite receives when the operation fails.
  var failure: Int32 {
    switch self {
    case .open: SQLITE_CANTOPEN
    case .read: SQLITE_IOERR | 1 << 8
    case .write: SQLITE_IOERR | 3 << 8
    case .sync: SQLITE_IOERR | 4 << 8
    case .truncate: SQLITE_IOERR | 6 << 8
    case .size: SQLITE_IOERR | 7 << 8
    case .delete: SQLITE_IOERR | 10 << 8
    case .access: SQLITE_IOERR | 13 << 8
    case .lock: SQLITE_IOERR | 15 << 8
    case .sharedMemory: SQLITE_IOERR | 21 << 8
    }
  }
}

/// The number of operations of each kind, including failed ones, and the number of bytes they transferred.
public struct DiskStatistics: Hashable, Sendable {
  /// The number of operations by kind.
  public internal(set) var counts: [DiskOperation: Int] = [:]
  /// Bytes read.
  public internal(set) var readBytes = 0
  /// Bytes written.
  public internal(set) var writtenBytes = 0
  /// The number of operations that failed because of an injected fault.
  public internal(set) var injectedFailures = 0
  /// The number of operations that failed because the disk was full.
  public internal(set) var fullFailures = 0
  /// The number of crashes, planned or not.
  public internal(set) var crashes = 0

  /// Returns the number of operations of a kind.
  public func count(_ operation: DiskOperation) -> Int { counts[operation, default: 0] }
}

/// The failure of an operation, as reported to SQLite.
struct DiskFailure: Error {
  let resultCode: Int32
  /// The error number that the operating system would report.
  let systemError: Int32
}
