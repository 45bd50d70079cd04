// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Synchronization

/// The sync session of a realm file: what other threads see of it. Any thread.
///
/// The work is done by a `SessionDriver` on the event loop of the app.
final class SyncSession: Sendable {
  private struct Published: Sendable {
    var state = flx_session_state_t.FLX_SESSION_ACTIVE
    var connection = flx_connection_state_t.FLX_CONNECTION_DISCONNECTED
  }

  let user: User
  /// The file.
  let path: String
  /// The text that C borrows.
  let lentPath: LentText
  /// The handle that C has of the session.
  let handleSlot: HandleSlot? = HandleSlot()
  private let published = Mutex(Published())
  private let driver: SessionDriver

  /// Starts to sync a file.
  ///
  /// - Parameters:
  ///   - path: a file that exists.
  ///   - coordinator: learns what is integrated.
  ///   - startsSuspended: whether to wait for `resume` before connecting.
  ///   - rejectedWriteLimits: how much is kept of rejected writes.
  ///   - clientResets: what the app wants of client resets.
  /// - Throws: `StorageError` if the file cannot be opened.
  static func open(
    user: User,
    path: String,
    coordinator: RealmCoordinator,
    startsSuspended: Bool,
    rejectedWriteLimits: RejectedWriteLimits,
    clientResets: ClientResetObserver
  ) throws -> SyncSession {
    let file = try SessionFile(
      path: path,
      owner: .synced(appID: user.app.configuration.appID, userID: user.id),
      coordinator: coordinator,
      rejectedWriteLimits: rejectedWriteLimits
    )
    let session = SyncSession(user: user, path: path, file: file, clientResets)
    session.post { $0.start(isSuspended: startsSuspended) }
    return session
  }

  private init(user: User, path: String, file: SessionFile, _ clientResets: ClientResetObserver) {
    self.user = user
    self.path = path
    lentPath = LentText(path)
    let host = UserSessionHost(user: user, clientResets)
    driver = SessionDriver(host: host, file: file)
    host.session = self
  }

  /// Ends the session with the last handle of its realm. When this returns, the file is closed; uploads that are due
  /// stay in it.
  func close() {
    driver.file.close()
    publish(.FLX_SESSION_INACTIVE)
    post { $0.close() }
  }

  /// Backs up and deletes the file if a client reset wants that. Any thread.
  ///
  /// - Returns: whether it was due.
  /// - Throws: `CoreError` ALREADY_OPEN, IO, PERMISSION_DENIED; `StorageError`.
  func performClientReset() throws -> Bool {
    let owner = RealmOwner.synced(appID: user.app.configuration.appID, userID: user.id)
    return try RealmFiles.performReset(.file(path), owner: owner)
  }

  private func post(_ work: @escaping @Sendable (SessionDriver) -> Void) {
    // The loop keeps the session until the work is done.
    user.app.post { [self] in work(driver) }
  }
}

// MARK: - State

extension SyncSession {
  var state: flx_session_state_t { published.withLock { $0.state } }
  var connectionState: flx_connection_state_t { published.withLock { $0.connection } }

  /// For the driver.
  func publish(_ state: flx_session_state_t) { published.withLock { $0.state = state } }

  /// For the driver.
  func publish(_ connection: flx_connection_state_t) { published.withLock { $0.connection = connection } }

  /// Stops syncing until `resume`; who waits is told so.
  func suspend() { post { $0.suspend() } }

  func resume() { post { $0.resume() } }

  /// Connects now instead of when the delay is over.
  func reconnect() { post { $0.reconnect() } }

  /// Tells `callback` the old and the new state at each change, on the loop.
  func observeConnection(
    _ callback: @escaping @Sendable (flx_connection_state_t, flx_connection_state_t) -> Void
  ) -> NotificationToken {
    let slot = CallbackSlot<ConnectionChange> { callback($0.old, $0.new) }
    post { $0.connectionObservers.add(slot, ()) }
    return token(slot) { $0.connectionObservers.remove(slot) }
  }

  /// The user has logged in or out.
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
  /// The realm has committed changes to upload.
  func localVersionAdvanced() { post { $0.localVersionAdvanced() } }

  /// The realm has committed a subscription set.
  func subscriptionSetCommitted() { post { $0.subscriptionSetCommitted() } }
}

// MARK: - Waiting

extension SyncSession {
  /// The newest subscription set, and whether no set of the app has ever been complete.
  func subscriptionProgress() throws -> (latest: Int64, isFirst: Bool) {
    try driver.file.access { file in
      let latest = try file.latestSubscriptionSet().version
      let active = try file.activeSubscriptionSet()?.version
      return (latest, active == nil || (active == 0 && latest > 0))
    }
  }

  /// Which way data go.
  enum Direction: Sendable {
    case upload
    case download
  }

  typealias Completion = @Sendable (Result<Void, CoreError>) -> Void

  /// Waits until what was committed before is on the server, or what the server had is on the device.
  /// - Parameter timeout: in milliseconds; 0 waits for ever.
  func wait(_ direction: Direction, timeout: UInt64, completion: @escaping Completion) {
    post { $0.wait(direction, timeout: timeout, completion: completion) }
  }

  /// Waits until a subscription set is complete.
  /// - Parameter timeout: in milliseconds; 0 waits for ever.
  func waitForSubscriptionSet(version: Int64, timeout: UInt64, completion: @escaping Completion) {
    post { $0.waitForSubscriptionSet(version, timeout: timeout, completion: completion) }
  }

  /// Tells `callback` each state that a set reaches, the present one first, on the loop.
  func observeSubscriptionState(
    version: Int64,
    _ callback: @escaping @Sendable (SubscriptionSetState) -> Void
  ) -> NotificationToken {
    let slot = CallbackSlot<SubscriptionSetState>(callback)
    post { $0.observeSubscriptionSet(version, slot) }
    return token(slot) { $0.subscriptionObservers.remove(slot) }
  }

  /// Tells `callback` how far transfers are, from 0 to 1, on the loop.
  /// - Parameter onlyOutstanding: whether to end after the present work.
  func observeProgress(
    _ direction: Direction,
    onlyOutstanding: Bool,
    _ callback: @escaping @Sendable (Double) -> Void
  ) -> NotificationToken {
    let slot = CallbackSlot<Double>(callback)
    post { $0.observeProgress(direction, onlyOutstanding: onlyOutstanding, slot) }
    return token(slot) { $0.progressObservers.remove(slot) }
  }
}
