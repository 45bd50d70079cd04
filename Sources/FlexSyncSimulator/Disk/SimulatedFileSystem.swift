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

  private struct State {
    var disks: [String: SimulatedDisk] = [:]
    var environment: (any FileSystemEnvironment)?
  }

  private static let state = Mutex(State())

  /// Makes the file system SQLite's default of this process, for good. Calls after the first do nothing.
  public static func install() { _ = registration }

  private static let registration: Void = SimulatedVFS.register()

  /// Makes the files of a disk known to SQLite; installs the file system if need be. The name must be free.
  public static func mount(_ disk: SimulatedDisk) {
    install()
    state.withLock {
      precondition($0.disks[disk.name] == nil, "a disk named '\(disk.name)' is mounted already")
      $0.disks[disk.name] = disk
    }
  }

  /// Forgets a disk. Connections that are open go on using it.
  public static func unmount(_ disk: SimulatedDisk) {
    state.withLock { $0.disks[disk.name] = nil }
  }

  /// Takes randomness, time and sleep from the owner of the simulation; from the system again after nil.
  ///
  /// SQLite's generator of random numbers starts anew, so that the same randomness leads to the same files, provided
  /// that no other thread uses SQLite.
  public static func use(_ environment: (any FileSystemEnvironment)?) {
    install()
    state.withLock { $0.environment = environment }
    sqlite3_randomness(0, nil)
  }

  static var environment: (any FileSystemEnvironment)? { state.withLock { $0.environment } }

  static func isSimulated(_ path: String) -> Bool { path.hasPrefix(root) }

  static func disk(of path: String) -> SimulatedDisk? {
    let name = path.dropFirst(root.count).prefix { $0 != "/" }
    return state.withLock { $0.disks[String(name)] }
  }
}
