// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The open realms of this process, one coordinator per file. Any thread.
enum RealmRegistry {
  /// The synced files that have been opened in this process.
  static let openedPaths = Mutex<Set<RealmConfiguration.Location>>([])
  private static let coordinators = Mutex<[RealmConfiguration.Location: WeakReference<RealmCoordinator>]>([:])

  /// How often files were deleted in this process, by path.
  private static let deletionCounts = Mutex<[RealmConfiguration.Location: Int]>([:])

  /// Returns the coordinator of a file or of a realm in memory.
  ///
  /// - Throws: `CoreError` ALREADY_OPEN if the file is open under another name, IO if no folder can be created for a realm
  ///   in memory.
  static func coordinator(of location: RealmConfiguration.Location) throws -> RealmCoordinator {
    let location = canonical(location)
    return try coordinators.withLock { coordinators in
      if let coordinator = coordinators[location]?.object { return coordinator }
      coordinators = coordinators.filter { $0.value.object != nil }
      if case .file(let path) = location, let other = openLink(to: path, coordinators.values) {
        throw CoreError(
          .alreadyOpen,
          "'\(path)' is another name (a hard link) of '\(other)', which is open. Open it by the same name: the files that "
            + "belong to a realm are found by its name."
        )
      }
      let coordinator = try make(location)
      coordinators[location] = WeakReference(coordinator)
      return coordinator
    }
  }

  /// Whether a synced file has been opened in this process before.
  static func wasOpened(_ path: String) -> Bool { openedPaths.withLock { $0.contains(.file(path)) } }

  static func noteOpening(of path: String) { openedPaths.withLock { _ = $0.insert(.file(path)) } }

  /// How often the file at the path of a coordinator was deleted. What was known of the file before does not apply to a
  /// new one.
  static func deletionCount(of path: String) -> Int {
    deletionCounts.withLock { $0[.file(path), default: 0] }
  }

  static func noteDeletion(of path: String) { deletionCounts.withLock { $0[.file(path), default: 0] += 1 } }

  /// Runs `body` while no realm can be opened. Fails if this realm is open.
  ///
  /// - Parameter body: gets the location as coordinators name it.
  /// - Throws: `CoreError` ALREADY_OPEN.
  static func whileClosed<Result: Sendable>(
    _ location: RealmConfiguration.Location,
    _ body: (RealmConfiguration.Location) throws -> Result
  ) throws -> Result {
    let location = canonical(location)
    return try onceGone({ [$0[location]?.object].compactMap(\.self) }) { try body(location) }
  }

  /// Runs `body` while no realm can be opened. Fails if a realm in this folder is open.
  ///
  /// - Throws: `CoreError` ALREADY_OPEN.
  static func whileAllClosed<Result: Sendable>(in folder: String, _ body: () throws -> Result) throws
    -> Result
  {
    try onceGone({ open($0, in: folder) }, body)
  }

  /// The time for threads to let go of a realm whose last handle is gone. One that notices the commits of other processes
  /// may just have the coordinator in its hands.
  private static let lettingGoNanoseconds: UInt64 = 500_000_000

  /// Runs `body` under the lock once none of the coordinators is left that `find` finds.
  ///
  /// - Throws: `CoreError` ALREADY_OPEN if one of them is in use, or stays.
  private static func onceGone<Result: Sendable>(
    _ find: ([RealmConfiguration.Location: WeakReference<RealmCoordinator>]) -> [RealmCoordinator],
    _ body: () throws -> Result
  ) throws -> Result {
    let deadline = Clock.monotonicNanoseconds() + lettingGoNanoseconds
    while true {
      let result = try coordinators.withLock { coordinators -> Result? in
        let found = find(coordinators)
        guard let first = found.first else { return try body() }
        if found.contains(where: \.isInUse) || Clock.monotonicNanoseconds() >= deadline {
          throw CoreError.alreadyOpen(first.path)
        }
        return nil
      }
      if let result { return result }
      usleep(1000)
    }
  }

  /// Removes a folder, either now or once the last open realm in it is closed. A folder with a realm that another process
  /// has open stays, because that process may have changes in it that are on no other device.
  ///
  /// - Throws: `CoreError` IO, PERMISSION_DENIED.
  static func removeOnceClosed(_ folder: String) throws {
    try coordinators.withLock { coordinators in
      let open = open(coordinators, in: folder)
      if let path = try open.isEmpty ? ProcessTable.openRealm(in: folder) : nil {
        return Log.write(.warn, "'\(folder)' was not removed: another process has '\(path)' open")
      }
      guard !open.isEmpty else { return try FileSystem.remove(folder) }
      let removal = RemovedFolder(adopting: folder)
      for coordinator in open { coordinator.keepUntilClosed(removal) }
    }
  }

  private static func open(
    _ coordinators: [RealmConfiguration.Location: WeakReference<RealmCoordinator>],
    in folder: String
  ) -> [RealmCoordinator] {
    let prefix = (resolve(folder) ?? folder) + "/"
    return coordinators.values.compactMap(\.object).filter { $0.path.hasPrefix(prefix) }
  }

  /// Returns the path of an open file to which another path leads as well; nil if there is none.
  private static func openLink(
    to path: String,
    _ coordinators: some Collection<WeakReference<RealmCoordinator>>
  ) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1 else {
      return nil
    }
    return coordinators.lazy.compactMap(\.object).filter { !$0.isInMemory }.map(\.path).first { open in
      var other = stat()
      return stat(open, &other) == 0 && other.st_dev == status.st_dev && other.st_ino == status.st_ino
    }
  }

  private static func make(_ location: RealmConfiguration.Location) throws -> RealmCoordinator {
    switch location {
    case .file(let path): return RealmCoordinator(path: path, temporaryFolder: nil)
    case .memory:
      let folder = try RemovedFolder()
      return RealmCoordinator(path: "\(folder.path)/memory.realm", temporaryFolder: folder)
    }
  }

  /// Returns one name for all spellings of a path, with links and dots in its folder resolved.
  private static func canonical(_ location: RealmConfiguration.Location) -> RealmConfiguration.Location {
    guard case .file(let path) = location else { return location }
    if let resolved = resolve(path) { return .file(resolved) }
    // The file does not exist yet, but its folder does.
    let slash = path.lastIndex(of: "/")
    let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard let folder = resolve(folder) else { return location }
    return .file(folder == "/" ? "/\(name)" : "\(folder)/\(name)")
  }

  private static func resolve(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension CoreError {
  fileprivate static func alreadyOpen(_ path: String) -> CoreError {
    CoreError(
      .alreadyOpen,
      "'\(path)' is open. Release the realm and everything obtained from it first."
    )
  }
}
