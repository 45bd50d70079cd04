// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncWire

/// Syncs one realm file by carrying out the decisions of the protocol's state machines. Confined to the loop,
/// except for `file`.
package final class SessionDriver: @unchecked Sendable {
  /// Whether the session tries to sync.
  enum Activity {
    case active
    /// Suspended by the app until it resumes the session.
    case suspended
    /// Inactive until the user logs in again.
    case loggedOut
    /// Stopped by an error until the app resumes the session.
    case failed(SyncError)
    /// The realm is closed.
    case closed
  }

  let host: any SessionHost
  let file: SessionFile
  let loop: any Scheduler
  private(set) var activity = Activity.active
  var connectionState = ConnectionState.disconnected

  /// The protocol's state machine; nil while the session is not active, and after a failure of the file.
  var machine: ClientConnection?
  /// The events that the state machine has yet to handle, in order.
  var events: [ClientConnection.Event] = []
  var isDriving = false
  /// The number of the session on the connection. There is one at a time, but a client reset goes through several.
  var session: SessionIdent = 0
  /// The client reset under way.
  var reset: ResetUnderWay?
  /// The waits whose end shows that the server accepts the file after a client reset.
  var resetWaits: Set<WaitToken> = []
  var channel: (any MessageChannel)?
  var timers: [ClientConnection.Timer: any ScheduledTimer] = [:]
  /// The part of the history that the protocol requests next, once the connection can take it.
  var wantedUploads: WantedUploads?

  /// The timer until the next attempt to use the file.
  var fileTimer: (any ScheduledTimer)?
  var fileBackoff = Backoff<Status>()
  /// The reason why the last connection attempt failed.
  var connectFailure: CoreError?
  /// The last error that was reported, so that each attempt to connect does not report it again.
  var lastReported: SyncError?
  /// The number of connections so far, for the log.
  var connectionNumber = 0
  /// The newest reverting version that was reported, because the server may repeat its report after a reconnect.
  var reportedRevert: ServerVersion = 0

  let connectionObservers = SessionObservers<ConnectionChange, Void>()
  let errorObservers = SessionObservers<SyncError, Void>()
  let subscriptionObservers = SessionObservers<SubscriptionSetState, SubscriptionObservation>()
  let progressObservers = SessionObservers<TransferProgress, ProgressEstimate>()
  let failureObservers = SessionObservers<SyncError, Void>()
  let completionWaits: SessionWaits<CompletionWait>
  let subscriptionWaits: SessionWaits<Int64>
  var nextWaitToken: WaitToken = 0
  /// The requests of other processes that wait for the end of a download, by the waits that will answer them.
  var downloadRequests: [WaitToken: Int64] = [:]
  /// The newest subscription set that was known to be pending.
  var newestPendingSet: QueryVersion = 0
  /// The progress of downloads, from 0 to 1.
  var downloadEstimate = 0.0
  /// The size of all changesets that were received.
  var downloadedBytes: UInt64 = 0

  package init(host: any SessionHost, file: SessionFile) {
    self.host = host
    self.file = file
    loop = host.loop
    completionWaits = SessionWaits(loop: loop)
    subscriptionWaits = SessionWaits(loop: loop)
    completionWaits.ended = { [weak self] in self?.withdrawRequest($0, $1) }
  }
}

/// A change of the state of a connection.
struct ConnectionChange {
  let old: ConnectionState
  let new: ConnectionState
}

// MARK: - Life

extension SessionDriver {
  package func start(isSuspended: Bool) {
    guard !file.isClosed else { return }
    host.observeLogin()
    if isSuspended {
      enter(.suspended)
    } else if host.isLoggedIn {
      run()
    } else {
      enter(.loggedOut)
    }
  }

  /// Ends the session because the realm, and with it the file, is closed.
  package func close() {
    host.stopObservingLogin()
    end(.closed, .sessionInactive)
  }

  package func suspend() {
    guard case .active = activity else { return }
    end(.suspended, .sessionInactive)
  }

  package func resume() {
    switch activity {
    case .active, .closed: return
    case .suspended, .loggedOut, .failed: break
    }
    guard host.isLoggedIn else { return enter(.loggedOut) }
    enter(.active)
    run()
  }

  package func reconnect() {
    guard case .active = activity else { return }
    lastReported = nil
    if machine == nil { run() } else { drive(.reconnectNow) }
  }

  /// Drops the connection and connects again, even if an error has ended the session: the server may be another one.
  package func restart() {
    switch activity {
    case .active:
      stop()
      run()
    case .failed: resume()
    case .suspended, .loggedOut, .closed: break
    }
  }

