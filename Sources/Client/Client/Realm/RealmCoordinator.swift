// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import Synchronization

/// The state that the handles of one realm file share within the process. Any thread.
///
/// A commit and the record of what it wrote are made under one lock, and so are the start of a snapshot and the
/// read of the newest version. A handle therefore knows exactly which commits its snapshot contains.
package final class RealmCoordinator: Sendable {
  /// The number of a handle among those of its file.
  package typealias HandleNumber = Int
  /// The number of a realm that is none of the handles.
  static let noHandle: HandleNumber = 0

  struct OpenHandle: Sendable {
    var seenVersion: UInt64
    let listener: ChangeListener
    /// Whether the handle just looks at the file, and prevents nothing.
    var isLooking = false
  }

  struct State: Sendable {
    var log = ChangeLog()
    /// Increases with every change to the rejected writes.
    var rejectedWritesVersion: UInt64 = 0
    var handles: [HandleNumber: OpenHandle] = [:]
    var nextNumber = 0
    var snapshots = KeptSnapshots()
    /// The commits of other processes; nil if no handle is open, or if other processes cannot have the file open.
    var foreign: ForeignCommits?
    /// The version of the rejected writes that other processes have caused.
    var foreignRejectedWritesVersion: UInt64 = 0
    /// Wakes this process when another one has committed, once somebody wants to know.
    var watch: ProcessWatch?
    var subscriptions: SubscriptionStore?
    var session: SyncSession?
    /// The settings on which all open handles agree.
    var settings: SharedSettings?
    /// The folder of the file, if it must be removed along with the coordinator.
    var removal: RemovedFolder?
  }

  /// The path of the data; that of a temporary file for a realm in memory.
  let path: String
  /// Held while the file is opened, so that its schema and first subscriptions are created once.
  let openingLock = RecursiveLock()
  let state = Mutex(State())
  /// The number of frozen realms that show a version. Not a part of the state, under whose lock frozen realms begin and
  /// may end.
  private let frozenVersions = Mutex<[UInt64: Int]>([:])
  let gate = VersionGate()
  private let writers = WriterQueue()
  private let temporaryFolder: RemovedFolder?

  /// Creates the coordinator of a file that remains after it is closed.
  package convenience init(path: String) { self.init(path: path, temporaryFolder: nil) }

  init(path: String, temporaryFolder: RemovedFolder?) {
    self.path = path
    self.temporaryFolder = temporaryFolder
  }

  /// Whether the data are lost when the last handle closes.
  var isInMemory: Bool { temporaryFolder != nil }

  /// The version of the newest commit within this process.
  var newestVersion: UInt64 { state.withLock { $0.log.newestVersion } }

  /// Removes a folder once this realm, and all others that were given the same removal, are closed.
  func keepUntilClosed(_ removal: RemovedFolder) { state.withLock { $0.removal = removal } }

  // MARK: Handles

  func addHandle(_ listener: ChangeListener) -> HandleNumber {
    state.withLock { state in
      state.nextNumber += 1
      state.handles[state.nextNumber] = OpenHandle(seenVersion: state.log.newestVersion, listener: listener)
      return state.nextNumber
    }
  }

  /// Whether there are open handles that do not just look at the file.
  var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Whether there are open handles.
  var hasHandles: Bool { state.withLock { !$0.handles.isEmpty } }

  /// Whether there are open handles or frozen realms.
  var isInUse: Bool { hasHandles || frozenVersions.withLock { !$0.isEmpty } }

  func noteLooking(_ handle: HandleNumber) { state.withLock { $0.handles[handle]?.isLooking = true } }

  /// The number of versions of the data that handles and frozen realms show, including the newest one.
  var activeVersionCount: Int {
    let frozen = frozenVersions.withLock { Set($0.keys) }
    return state.withLock { state in
      frozen.union(state.handles.values.map(\.seenVersion)).union([state.log.newestVersion]).count
    }
  }

  /// Adopts the settings of a handle that is about to be opened. The caller holds `openingLock`.
  ///
  /// - Throws: `CoreError` ALREADY_OPEN if other handles are open with different settings.
  func share(_ settings: SharedSettings) throws {
    try state.withLock { state in
      if let present = state.settings, state.isOpen {
        try settings.requireAgreement(with: present, path: path)
        guard present.schemaVersion == nil else { return }
      }
      state.settings = settings
    }
  }

  func removeHandle(_ number: HandleNumber) {
    guard number != Self.noHandle else { return }
    let ended = openingLock.withLock { () -> SyncSession? in
      let isLast = state.withLock { state in
        state.handles[number] = nil
        state.forgetSeen()
        return state.handles.isEmpty
      }
      guard isLast else { return nil }
      defer { leaveProcesses() }
      return stopSync()
    }
    // The session takes its client reset callbacks with it: release it outside the lock.
    withExtendedLifetime(ended) {}
  }

  // MARK: Sync

  /// The subscription sets; nil for a local realm.
  var subscriptions: SubscriptionStore? { state.withLock { $0.subscriptions } }

  /// The session; nil for a local realm.
  var session: SyncSession? { state.withLock { $0.session } }

  /// Returns the subscription sets, opening them if necessary. The caller holds `openingLock`.
  func startSubscriptions(_ open: () throws -> SubscriptionStore) rethrows -> SubscriptionStore {
    if let subscriptions { return subscriptions }
    let opened = try open()
    state.withLock { $0.subscriptions = opened }
    return opened
  }

  /// Opens the session unless there is one. The caller holds `openingLock`.
  func startSession(_ open: () throws -> SyncSession) rethrows {
    guard session == nil else { return }
    let opened = try open()
    state.withLock { $0.session = opened }
    startWatching()
  }

  /// Stops syncing when the last handle closes.
  ///
  /// - Returns: the ended session, which must be released while no lock is held.
  private func stopSync() -> SyncSession? {
    let session = state.withLock { state in
      defer {
        state.session = nil
        state.subscriptions = nil
      }
      return state.session
    }
    session?.close()
    return session
  }

  // MARK: Snapshots and commits

  /// Starts a new snapshot for a handle.
  ///
  /// - Parameters:
  ///   - database: the handle's connection.
  ///   - prepare: reads what is needed of the old snapshot, before it ends; gets the rows that are going to change.
  ///   - begin: begins the read transaction, or begins a later one. It does nothing in a write transaction.
  /// - Returns: the rows that commits wrote since the handle's last snapshot, and the version of the new one.
  /// - Throws: `StorageError`, and what `begin` throws.
  func advance(
    _ handle: HandleNumber,
    _ database: Database,
    before prepare: (TouchedRows) -> Void = { _ in },
    _ begin: () throws -> Void
  ) throws -> (touched: TouchedRows, version: UInt64) {
    try state.withLock { state in
      try state.adoptNewestCommits()
      prepare(state.touched(sinceSnapshotOf: handle))
      try begin()
      try state.adoptCommits(seenBy: database)
      try keepForOtherProcesses(&state, database, begin)
      let touched = state.touched(sinceSnapshotOf: handle)
      guard state.handles[handle] != nil else { return (TouchedRows(), 0) }
      state.see(state.log.newestVersion, by: handle)
      return (touched, state.log.newestVersion)
    }
  }

  /// Returns the rows that commits wrote since a handle's last snapshot.
  func touched(sinceSnapshotOf handle: HandleNumber) throws -> TouchedRows {
    try state.withLock { state in
      try state.adoptNewestCommits()
      return state.touched(sinceSnapshotOf: handle)
    }
  }

  /// Commits the writes of a handle or of the sync session.
  ///
  /// - Parameters:
  ///   - handle: the handle that wrote; nil for the session.
  ///   - changes: the rows that were written.
  ///   - database: the connection with the write transaction.
  ///   - commit: commits; for a handle it also starts the snapshot that follows the commit.
  /// - Returns: the notice for the other handles. The caller delivers it once it holds no lock, because that calls
  ///   into the program.
  /// - Throws: `StorageError`, and what `commit` throws; the transaction is then not committed.
  package func commit(
    _ handle: HandleNumber?,
    _ changes: [String: [Int64: ChangeRecorder.RowChange]],
    _ database: Database,
    _ commit: () throws -> Void
  ) throws -> CommitNotice {
    let touched = TouchedRows(changes)
    return try state.withLock { state in
      let isShared = state.foreign?.processes.beginCommit() ?? false
      defer { state.foreign?.processes.endCommit() }
      try state.adoptCommits(seenBy: database)
      if isShared { try state.record(touched, in: database) }
      if !touched.isEmpty, state.isNewestSeen(except: handle) { keepNewest(&state) }
      let formerVersion = state.log.newestVersion
      try commit()
      if !isShared, !touched.isEmpty { tellNewcomers(&state) }
      if !touched.isEmpty { _ = state.log.append(touched) }
      let foreign = handle == nil ? TouchedRows() : adoptCommitsAfterOwn(&state, database)
      let version = state.log.newestVersion
      guard version > formerVersion else { return CommitNotice(version: nil, listeners: []) }
      if let handle { state.see(version, by: handle) }
      gate.open(version)
      return CommitNotice(version: version, foreign: foreign, listeners: state.listeners(except: handle))
    }
  }

  // MARK: Freezing

  /// Counts a frozen realm that begins to show a version.
  func beginFrozen(_ version: UInt64) { frozenVersions.withLock { $0[version, default: 0] += 1 } }

  /// Counts a frozen realm that ends.
  func endFrozen(_ version: UInt64) {
    frozenVersions.withLock { versions in
      let rest = versions[version, default: 0] - 1
      versions[version] = rest > 0 ? rest : nil
    }
  }

  /// Returns the realm that stays on the version that a handle shows.
  ///
  /// - Parameters:
  ///   - configuration: that of the handle's connection, which may be read-only.
  ///   - freeze: makes the realm of a connection that reads the version. It must not call the coordinator.
  /// - Returns: nil if the version is lost because its snapshot could not be kept.
  /// - Throws: `StorageError`, and what `freeze` throws.
  func frozenRealm(
    _ version: UInt64,
    _ configuration: DatabaseConfiguration,
    _ freeze: (Database) throws -> Realm
  ) throws -> Realm? {
    let frozen = try state.withLock { state -> KeptSnapshots.Frozen? in
      let isNewest = version == state.log.newestVersion
      let open = { try Database.open(configuration) }
      if let frozen = try state.snapshots.frozenRealm(version, isNewest: isNewest, open, freeze) {
        return frozen
      }
      guard state.log.isOutdatedByOthersOnly(version) else { return nil }
      // The version was outdated before this process knew of the other one.
      return try state.snapshots.frozenRealm(version, isNewest: true, open, freeze)
    }
    return frozen?.realm
  }

  /// Forgets the frozen realm of a version, because the data of that version have changed without a new one: another
  /// process has written, or the schema has changed.
  func forgetFrozen(_ version: UInt64) { state.withLock { $0.snapshots.forget(version) } }

  /// - Returns: false if another process has outdated the version.
  @discardableResult
  func keepNewest(_ state: inout State) -> Bool {
    do {
      let foreign = state.foreign
      let open = { try Database.open(foreign?.configuration ?? Realm.fileConfiguration(self)) }
      return try state.snapshots.keep(state.log.newestVersion, open) { try foreign?.isUpToDate($0) ?? true }
    } catch {
      // Freezing a handle that shows this version will fail, and say so. A commit must not.
      Log.write(.warn, "'\(path)': a version that is still shown cannot be kept for freezing: \(error)")
      return true
    }
  }

  // MARK: Rejected writes

  /// Increases with every change to the rejected writes, which are not part of a snapshot.
  var rejectedWritesVersion: UInt64 { state.withLock { $0.rejectedWritesVersion } }

  /// Records that rejected writes were added, changed or removed.
  ///
  /// - Parameter handle: the handle that need not be notified.
  /// - Returns: the notice for the other handles, which the caller delivers once it holds no lock.
  func noteRejectedWrites(by handle: HandleNumber? = nil) -> CommitNotice {
    state.withLock { state in
      state.rejectedWritesVersion += 1
      state.foreign?.processes.noteRejectedWrites()
      return CommitNotice(version: nil, listeners: state.listeners(except: handle))
    }
  }

  // MARK: Turns

  /// Waits for a turn to write among the writers of this process.
  ///
  /// - Parameter requested: a turn that was requested before; it is lost if it does not come in time.
  /// - Throws: `CoreError` BUSY.
  func takeTurn(_ requested: WriterQueue.Turn? = nil) throws {
    guard writers.enter(requested, milliseconds: UInt64(Realm.busyTimeoutMilliseconds)) else {
      throw CoreError(
        .busy,
        "'\(path)' is being written by another handle, which did not finish in time. Try again."
      )
    }
  }

  /// Requests a turn to write without waiting for it.
  func requestTurn(_ ready: @escaping @Sendable () -> Void) -> RequestedTurn { RequestedTurn(writers, ready) }

  /// Passes the turn to the next writer.
  func endTurn() { writers.leave() }

  /// Runs `body`, which writes, within a turn.
  package func inTurn<Result>(_ body: () throws -> Result) throws -> Result {
    try takeTurn()
    defer { endTurn() }
    return try body()
  }

  /// Blocks until there is a version after `version`; returns false on timeout.
  ///
  /// - Parameter milliseconds: the timeout; 0 waits forever.
  func waitForVersion(after version: UInt64, milliseconds: UInt64) -> Bool {
    gate.wait(after: version, milliseconds: milliseconds)
  }
}

