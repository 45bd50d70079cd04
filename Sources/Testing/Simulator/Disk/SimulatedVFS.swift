// SPDX-License-Identifier: Apache-2.0

import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The functions that SQLite calls for paths, randomness and time (sqlite.org/vfs.html).
enum SimulatedVFS {
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
    addPaths(&vfs.pointee)
    addEnvironment(&vfs.pointee)
    sqlite3_vfs_register(vfs, 1)
  }
}

/// The system's VFS, which handles everything that is not simulated.
nonisolated(unsafe) private let system: UnsafeMutablePointer<sqlite3_vfs> = {
  guard let system = sqlite3_vfs_find(nil) else { preconditionFailure("SQLite has no VFS to build on") }
  return system
}()

// MARK: Paths

private func simulatedPath(_ name: UnsafePointer<CChar>?) -> String? {
  guard let name, strncmp(name, SimulatedFileSystem.root, SimulatedFileSystem.root.utf8.count) == 0 else {
    return nil
  }
  return String(cString: name)
}

private func addPaths(_ vfs: inout sqlite3_vfs) {
  vfs.xOpen = { _, name, file, flags, usedFlags in
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
  vfs.xDelete = { _, name, syncsDirectory in
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
  vfs.xAccess = { _, name, flags, answer in
    guard let path = simulatedPath(name) else { return system.pointee.xAccess(system, name, flags, answer) }
    guard let disk = SimulatedFileSystem.disk(of: path) else { return DiskOperation.access.failure }
    return result { () throws(DiskFailure) in
      let canAccess = try disk.locked { () throws(DiskFailure) in try disk.canAccess(path, flags: flags) }
      answer?.pointee = canAccess ? 1 : 0
    }
  }
  // Simulated paths are already absolute.
  vfs.xFullPathname = { _, name, size, target in
    guard simulatedPath(name) != nil, let name, let target else {
      return system.pointee.xFullPathname(system, name, size, target)
    }
    guard strlen(name) < Int(size) else { return SQLITE_CANTOPEN }
    strcpy(target, name)
    return SQLITE_OK
  }
}

// MARK: Environment

private func addEnvironment(_ vfs: inout sqlite3_vfs) {
  vfs.xRandomness = { _, count, target in
    guard let environment = ThreadEnvironment.current else {
      return system.pointee.xRandomness(system, count, target)
    }
    environment.fillRandomly(UnsafeMutableRawBufferPointer(start: target, count: Int(count)))
    return count
  }
  vfs.xSleep = { _, microseconds in
    guard let environment = ThreadEnvironment.current else {
      return system.pointee.xSleep(system, microseconds)
    }
    environment.sleep(microseconds: Int(microseconds))
    return microseconds
  }
  vfs.xCurrentTimeInt64 = { _, target in readTime(target) }
  vfs.xCurrentTime = { _, target in
    var milliseconds: Int64 = 0
    let resultCode = readTime(&milliseconds)
    target?.pointee = Double(milliseconds) / 86_400_000
    return resultCode
  }
}

/// 1970-01-01T00:00:00Z as a Julian day number in milliseconds.
private let unixEpoch: Int64 = 210_866_760_000_000

/// Reads the time as a Julian day number in milliseconds.
private func readTime(_ target: UnsafeMutablePointer<Int64>?) -> Int32 {
  guard let environment = ThreadEnvironment.current else {
    return system.pointee.xCurrentTimeInt64(system, target)
  }
  target?.pointee = environment.unixMilliseconds + unixEpoch
  return SQLITE_OK
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
