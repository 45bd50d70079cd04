// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Counts how often the write-ahead logs of the databases in a folder are synced. Make it before they are opened.
public final class SyncCounter: Sendable {
  private let folder: String

  /// Watches a folder and those below it.
  public init(folder: String) {
    self.folder = folder
    _ = LogProbe.isInstalled
  }

  /// The number of syncs so far.
  public var count: Int {
    LogProbe.syncCounts.withLock { $0.filter { $0.key.hasPrefix(folder) }.values.reduce(0, +) }
  }
}

/// A file system for SQLite that is the usual one, but counts the syncs of write-ahead logs by their path.
private enum LogProbe {
  private struct OpenLog {
    let path: String
    let usualSync: @convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32) -> Int32
  }

  static let syncCounts = Mutex<[String: Int]>([:])
  /// By the address of the file.
  private static let openLogs = Mutex<[UInt: OpenLog]>([:])
  /// Tables of operations with one's own sync, by the address of the usual table. They live as long as the process.
  private static let tables = Mutex<[UInt: UInt]>([:])
  nonisolated(unsafe) private static let usual = sqlite3_vfs_find(nil)

  /// Makes it the file system of this process.
  static let isInstalled: Bool = {
    // Another VFS may be made the default at the same moment, on top of which this one has to be, or the reverse.
    let mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1)
    sqlite3_mutex_enter(mutex)
    defer { sqlite3_mutex_leave(mutex) }
    guard let usual else { return false }
    let probe = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    probe.initialize(to: usual.pointee)
    probe.pointee.pNext = nil
    probe.pointee.zName = UnsafePointer(strdup("sync-counter"))
    probe.pointee.xOpen = { LogProbe.open($0, $1, $2, $3, $4) }
    return sqlite3_vfs_register(probe, 1) == SQLITE_OK
  }()

  private static func open(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?,
    _ name: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let usual else { return SQLITE_ERROR }
    let resultCode = usual.pointee.xOpen(vfs, name, file, flags, outFlags)
    guard resultCode == SQLITE_OK, flags & SQLITE_OPEN_WAL != 0, let file, let name,
      let methods = file.pointee.pMethods, let usualSync = methods.pointee.xSync
    else { return resultCode }
    let log = OpenLog(path: String(cString: name), usualSync: usualSync)
    openLogs.withLock { $0[UInt(bitPattern: file)] = log }
    file.pointee.pMethods = countingTable(of: methods)
    return resultCode
  }

  private static func countingTable(
    of methods: UnsafePointer<sqlite3_io_methods>
  ) -> UnsafePointer<sqlite3_io_methods>? {
    let address = tables.withLock { tables in
      if let known = tables[UInt(bitPattern: methods)] { return known }
      let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      table.initialize(to: methods.pointee)
      table.pointee.xSync = { LogProbe.sync($0, $1) }
      tables[UInt(bitPattern: methods)] = UInt(bitPattern: table)
      return UInt(bitPattern: table)
    }
    return UnsafePointer(bitPattern: address)
  }

  private static func sync(_ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
    guard let log = openLogs.withLock({ $0[UInt(bitPattern: file)] }) else { return SQLITE_MISUSE }
    syncCounts.withLock { $0[log.path, default: 0] += 1 }
    return log.usualSync(file, flags)
  }
}