/// A commit to be reported to the other handles of the file.
package struct CommitNotice {
  /// The version of the commit; nil if it changed no object.
  let version: UInt64?
  /// The rows that other processes wrote, and that the snapshot after the commit shows as well.
  var foreign = TouchedRows()
  let listeners: [ChangeListener]

  package func tellOthers() {
    for listener in listeners { listener.notify() }
  }
}

extension RealmCoordinator.State {
  /// Whether a handle other than one that is about to commit shows the newest version.
  func isNewestSeen(except handle: RealmCoordinator.HandleNumber?) -> Bool {
    handles.contains { $0.key != handle && $0.value.seenVersion == log.newestVersion }
  }

  var isOpen: Bool { handles.contains { !$0.value.isLooking } }

  func listeners(except handle: RealmCoordinator.HandleNumber?) -> [ChangeListener] {
    handles.compactMap { $0.key == handle ? nil : $0.value.listener }
  }

  func touched(sinceSnapshotOf handle: RealmCoordinator.HandleNumber) -> TouchedRows {
    handles[handle].map { log.touched(since: $0.seenVersion) } ?? TouchedRows()
  }

  mutating func see(_ version: UInt64, by handle: RealmCoordinator.HandleNumber) {
    handles[handle]?.seenVersion = version
    forgetSeen()
  }

  mutating func forgetSeen() {
    guard !handles.isEmpty else {
      log.forget(through: log.newestVersion)
      // The file may be replaced before it is opened again.
      snapshots = KeptSnapshots()
      return
    }
    log.forget(through: handles.values.map(\.seenVersion).min() ?? log.newestVersion)
    snapshots.forget(except: Set(handles.values.map(\.seenVersion)))
  }
}
