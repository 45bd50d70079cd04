// SPDX-License-Identifier: Apache-2.0

import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The functions that SQLite calls for paths, randomness and time (sqlite.org/vfs.html).
enum SimulatedVFS {
  /// The system's VFS, which handles everything that is not simulated.
  nonisolated(unsafe) private static let system: UnsafeMutablePointer<sqlite3_vfs> = {
    guard let system = sqlite3_vfs_find(nil) else { preconditionFailure("SQLite has no VFS to build on") }
    return system
  }()

  /// Registers the VFS as SQLite's default. SQLite uses its memory for the lifetime of the process.
  static func register() {
    // Another thread may register a default VFS at the same time; one of the two must build on the other.
    let mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1)
    sqlite3_mutex_enter(mutex)
    defer { sqlite3_mutex_leave(mutex) }
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: system.pointee)
    vfs.pointee.pNext = nil
    vfs.pointee.zName = UnsafePointer(strdup("flexsync-simulated"))
    vfs.pointee.szOsFile = max(system.pointee.szOsFile, Int32(MemoryLayout<SimulatedFileHandle>.size))
    vfs.pointee.xOpen = open
    vfs.pointee.xDelete = delete
    vfs.pointee.xAccess = access
    vfs.pointee.xFullPathname = fullPathname
    vfs.pointee.xRandomness = randomness
    vfs.pointee.xSleep = sleep
    vfs.pointee.xCurrentTime = currentTime
    vfs.pointee.xCurrentTimeInt64 = currentTimeInt64
    sqlite3_vfs_register(vfs, 1)
  }

  // MARK: Paths

  private static func simulatedPath(_ name: UnsafePointer<CChar>?) -> String? {
    guard let name, strncmp(name, SimulatedFileSystem.root, SimulatedFileSystem.root.utf8.count) == 0 else {
      return nil
    }
    return String(cString: name)
  }

  private static let open:
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, UnsafeMutablePointer<sqlite3_file>?, Int32,
      UnsafeMutablePointer<Int32>?
    ) -> Int32 = { _, name, file, flags, usedFlags in
      guard let path = simulatedPath(name) else {
        return system.pointee.xOpen(system, name, file, flags, usedFlags)
      }
      file?.pointee.pMethods = nil
      guard let disk = SimulatedFileSystem.disk(of: path) else { return SQLITE_CANTOPEN }
      return result { () throws(DiskFailure) in
        let open = try disk.locked { () throws(DiskFailure) in try disk.open(path, flags: flags) }
        SimulatedFileHandle.initialize(file, open)
        usedFlags?.pointee = flags
      }
    }

  private static let delete:
    @convention(c) (UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, Int32) -> Int32 = {
      _,
      name,
      syncsDirectory in
      guard let path = simulatedPath(name) else {
        return system.pointee.xDelete(system, name, syncsDirectory)
      }
      guard let disk = SimulatedFileSystem.disk(of: path) else { return DiskOperation.delete.failure }
      return result { () throws(DiskFailure) in
        try disk.locked { () throws(DiskFailure) in
          try disk.delete(path, syncsDirectory: syncsDirectory != 0)
        }
      }
    }

  private static let access:
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<Int32>?
    ) -> Int32 = { _, name, flags, answer in
      guard let path = simulatedPath(name) else { return system.pointee.xAccess(system, name, flags, answer) }
      guard let disk = SimulatedFileSystem.disk(of: path) else { return DiskOperation.access.failure }
      return result { () throws(DiskFailure) in
        let canAccess = try disk.locked { () throws(DiskFailure) in try disk.canAccess(path, flags: flags) }
        answer?.pointee = canAccess ? 1 : 0
      }
    }

  /// Simulated paths are already absolute.
  private static let fullPathname:
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<CChar>?
    ) -> Int32 = { _, name, size, target in
      guard simulatedPath(name) != nil, let name, let target else {
        return system.pointee.xFullPathname(system, name, size, target)
      }
      guard strlen(name) < Int(size) else { return SQLITE_CANTOPEN }
      strcpy(target, name)
      return SQLITE_OK
    }

  // MARK: Environment

  private static let randomness:
    @convention(c) (UnsafeMutablePointer<sqlite3_vfs>?, Int32, UnsafeMutablePointer<CChar>?) -> Int32 = {
      _,
      count,
      target in
      guard let environment = ThreadEnvironment.current else {
        return system.pointee.xRandomness(system, count, target)
      }
      environment.fillRandomly(UnsafeMutableRawBufferPointer(start: target, count: Int(count)))
      return count
    }

  private static let sleep: @convention(c) (UnsafeMutablePointer<sqlite3_vfs>?, Int32) -> Int32 = {
    _,
    microseconds in
    guard let environment = ThreadEnvironment.current else {
      return system.pointee.xSleep(system, microseconds)
    }
    environment.sleep(microseconds: Int(microseconds))
    return microseconds
  }

  /// 1970-01-01T00:00:00Z as a Julian day number in milliseconds.
  private static let unixEpoch: Int64 = 210_866_760_000_000

  private static let currentTimeInt64:
    @convention(c) (UnsafeMutablePointer<sqlite3_vfs>?, UnsafeMutablePointer<Int64>?) -> Int32 = {
      _,
      target in
      guard let environment = ThreadEnvironment.current else {
        return system.pointee.xCurrentTimeInt64(system, target)
      }
      target?.pointee = environment.unixMilliseconds + unixEpoch
      return SQLITE_OK
    }

  private static let currentTime:
    @convention(c) (UnsafeMutablePointer<sqlite3_vfs>?, UnsafeMutablePointer<Double>?) -> Int32 = {
      vfs,
      target in
      var milliseconds: Int64 = 0
      let resultCode = currentTimeInt64(vfs, &milliseconds)
      target?.pointee = Double(milliseconds) / 86_400_000
      return resultCode
    }
}

/// Converts the outcome of an operation for SQLite, which reads the error number from `errno`.
func result(_ body: () throws(DiskFailure) -> Void) -> Int32 {
  do {
    try body()
    return SQLITE_OK
  } catch {
    errno = error.systemError
    return error.resultCode
  }
}
