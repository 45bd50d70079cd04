// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Synchronization

/// Where a process's randomness, time and sleep come from, as far as SQLite needs them.
public protocol FileSystemEnvironment: AnyObject, Sendable {
  /// Fills a buffer with random bytes.
  func fillRandomly(_ buffer: UnsafeMutableRawBufferPointer)
  /// Milliseconds since 1970-01-01T00:00:00Z.
  var unixMilliseconds: Int64 { get }
  /// Lets time pass, while a connection waits for another one.
  func sleep(microseconds: Int)
}

/// The simulated disks as SQLite's default VFS: paths below `/sim/<name>/` lie on the mounted disk of that name, all
/// others on the real ones.
public enum SimulatedFileSystem {
  static let root = "/sim/"

  private static let disks = Mutex<[String: SimulatedDisk]>([:])

  /// Makes the file system SQLite's default of this process, for good. Calls after the first do nothing.
  public static func install() { _ = registration }

  private static let registration: Void = SimulatedVFS.register()

  /// Makes the files of a disk known to SQLite; installs the file system if need be. The name must be free.
  public static func mount(_ disk: SimulatedDisk) {
    install()
    disks.withLock {
      precondition($0[disk.name] == nil, "a disk named '\(disk.name)' is mounted already")
      $0[disk.name] = disk
    }
  }

  /// Forgets a disk. Connections that are open go on using it.
  public static func unmount(_ disk: SimulatedDisk) {
    disks.withLock { $0[disk.name] = nil }
  }

  /// Takes this thread's randomness, time and sleep from the owner of a simulation; from the system again after nil.
  ///
  /// SQLite's generator of random numbers, one for the process, starts anew: the same randomness leads to the same files,
  /// provided that no other thread uses SQLite.
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
