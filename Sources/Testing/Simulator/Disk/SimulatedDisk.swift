// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Synchronization

/// A disk in memory whose files SQLite uses like those of the system, and which fails on request.
///
/// Its files are those below `/sim/<name>/`; folders need not be created. SQLite can use it between
/// `SimulatedFileSystem.mount` and `unmount`. The same calls on a disk with the same seed have the same effects.
///
/// Can be used from any thread. The owner must not crash it while another thread is inside an SQLite call.
public final class SimulatedDisk: @unchecked Sendable {
  /// An event after which all open files are unusable.
  public enum Crash: Hashable, Sendable {
    /// The process has been killed; the system still writes what it was given.
    case processKilled
    /// The machine has lost power, and with it possibly everything that was not synced.
    case powerLost
  }

  /// The name of the disk, which is part of the paths of its files.
  public let name: String
  private let mutex = Mutex(())
  var directory = DiskDirectory()
  var faults = DiskFaults()
  var generator: SeededGenerator
  var room: Int?
  var counters = DiskStatistics()
  var changes = 0
  var hasCrashed = false
  var epoch = 0

  /// Creates an empty disk.
  ///
  /// - Parameters:
  ///   - name: Must not contain a slash, nor be the name of another mounted disk.
  ///   - seed: Determines what a crash leaves behind.
  public init(name: String, seed: UInt64) {
    self.name = name
    generator = SeededGenerator(seed: seed)
  }

  /// Copies the files of another disk that is not in use, as processes see them, with everything synced. Copies
  /// nothing else.
  public convenience init(name: String, seed: UInt64, copyOf other: SimulatedDisk) {
    self.init(name: name, seed: seed)
    for path in other.paths {
      let file = directory.create(self.path(String(path.dropFirst(other.path("").count))))
      file.write(other.contents(path) ?? [], at: 0)
      file.sync()
    }
    directory.sync()
  }

  /// Returns the path of a file on the disk.
  public func path(_ file: String) -> String { "\(SimulatedFileSystem.root)\(name)/\(file)" }

  func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    mutex._unsafeLock()
    defer { mutex._unsafeUnlock() }
    return try body()
  }

  // MARK: Space

  /// The maximum total size of the files in bytes, including the memory shared by connections; nil for no limit.
  /// Writes beyond it fail as on a full disk, while writes within existing files succeed.
  public var capacity: Int? {
    get { locked { room } }
    set { locked { room = newValue } }
  }

  /// The total size of the files in bytes.
  public var usedBytes: Int { locked { directory.usedBytes } }

  // MARK: Inspection

  /// The operations performed on the disk so far.
  public var statistics: DiskStatistics { locked { counters } }

  /// The number of modifying operations: writes, truncations, syncs, deletions, and openings that create a file.
  public var changeCount: Int { locked { changes } }

  /// The paths of the files, sorted.
  public var paths: [String] { locked { directory.files.keys.sorted() } }

  /// Returns the bytes of a file as processes see them; nil if it does not exist.
  public func contents(_ path: String) -> [UInt8]? { locked { directory.files[path]?.content } }

  // MARK: Failures

  /// Makes operations fail, beginning with the `number`th from now.
  ///
  /// - Parameters:
  ///   - operation: The kind of operation; nil to count operations of all kinds.
  ///   - number: 1 for the next one.
  ///   - repetitions: The number of consecutive operations that fail.
  public func fail(_ operation: DiskOperation?, number: Int, repetitions: Int = 1) {
    locked { faults.fail(operation, number: number, repetitions: repetitions) }
  }

  /// Cancels the faults planned by `fail` and `crash(_:duringChange:)`.
  public func clearFaults() { locked { faults.clear() } }

  /// Accesses the files without triggering planned faults or counting towards them, for inspection.
  public func withoutFaults<Result>(_ body: () throws -> Result) rethrows -> Result {
    let planned = locked {
      defer { faults = DiskFaults() }
      return faults
    }
    defer { locked { faults = planned } }
    return try body()
  }

  // MARK: Crashes

  /// Whether the disk is unusable until `restart`.
  public var isCrashed: Bool { locked { hasCrashed } }

  /// Makes all open files unusable: every operation on them fails from now on, even after `restart`.
  public func crash(_ crash: Crash) { locked { perform(crash) } }

  /// Crashes in the middle of a modifying operation.
  ///
  /// - Parameter number: 1 for the next such operation.
  public func crash(_ crash: Crash, duringChange number: Int) {
    locked { faults.planCrash(crash, change: number) }
  }

  /// Allows files to be opened again after a crash. Clears all planned faults.
  public func restart() {
    locked {
      hasCrashed = false
      faults.clear()
    }
  }

  func perform(_ crash: Crash) {
    guard !hasCrashed else { return }
    hasCrashed = true
    epoch += 1
    counters.crashes += 1
    directory.forgetUsers()
    if crash == .powerLost { directory.losePower(using: &generator) }
  }
}