  func userChanged(isLoggedIn: Bool) {
    switch activity {
    case .loggedOut where isLoggedIn: resume()
    case .active where !isLoggedIn: end(.loggedOut, .sessionInactive)
    // Waits of a suspended session would otherwise outlive its user.
    case .suspended where !isLoggedIn, .failed where !isLoggedIn: end(.loggedOut, .sessionInactive)
    default: break
    }
  }

  /// Ends the session, temporarily or permanently.
  /// - Parameter error: the error for all waits.
  func end(_ activity: Activity, _ error: CoreError) {
    enter(activity)
    stop()
    host.resignAsAgent()
    failAllWaits(error)
  }

  func enter(_ activity: Activity) {
    self.activity = activity
    if case .active = activity {
      host.publish(.active)
    } else {
      host.publish(.inactive)
    }
  }

  /// Starts to sync, or waits until the process that does no longer does.
  private func run() {
    lastReported = nil
    fileTimer?.cancel()
    fileTimer = nil
    attempt { try host.becomeAgent() ? sync() : requestDownloads() }
  }

  /// Called when this process has got the right to sync the file.
  func elected() {
    guard case .active = activity, machine == nil, !file.isClosed else { return }
    Log.write(.debug, "sync of '\(host.name)': this process syncs the file from now on")
    run()
  }

  /// Syncs from the state stored in the file.
  private func sync() throws {
    let record = try file.access { file in
      file.forgetWhatOthersMayHaveChanged()
      return try file.clientReset()
    }
    // The process may have ended before the app was notified.
    try tellRejectedWrites()
    if let record, try resume(record) { return }
    machine = makeConnection()
    try addSession(reason: .sync, isAfterReset: record != nil)
  }

  /// Adds the session of the file to the connection.
  /// - Parameter isAfterReset: whether the server has yet to accept the file after its last client reset.
  func addSession(reason: SessionReason, isAfterReset: Bool) throws {
    let state = try file.access { try $0.sessionState() }
    drive(.addSession(nextSession(reason: reason), state))
    completionWaits.forEach(ask)
    downloadRequests = [:]
    try takeDownloadRequests()
    if isAfterReset { awaitAcceptance(of: state.localVersion) }
  }

  func makeConnection() -> ClientConnection {
    ClientConnection(seed: host.makeSeed(), isRouteVerified: true, timeouts: host.timeouts)
  }

  /// Returns the configuration for a new session.
  func nextSession(reason: SessionReason, isDownloadOnly: Bool = false) -> ClientSessionConfiguration {
    session += 1
    var bindOptions = BindOptions(sessionReason: reason)
    bindOptions.schemaVersion = host.schemaVersion
    return ClientSessionConfiguration(
      session: session,
      bindOptions: bindOptions,
      isDownloadOnly: isDownloadOnly,
      fastReconnectMilliseconds: host.timeouts.fastReconnect,
      seed: host.makeSeed()
    )
  }

  /// Unbinds the session and drops the connection; the file stores what the next one needs.
  func stop() {
    fileTimer?.cancel()
    fileTimer = nil
    if channel?.isOpen == true { sendUnbind() }
    machine = nil
    reset = nil
    resetWaits = []
    session = 0
    events = []
    wantedUploads = nil
    for timer in timers.values { timer.cancel() }
    timers = [:]
    dropConnection()
  }

  /// Stops after a failure of the file, and tries again later.
  func retryFileLater(after failure: Status) {
    stop()
    guard case .active = activity else { return }
    var random = RandomSource(seed: host.makeSeed())
    let delay = fileBackoff.nextDelay(after: failure, random: &random)
    fileTimer = loop.startTimer(afterMilliseconds: delay) { [weak self] in self?.run() }
  }
}

// MARK: - Commits

extension SessionDriver {
  package func localVersionAdvanced() {
    attempt {
      guard machine != nil || !progressObservers.isEmpty else { return }
      // The session that follows a client reset starts from the state of the file at that time.
      guard reset == nil else { return }
      handle(.localVersionAdvanced(try file.access { try $0.clientVersion() }))
      try tellProgress(.upload)
    }
  }

  package func subscriptionSetCommitted() {
    attempt {
      try forwardPendingSets()
    }
    subscriptionSetsChanged()
  }

  func forwardPendingSets() throws {
    guard reset == nil else { return }
    let sets = try file.access { try $0.sessionState().pendingSets }
    if let newest = sets.last?.version, newest > newestPendingSet {
      newestPendingSet = newest
      downloadEstimate = 0
    }
    if !host.isSuspending { for set in sets { handle(.subscriptionSetCommitted(set)) } }
  }
}
