// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Synchronization

/// A disk in memory whose files SQLite uses like those of the system, and which fails when its owner wants.
///
/// Its files are those below `/sim/<name>/`; there are no folders to be made. It is there for SQLite between
/// `SimulatedFileSystem.mount` and `unmount`. The same calls on a disk with the same seed have the same effects.
///
/// Safe from any thread. The owner must not crash it while another thread is in a call of SQLite.
public final class SimulatedDisk: @unchecked Sendable {
  /// What ends the life of all who have files open.
  public enum Crash: Hashable, Sendable {
    /// The program is gone; the system still writes what it was told to.
    case processKilled
    /// The machine is gone, and with it, maybe, whatever was not synced.
    case powerLost
  }

  /// The name of the disk, a part of the paths of its files.
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

  /// Makes an empty disk.
  ///
  /// - Parameters:
  ///   - name: without a slash, and of no other disk that is mounted.
  ///   - seed: decides what a crash leaves.
  public init(name: String, seed: UInt64) {
    self.name = name
    generator = SeededGenerator(seed: seed)
  }

  /// Copies the files of another disk that nobody uses, as processes see them, with everything synced. Nothing else is
  /// taken over.
  public convenience init(name: String, seed: UInt64, copyOf other: SimulatedDisk) {
    self.init(name: name, seed: seed)
    for path in other.paths {
      let file = directory.create(self.path(String(path.dropFirst(other.path("").count))))
      file.write(other.contents(path) ?? [], at: 0)
      file.sync()
    }
    directory.sync()
  }

  /// The path of a file on the disk.
  public func path(_ file: String) -> String { "\(SimulatedFileSystem.root)\(name)/\(file)" }

  func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    mutex._unsafeLock()
    defer { mutex._unsafeUnlock() }
    return try body()
  }

  // MARK: Space

  /// How many bytes the files may have together, with the memory that connections share; nil for no limit. Writes beyond
  /// it fail as on a full disk, those within a file do not.
  public var capacity: Int? {
    get { locked { room } }
    set { locked { room = newValue } }
  }

  /// How many bytes the files have together.
  public var usedBytes: Int { locked { directory.usedBytes } }

  // MARK: Looking

  /// What was done with the disk.
  public var statistics: DiskStatistics { locked { counters } }

  /// How many operations there were that change something: writes, truncations, syncs, deletions, and openings that
  /// make a file.
  public var changeCount: Int { locked { changes } }

  /// The paths of the files, sorted.
  public var paths: [String] { locked { directory.files.keys.sorted() } }

  /// The bytes of a file as processes see them; nil if it is not there.
  public func contents(_ path: String) -> [UInt8]? { locked { directory.files[path]?.content } }

  // MARK: Failures

  /// Lets operations fail, beginning with the `number`th from now.
  ///
  /// - Parameters:
  ///   - operation: of which kind; nil counts those of all kinds.
  ///   - number: 1 is the next one.
  ///   - repetitions: how many fail, one after the other.
  public func fail(_ operation: DiskOperation?, number: Int, repetitions: Int = 1) {
    locked { faults.fail(operation, number: number, repetitions: repetitions) }
  }

  /// Takes back what `fail` and `crash(_:duringChange:)` have planned.
  public func clearFaults() { locked { faults.clear() } }

  /// Does something to the files that no planned fault strikes, and that counts for none: to look at them.
  public func withoutFaults<Result>(_ body: () throws -> Result) rethrows -> Result {
    let planned = locked {
      defer { faults = DiskFaults() }
      return faults
    }
    defer { locked { faults = planned } }
    return try body()
  }

  // MARK: Crashes

  /// Whether the disk is of no use until `restart`.
  public var isCrashed: Bool { locked { hasCrashed } }

  /// Ends the life of all who have files open: each of their calls fails from now on, also after `restart`.
  public func crash(_ crash: Crash) { locked { perform(crash) } }

  /// Crashes in the middle of an operation that changes something.
  ///
  /// - Parameter number: 1 is the next such operation.
  public func crash(_ crash: Crash, duringChange number: Int) {
    locked { faults.planCrash(crash, change: number) }
  }

  /// Lets files be opened again after a crash. Nothing is planned to fail any more.
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
