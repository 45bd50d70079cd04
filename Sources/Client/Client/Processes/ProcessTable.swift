// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The processes that have a realm file open. Any thread.
///
/// The table is a small file next to the realm, which each process maps into its memory. Whether there are others can
/// therefore be read without a system call, so that a process that is alone pays nothing for the possibility. Each entry
/// is covered by a lock that the system releases when the process dies. Writing to the file, as opposed to the memory,
/// wakes the processes that watch it.
final class ProcessTable: Sendable {
  /// The suffix that follows the path of the realm.
  static let suffix = ".processes"

  /// The numbers at the beginning of the table. All start at 0.
  private enum Word: Int {
    /// Increases with every process that enters or leaves.
    case generation
    /// The identity of the process that is committing; 0 if there is none.
    case committing
    /// The number of calls of `wakeOthers` by all processes.
    case wakeUps
    /// Increases with every change to the rejected writes.
    case rejectedWrites
    /// The progress of the sync agent's download: the bits of a number from 0 to 1, and the bytes received.
    case downloadEstimate
    case downloadedBytes
  }

  private static let firstEntry = 64
  private static let entryCount = 128
  private static let mappedByteCount = 4096
  /// The number of attempts to enter, and about the milliseconds for which another process may delete the realm, or back
  /// it up for a client reset.
  private static let entryPatience = 20_000
  /// The milliseconds to wait for the commit of another process, which may have been stopped in the middle.
  private static let commitPatience = 10_000
  /// How often others are woken between two checks whether they are still alive.
  private static let wakeUpsBetweenChecks: UInt64 = 256

  /// The path of the table.
  let path: String
  /// The identity of this process in the table and in the records of commits. Never 0.
  let identity: UInt64
  /// Whether this process was the first to enter the table.
  let isNew: Bool
  private let file: LockableFile
  private let entry: Int
  private nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt64>>
  /// The generation that was last examined, doubled, plus 1 if there were others.
  private let examined = Atomic<UInt64>(.max)
  /// The generation since which there was nobody else, and before which everything that others committed is known.
  private let quietGeneration = Atomic<UInt64>(.max)
  private let hasLeft = Atomic<Bool>(false)
  private let ownWakeUps = Atomic<UInt64>(0)
  private let seenWakeUps = Atomic<UInt64>(0)

  /// Enters the process into the table of a realm, for the lifetime of this object.
  ///
  /// - Throws: `StorageError` if the table cannot be used.
  init(of realmPath: String) throws {
    path = realmPath + Self.suffix
    (file, entry) = try Self.enter(path, realmPath)
    guard let memory = file.map(Self.mappedByteCount) else {
      throw file.error("cannot be mapped into memory")
    }
    words = memory.assumingMemoryBound(to: Atomic<UInt64>.self)
    identity = UInt64.random(in: 1...UInt64(Int64.max))
    words[Self.firstEntry + entry].store(identity, ordering: .sequentiallyConsistent)
    isNew =
      words[Word.generation.rawValue].wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue == 0
    removeDead()
    quietGeneration.store(generation, ordering: .relaxed)
    awaitCommit()
    seenWakeUps.store(self[.wakeUps], ordering: .relaxed)
    if hasOthers { wakeOthers() }
  }

  deinit {
    leave()
    munmap(words, Self.mappedByteCount)
  }

  /// Removes the process from the table. The lock is not left to the end of this object, which another thread may be
  /// using.
  func leave() {
    // The entry and the lock of the child of a fork belong to its parent.
    guard !ForkGuard.isChild, !hasLeft.exchange(true, ordering: .sequentiallyConsistent) else { return }
    words[Self.firstEntry + entry].store(0, ordering: .sequentiallyConsistent)
    advanceGeneration()
    noteCommit()
    file.unlock(entry..<entry + 1)
  }

  private static func enter(_ path: String, _ realmPath: String) throws -> (LockableFile, Int) {
    // Whoever deletes the realm locks all entries, and then removes the table.
    for _ in 0..<entryPatience {
      let file = try LockableFile(path, byteCount: mappedByteCount + 1, like: realmPath)
      if let entry = try (0..<entryCount).first(where: { try file.lock($0..<$0 + 1) }), file.isAtPath {
        return (file, entry)
      }
      usleep(1000)
    }
    throw StorageError(
      kind: .busy,
      message: "'\(realmPath)' cannot be opened: another process is deleting it or resetting it, or "
        + "\(entryCount) processes have it open. Try again."
    )
  }

  /// Runs `body` while no process has a realm open, and none can open it.
  ///
  /// - Returns: nil, without a call of `body`, if a process has it open.
  /// - Throws: what `body` throws, `StorageError`.
  static func whileUnused<Result>(_ realmPath: String, _ body: () throws -> Result) throws -> Result? {
    while true {
      let file = try LockableFile(realmPath + suffix, byteCount: mappedByteCount + 1, like: realmPath)
      guard try file.lock(0..<entryCount) else { return nil }
      // Another process may have deleted the table with the realm.
      guard file.isAtPath else { continue }
      return try withExtendedLifetime(file) { try body() }
    }
  }

  /// Returns the path of a realm in a folder that a process has open; nil if there is none.
  ///
  /// - Throws: `CoreError` if the folder cannot be read, `StorageError`.
  static func openRealm(in folder: String) throws -> String? {
    guard FileSystem.exists(folder) else { return nil }
    return try FileSystem.names(in: folder).filter { $0.hasSuffix(suffix) }
      .map { "\(folder)/\($0.dropLast(suffix.count))" }
      .first { try whileUnused($0) {} == nil }
  }

