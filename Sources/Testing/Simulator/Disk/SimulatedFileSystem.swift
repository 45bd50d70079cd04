// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Synchronization

/// The source of randomness, time and sleep for SQLite in a process.
public protocol FileSystemEnvironment: AnyObject, Sendable {
  /// Fills a buffer with random bytes.
  func fillRandomly(_ buffer: UnsafeMutableRawBufferPointer)
  /// Milliseconds since 1970-01-01T00:00:00Z.
  var unixMilliseconds: Int64 { get }
  /// Advances time while a connection waits for another one.
  func sleep(microseconds: Int)
}

/// The simulated disks as SQLite's default VFS: paths below `/sim/<name>/` refer to the mounted disk of that name,
/// all others to the real disks.
public enum SimulatedFileSystem {
  static let root = "/sim/"

  private static let disks = Mutex<[String: SimulatedDisk]>([:])

  /// Permanently makes the file system SQLite's default in this process. Further calls do nothing.
  public static func install() { _ = registration }

  private static let registration: Void = SimulatedVFS.register()

  /// Makes the files of a disk accessible to SQLite; installs the file system if needed. The name must be free.
  public static func mount(_ disk: SimulatedDisk) {
    install()
    disks.withLock {
      precondition($0[disk.name] == nil, "a disk named '\(disk.name)' is mounted already")
      $0[disk.name] = disk
    }
  }

  /// Unmounts a disk. Open connections continue to use it.
  public static func unmount(_ disk: SimulatedDisk) {
    disks.withLock { $0[disk.name] = nil }
  }

  /// Makes this thread take randomness, time and sleep from a simulation; nil restores those of the system.
  ///
  /// Restarts SQLite's process-wide random number generator: the same randomness produces the same files, provided
  /// that no other thread uses SQLite.
  public static func use(_ environment: (any FileSystemEnvironment)?) {
    install()
    ThreadEnvironment.current = environment
    sqlite3_randomness(0, nil)
  }

  static func disk(of path: String) -> SimulatedDisk? {
    let name = path.dropFirst(root.count).prefix { $0 != "/" }
    return disks.withLock { $0[String(name)] }
  }
}
