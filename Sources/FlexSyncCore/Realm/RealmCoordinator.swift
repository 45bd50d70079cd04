// SPDX-License-Identifier: Apache-2.0

import FlexSyncStorage
import Synchronization

/// What the handles of one realm file share within the process. Any thread.
///
/// A commit and the note about what it wrote happen under one lock, and so do the start of a snapshot and the look
/// at the newest version: a handle knows exactly which commits its snapshot contains.
final class RealmCoordinator: Sendable {
  /// The number of a handle among those of its file.
  typealias HandleNumber = Int

  fileprivate struct Handle: Sendable {
    var seenVersion: UInt64
    let listener: ChangeListener
  }

  fileprivate struct State: Sendable {
    var log = ChangeLog()
    var handles: [HandleNumber: Handle] = [:]
    var nextNumber = 0
    var subscriptions: SubscriptionStore?
    var session: SyncSession?
    var agentLock: SyncAgentLock?
  }

  /// Where the data are, the path of a temporary file for a realm in memory.
  let path: String
  /// Whoever opens the file holds it, so that its schema and first subscriptions are made once.
  let openingLock = RecursiveLock()
  private let state = Mutex(State())
  private let gate = VersionGate()
  private let writers = WriterQueue()
  private let temporaryFolder: TemporaryFolder?

  init(path: String, temporaryFolder: TemporaryFolder?) {
    self.path = path
    self.temporaryFolder = temporaryFolder
  }

  /// Whether the data are gone when the last handle closes.
  var isInMemory: Bool { temporaryFolder != nil }

  /// The version of the newest commit, within this process.
  var newestVersion: UInt64 { state.withLock { $0.log.newestVersion } }

  // MARK: Handles

  func addHandle(_ listener: ChangeListener) -> HandleNumber {
    state.withLock { state in
      state.nextNumber += 1
      state.handles[state.nextNumber] = Handle(seenVersion: state.log.newestVersion, listener: listener)
      return state.nextNumber
    }
  }

  func removeHandle(_ number: HandleNumber) {
    openingLock.withLock {
      let isLast = state.withLock { state in
        state.handles[number] = nil
        state.forgetSeen()
        return state.handles.isEmpty
      }
      if isLast { stopSync() }
    }
  }

  // MARK: Sync

  /// The subscription sets; nil for a local realm.
  var subscriptions: SubscriptionStore? { state.withLock { $0.subscriptions } }

  /// The session; nil for a local realm.
  var session: SyncSession? { state.withLock { $0.session } }

  /// Called by who holds `openingLock`.
  func startSubscriptions(_ open: () throws -> SubscriptionStore) rethrows {
    guard subscriptions == nil else { return }
    let opened = try open()
    state.withLock { $0.subscriptions = opened }
  }

  /// Called by who holds `openingLock`.
  ///
  /// - Throws: `StorageError` of kind `syncAgentActive` if another process syncs the file.
  func startSession(_ open: () throws -> SyncSession) throws {
    guard session == nil else { return }
    let lock = try SyncAgentLock(path: path)
    let opened = try open()
    state.withLock { state in
      state.session = opened
      state.agentLock = lock
    }
  }

  /// Ends sync with the last handle.
  private func stopSync() {
    let session = state.withLock { state in
      defer {
        state.session = nil
        state.subscriptions = nil
      }
      return state.session
    }
    session?.close()
    state.withLock { $0.agentLock = nil }
  }

  // MARK: Snapshots and commits

  /// Starts the snapshot of a handle.
  ///
  /// - Parameter begin: starts the transaction that reads.
  /// - Returns: what the commits since the handle's last snapshot wrote, and the version of the new one.
  func advance(_ handle: HandleNumber, _ begin: () throws -> Void) rethrows -> (
    touched: TouchedRows, version: UInt64
  ) {
    try state.withLock { state in
      try begin()
      guard let seen = state.handles[handle]?.seenVersion else { return (TouchedRows(), 0) }
      let touched = state.log.touched(since: seen)
      state.see(state.log.newestVersion, by: handle)
      return (touched, state.log.newestVersion)
    }
  }

  /// Commits what a handle, or the sync session, wrote and tells the others.
  ///
  /// - Parameters:
  ///   - handle: The handle that wrote; nil for the session.
  ///   - changes: What was written.
  ///   - commit: Commits; for a handle it also starts the snapshot behind the commit.
  /// - Returns: the version of the commit; nil if it changed no object.
  @discardableResult
  func commit(
    _ handle: HandleNumber?,
    _ changes: [String: [Int64: ChangeRecorder.RowChange]],
    _ commit: () throws -> Void
  ) rethrows -> UInt64? {
    let touched = TouchedRows(changes)
    let (version, listeners) = try state.withLock { state -> (UInt64?, [ChangeListener]) in
      try commit()
      guard !touched.isEmpty else { return (nil, []) }
      let version = state.log.append(touched)
      if let handle { state.see(version, by: handle) }
      gate.open(version)
      return (version, state.handles.compactMap { $0.key == handle ? nil : $0.value.listener })
    }
    for listener in listeners { listener.notify() }
    return version
  }

  // MARK: Turns

  /// Waits for the turn to write, among the writers of this process.
  ///
  /// - Throws: `CoreError` BUSY.
  func takeTurn() throws {
    guard writers.enter(milliseconds: UInt64(Realm.busyTimeoutMilliseconds)) else {
      throw CoreError(
        .FLX_STATUS_BUSY,
        "'\(path)' is being written by another handle, which did not finish in time. Try again."
      )
    }
  }

  /// Lets the next one write.
  func endTurn() { writers.leave() }

  /// Runs `body`, which writes, when it is its turn.
  func inTurn<Result>(_ body: () throws -> Result) throws -> Result {
    try takeTurn()
    defer { endTurn() }
    return try body()
  }

  /// Blocks until there is a version after `version`; false if the time is over first.
  ///
  /// - Parameter milliseconds: how long to wait; 0 waits for ever.
  func waitForVersion(after version: UInt64, milliseconds: UInt64) -> Bool {
    gate.wait(after: version, milliseconds: milliseconds)
  }
}

extension RealmCoordinator.State {
  fileprivate mutating func see(_ version: UInt64, by handle: RealmCoordinator.HandleNumber) {
    handles[handle]?.seenVersion = version
    forgetSeen()
  }

  fileprivate mutating func forgetSeen() {
    log.forget(through: handles.values.map(\.seenVersion).min() ?? log.newestVersion)
  }
}