  /// Runs `body` while no other process runs such a `body`, for what must happen once in a file.
  ///
  /// - Throws: `StorageError` of kind `busy` if another process takes too long; what `body` throws.
  func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    let place = Self.entryCount..<Self.entryCount + 1
    try file.awaitLock(place, milliseconds: Realm.busyTimeoutMilliseconds)
    defer { file.unlock(place) }
    return try body()
  }

  // MARK: Others

  /// Increases with every process that enters or leaves.
  var generation: UInt64 { self[.generation] }

  /// Whether other processes have the file open, or have died with it open and were not noticed yet.
  var hasOthers: Bool {
    let generation = generation
    let known = examined.load(ordering: .acquiring)
    if known >> 1 == generation { return known & 1 == 1 }
    let hasOthers = (0..<Self.entryCount).contains { isOther($0) }
    examined.store(generation << 1 | (hasOthers ? 1 : 0), ordering: .releasing)
    return hasOthers
  }

  /// Whether others may have committed anything that this process does not know.
  var mayHaveNews: Bool { generation != quietGeneration.load(ordering: .relaxed) || hasOthers }

  /// Notes that everything is known that others had committed, and that none was there in a generation.
  func noteQuiet(_ generation: UInt64) { quietGeneration.store(generation, ordering: .relaxed) }

  private func isOther(_ number: Int) -> Bool {
    number != entry && words[Self.firstEntry + number].load(ordering: .acquiring) != 0
  }

  /// Removes the entries of processes that have died.
  private func removeDead() {
    for number in 0..<Self.entryCount where isOther(number) && isDead(number) {
      advanceGeneration()
    }
  }

  /// Removes an entry if its process has died, and says whether it has.
  private func isDead(_ number: Int) -> Bool {
    guard (try? file.lock(number..<number + 1)) == true else { return false }
    words[Self.firstEntry + number].store(0, ordering: .sequentiallyConsistent)
    file.unlock(number..<number + 1)
    return true
  }

  private func advanceGeneration() { add(1, to: .generation) }

  // MARK: Commits

  /// Begins a commit of objects; the caller holds the file's write lock. A process that enters while it lasts waits for
  /// its end, so it either sees the commit, or was seen.
  ///
  /// - Returns: whether others must be told what the commit changes.
  func beginCommit() -> Bool {
    words[Word.committing.rawValue].store(identity, ordering: .sequentiallyConsistent)
    return hasOthers
  }

  func endCommit() { words[Word.committing.rawValue].store(0, ordering: .sequentiallyConsistent) }

  private func awaitCommit() {
    let other = self[.committing]
    guard other != 0 else { return }
    for _ in 0..<Self.commitPatience {
      if self[.committing] != other { return }
      if !isPresent(other) { break }
      usleep(1000)
    }
    // It was killed; or it is stopped, and will tell this process of the commit once it goes on.
    _ = words[Word.committing.rawValue]
      .compareExchange(expected: other, desired: 0, ordering: .sequentiallyConsistent)
  }

  /// Whether the process with an identity has an entry, and is alive.
  private func isPresent(_ identity: UInt64) -> Bool {
    let number = (0..<Self.entryCount).first {
      words[Self.firstEntry + $0].load(ordering: .sequentiallyConsistent) == identity
    }
    guard let number, isDead(number) else { return number != nil }
    advanceGeneration()
    return false
  }

  // MARK: Waking

  /// Makes the other processes look at the realm.
  func wakeOthers() {
    let count = ownWakeUps.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    add(1, to: .wakeUps)
    file.touch(at: Self.mappedByteCount)
    if count % Self.wakeUpsBetweenChecks == 0 { removeDead() }
  }

  /// Called after a commit of any kind.
  func noteCommit() { if hasOthers { wakeOthers() } }

  /// Whether another process has called `wakeOthers` since this was last asked. The file system tells a process of its
  /// own wake-ups, too.
  func takeWakeUp() -> Bool {
    let own = ownWakeUps.load(ordering: .sequentiallyConsistent)
    let others = self[.wakeUps] &- own
    return seenWakeUps.exchange(others, ordering: .sequentiallyConsistent) != others
  }

  // MARK: What processes tell each other

  /// Increases with every change to the rejected writes.
  var rejectedWritesVersion: UInt64 { self[.rejectedWrites] }

  func noteRejectedWrites() {
    add(1, to: .rejectedWrites)
    noteCommit()
  }

  /// The progress of the download of the process that syncs the file: from 0 to 1, and the number of bytes received.
  var download: (estimate: Double, byteCount: UInt64) {
    get { (Double(bitPattern: self[.downloadEstimate]), self[.downloadedBytes]) }
    set {
      words[Word.downloadEstimate.rawValue].store(newValue.estimate.bitPattern, ordering: .relaxed)
      words[Word.downloadedBytes.rawValue].store(newValue.byteCount, ordering: .relaxed)
    }
  }

  private subscript(word: Word) -> UInt64 { words[word.rawValue].load(ordering: .sequentiallyConsistent) }

  private func add(_ number: UInt64, to word: Word) {
    words[word.rawValue].wrappingAdd(number, ordering: .sequentiallyConsistent)
  }
}
