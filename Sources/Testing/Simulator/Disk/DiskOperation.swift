// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// What a program does with a disk.
public enum DiskOperation: CaseIterable, Hashable, Sendable {
  case open, read, write, truncate, sync, delete, size, access, lock, sharedMemory

  /// What SQLite is told when it fails.
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

/// How many operations there were of each kind, failed ones among them, and how many bytes they moved.
public struct DiskStatistics: Hashable, Sendable {
  /// The operations by kind.
  public internal(set) var counts: [DiskOperation: Int] = [:]
  /// Bytes read.
  public internal(set) var readBytes = 0
  /// Bytes written.
  public internal(set) var writtenBytes = 0
  /// Operations that failed because the owner of the disk wanted it.
  public internal(set) var injectedFailures = 0
  /// Operations that failed because the disk was full.
  public internal(set) var fullFailures = 0
  /// Crashes, planned ones and others.
  public internal(set) var crashes = 0

  /// Operations of a kind.
  public func count(_ operation: DiskOperation) -> Int { counts[operation, default: 0] }
}

/// The failure of an operation as SQLite is told it.
struct DiskFailure: Error {
  let resultCode: Int32
  /// The number of the error, as the operating system would give it.
  let systemError: Int32
}
