// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The sync session of a realm file, as seen by other threads. Any thread.
///
/// A `SessionDriver` does the work, on the event loop of the app.
final class SyncSession: Sendable {
  private struct Published: Sendable {
    var state = SessionState.active
    var connection = ConnectionState.disconnected
    /// The number of calls of `suspend` that the loop has not performed yet.
    var dueSuspensions = 0
  }

  let user: User
  /// The path of the file.
  let path: String
  /// The path, as borrowed by C.
  let lentPath: LentText
  /// The handle through which C holds the session.
  let handleSlot: HandleSlot? = HandleSlot()
  private let published = Mutex(Published())
  private let driver: SessionDriver
  let candidacy: SyncCandidacy

  /// Starts to sync a file.
  ///
  /// - Parameters:
  ///   - path: the path of an existing file.
  ///   - coordinator: is notified of integrated changes.
  ///   - startsSuspended: whether to wait for `resume` before connecting.
  ///   - schemaVersion: the version of the schema that the app on the server must have.
  ///   - rejectedWriteLimits: the limits on how many rejected writes are kept.
  ///   - clientResets: the app's settings and callbacks for client resets.
  /// - Throws: `StorageError` if the file cannot be opened.
  static func open(
    user: User,
    path: String,
    coordinator: RealmCoordinator,
    startsSuspended: Bool,
    schemaVersion: UInt64,
    rejectedWriteLimits: RejectedWriteLimits,
    clientResets: ClientResetObserver
  ) throws -> SyncSession {
    let file = try SessionFile(
      path: path,
      owner: .synced(appID: user.app.configuration.appID, userID: user.id),
      coordinator: coordinator,
      rejectedWriteLimits: rejectedWriteLimits
    )
    let session = SyncSession(user: user, path: path, file: file, schemaVersion, clientResets)
    user.app.add(session)
    // Not only once the loop gets to it.
    if startsSuspended { session.publish(.inactive) }
    session.post { $0.start(isSuspended: startsSuspended) }
    return session
  }

  private init(
    user: User,
    path: String,
    file: SessionFile,
    _ schemaVersion: UInt64,
    _ clientResets: ClientResetObserver
  ) {
    self.user = user
    self.path = path
    lentPath = LentText(path)
    candidacy = SyncCandidacy(path: path)
    let host = UserSessionHost(user: user, schemaVersion: schemaVersion, clientResets)
    driver = SessionDriver(host: host, file: file)
    host.session = self
  }

  /// Ends the session when the last handle of its realm closes. When this returns, the file is closed; pending
  /// uploads stay in it.
  func close() {
    driver.file.close()
    candidacy.close()
    publish(.closed)
    user.app.remove(self)
    post { $0.close() }
  }

  /// Backs up and deletes the file if a client reset calls for it. Any thread.
  ///
  /// - Returns: whether that was due.
  /// - Throws: `CoreError` ALREADY_OPEN, IO, PERMISSION_DENIED; `StorageError`.
  func performClientReset() throws -> Bool {
    let owner = RealmOwner.synced(appID: user.app.configuration.appID, userID: user.id)
    return try RealmFiles.performReset(.file(path), owner: owner)
  }

  private func post(_ work: @escaping @Sendable (SessionDriver) -> Void) {
    // The loop keeps the session alive until the work is done.
    user.app.post { [self] in work(driver) }
  }
}

// MARK: - State

extension SyncSession {
  /// Inactive from the moment that `suspend` is called.
  var state: SessionState { published.withLock { $0.dueSuspensions > 0 ? .inactive : $0.state } }
  var connectionState: ConnectionState { published.withLock { $0.connection } }

  /// Called by the driver.
  func publish(_ state: SessionState) {
    published.withLock { if $0.state != .closed { $0.state = state } }
  }

  /// Called by the driver.
  func publish(_ connection: ConnectionState) { published.withLock { $0.connection = connection } }

  /// Stops syncing until `resume`; all waits fail. What is committed after the call is not sent before.
  func suspend() {
    published.withLock { $0.dueSuspensions += 1 }
    post { [self] driver in
      driver.suspend()
      published.withLock { $0.dueSuspensions -= 1 }
    }
  }

  /// Whether a suspension is still to be performed. If it is false after data were read from the file, they were
  /// committed before any call of `suspend`.
  var isSuspending: Bool { published.withLock { $0.dueSuspensions > 0 } }

  func resume() { post { $0.resume() } }

  /// Connects immediately instead of after the delay.
  func reconnect() { post { $0.reconnect() } }

  /// Connects again, with the present settings of the app.
  func restart() { post { $0.restart() } }

  /// Calls `callback` with the old and the new state at every change, on the loop.
  func observeConnection(
    _ callback: @escaping @Sendable (ConnectionState, ConnectionState) -> Void
  ) -> NotificationToken {
    let slot = CallbackSlot<ConnectionChange> { callback($0.old, $0.new) }
    post { $0.connectionObservers.add(slot, ()) }
    return token(slot) { $0.connectionObservers.remove(slot) }
  }

  /// Calls `callback` with every error, on the loop, before the app's handler.
  func observeErrors(_ callback: @escaping @Sendable (SyncError) -> Void) -> NotificationToken {
    let slot = CallbackSlot<SyncError> { callback($0) }
    post { $0.errorObservers.add(slot, ()) }
    return token(slot) { $0.errorObservers.remove(slot) }
  }

  /// Whether this process is the one that syncs the file.
  var isSyncAgent: Bool { candidacy.isAgent }

  /// Called by the driver. See `SessionHost.becomeAgent`.
  func becomeAgent() throws -> Bool {
    try candidacy.apply { [weak self] in self?.post { $0.elected() } }
  }

  /// Called when another process has committed something.
  func fileChangedElsewhere() { post { $0.fileChangedElsewhere() } }

  /// Called when the user has logged in or out.
  func userChanged(isLoggedIn: Bool) { post { $0.userChanged(isLoggedIn: isLoggedIn) } }

  private func token<Event>(
    _ slot: CallbackSlot<Event>,
    _ remove: @escaping @Sendable (SessionDriver) -> Void
  ) -> NotificationToken {
    NotificationToken { [self] in
      slot.clear()
      post(remove)
    }
  }
}

// MARK: - Commits

extension SyncSession {
  /// Called when the realm has committed changes to upload.
  func localVersionAdvanced() { post { $0.localVersionAdvanced() } }

  /// Called when the realm has committed a subscription set.
  func subscriptionSetCommitted() { post { $0.subscriptionSetCommitted() } }
}

// MARK: - Waiting

extension SyncSession {
  /// Returns the newest subscription set, and whether no set of the app has ever been complete.
  func subscriptionProgress() throws -> (latest: Int64, isFirst: Bool) {
    try driver.file.access { file in
      let latest = try file.latestSubscriptionSet().version
      let active = try file.activeSubscriptionSet()?.version
      return (latest, active == nil || (active == 0 && latest > 0))
    }
  }

  /// The direction of a transfer.
  enum Direction: Sendable {
    case upload
    case download
  }

  typealias Completion = @Sendable (Result<Void, CoreError>) -> Void

  /// Waits until everything committed before is on the server, or everything that the server had is on the device.
  /// - Parameter timeout: in milliseconds; 0 waits forever.
  func wait(_ direction: Direction, timeout: UInt64, completion: @escaping Completion) {
    post { $0.wait(direction, timeout: timeout, completion: completion) }
  }

  /// Waits until a subscription set is complete.
  /// - Parameter timeout: in milliseconds; 0 waits forever.
  func waitForSubscriptionSet(version: Int64, timeout: UInt64, completion: @escaping Completion) {
    post { $0.waitForSubscriptionSet(version, timeout: timeout, completion: completion) }
  }

  /// Calls `callback` with each state that a set reaches, starting with the current one, on the loop.
  func observeSubscriptionState(
    version: Int64,
    _ callback: @escaping @Sendable (SubscriptionSetState) -> Void
  ) -> NotificationToken {
    let slot = CallbackSlot<SubscriptionSetState>(callback)
    post { $0.observeSubscriptionSet(version, slot) }
    return token(slot) { $0.subscriptionObservers.remove(slot) }
  }

  /// Calls `callback` with the progress of transfers, on the loop.
  /// - Parameter onlyOutstanding: whether to end once the work outstanding now is done.
  func observeProgress(
    _ direction: Direction,
    onlyOutstanding: Bool,
    _ callback: @escaping @Sendable (TransferProgress) -> Void
  ) -> NotificationToken {
    let slot = CallbackSlot<TransferProgress>(callback)
    post { $0.observeProgress(direction, onlyOutstanding: onlyOutstanding, slot) }
    return token(slot) { $0.progressObservers.remove(slot) }
  }

  /// Calls `callback` with each error that does not end the session, such as a failure to connect, on the loop.
  func observeFailures(_ callback: @escaping @Sendable (SyncError) -> Void) -> NotificationToken {
    let slot = CallbackSlot<SyncError>(callback)
    post { $0.failureObservers.add(slot, ()) }
    return token(slot) { $0.failureObservers.remove(slot) }
  }
}
