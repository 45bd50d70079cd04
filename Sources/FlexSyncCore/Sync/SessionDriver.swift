// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncProtocol
import FlexSyncStorage
import FlexSyncTransport

/// Syncs one realm file: performs what the protocol's state machines decide. Confined to the loop, except for `file`.
final class SessionDriver: @unchecked Sendable {
  /// Whether the session tries to sync.
  enum Activity {
    case active
    /// By the app, until it resumes.
    case suspended
    /// Until the user logs in again.
    case loggedOut
    /// By the server, until the app resumes.
    case failed(SyncError)
    /// The realm is closed.
    case closed
  }

  /// The number of the session; there is one on each connection.
  static let session: SessionIdent = 1

  let user: User
  let file: SessionFile
  let loop: EventLoop
  let connector: SyncConnector
  private(set) weak var session: SyncSession?
  private(set) var activity = Activity.active
  private var loginObserver: UInt64?

  /// What the protocol decides; nil while the session is not active, and after the file failed.
  var machine: ClientConnection?
  /// What has happened and the machine does not know yet, in order.
  var events: [ClientConnection.Event] = []
  var isDriving = false
  var socket: WebSocket?
  var timers: [ClientConnection.Timer: TimerHandle] = [:]
  /// The part of the history that the protocol wants next, when the connection can take it.
  var wantedUploads: WantedUploads?

  /// Until the file is tried again.
  var fileTimer: TimerHandle?
  var fileDelay = ReconnectDelay()
  /// Why the last attempt to connect failed.
  var connectFailure: CoreError?
  /// The last error that was reported, so that each attempt to connect does not report it again.
  var lastReported: SyncError?
  /// The newest reverting version that was reported: the server may repeat its report after a reconnect.
  var reportedRevert: ServerVersion = 0

  let connectionObservers = SessionObservers<ConnectionChange, Void>()
  let subscriptionObservers = SessionObservers<SubscriptionSetState, SubscriptionObservation>()
  let progressObservers = SessionObservers<Double, ProgressEstimate>()
  let completionWaits: SessionWaits<CompletionWait>
  let subscriptionWaits: SessionWaits<Int64>
  var nextWaitToken: WaitToken = 0
  /// How far downloads are, from 0 to 1.
  var downloadEstimate = 0.0

  init(user: User, file: SessionFile) {
    self.user = user
    self.file = file
    loop = user.app.runtime.loop
    connector = SyncConnector(user: user)
    completionWaits = SessionWaits(loop: loop)
    subscriptionWaits = SessionWaits(loop: loop)
  }
}

/// A change of the state of a connection.
struct ConnectionChange {
  let old: flx_connection_state_t
  let new: flx_connection_state_t
}

// MARK: - Life

extension SessionDriver {
  func start(_ session: SyncSession, isSuspended: Bool) {
    guard !file.isClosed else { return }
    self.session = session
    loginObserver = user.app.observeLogin(of: user.id) { [weak session] isLoggedIn in
      session?.userChanged(isLoggedIn: isLoggedIn)
    }
    if isSuspended {
      enter(.suspended)
    } else if user.isLoggedIn {
      run()
    } else {
      enter(.loggedOut)
    }
  }

  /// The realm is closed, and so is its file.
  func close() {
    if let loginObserver { user.app.stopObserving(loginObserver) }
    loginObserver = nil
    end(.closed, .sessionInactive)
  }

  func suspend() {
    guard case .active = activity else { return }
    end(.suspended, .sessionInactive)
  }

  func resume() {
    switch activity {
    case .active, .closed: return
    case .suspended, .loggedOut, .failed: break
    }
    guard user.isLoggedIn else { return enter(.loggedOut) }
    enter(.active)
    run()
  }

  func reconnect() {
    guard case .active = activity else { return }
    lastReported = nil
    if machine == nil { run() } else { drive(.reconnectNow) }
  }

  func userChanged(isLoggedIn: Bool) {
    switch activity {
    case .loggedOut where isLoggedIn: resume()
    case .active where !isLoggedIn: end(.loggedOut, .sessionInactive)
    case .suspended where !isLoggedIn, .failed where !isLoggedIn: enter(.loggedOut)
    default: break
    }
  }

  /// Ends the session for the time being, or for good.
  /// - Parameter error: for those who wait.
  func end(_ activity: Activity, _ error: CoreError) {
    enter(activity)
    stop()
    failAllWaits(error)
  }

  private func enter(_ activity: Activity) {
    self.activity = activity
    if case .active = activity {
      session?.publish(.FLX_SESSION_ACTIVE)
    } else {
      session?.publish(.FLX_SESSION_INACTIVE)
    }
  }

  /// Starts to sync from what the file remembers.
  private func run() {
    lastReported = nil
    fileTimer?.cancel()
    fileTimer = nil
    attempt {
      let state = try file.access { try $0.sessionState() }
      machine = ClientConnection(seed: .random(in: 0...UInt64.max), isRouteVerified: true)
      let configuration = ClientSessionConfiguration(session: Self.session, seed: .random(in: 0...UInt64.max))
      drive(.addSession(configuration, state))
      completionWaits.forEach(ask)
    }
  }

  /// Says good-bye and forgets the connection; the file remembers what is needed for the next one.
  func stop() {
    fileTimer?.cancel()
    fileTimer = nil
    if socket?.isOpen == true { sendUnbind() }
    machine = nil
    events = []
    wantedUploads = nil
    for timer in timers.values { timer.cancel() }
    timers = [:]
    dropConnection()
  }

  /// The file failed: tries again later.
  func retryFileLater() {
    stop()
    guard case .active = activity else { return }
    fileTimer = loop.schedule(afterMilliseconds: fileDelay.take()) { [weak self] in self?.run() }
  }
}

// MARK: - Commits

extension SessionDriver {
  func localVersionAdvanced() {
    attempt {
      guard machine != nil || !progressObservers.isEmpty else { return }
      handle(.localVersionAdvanced(try file.access { try $0.clientVersion() }))
      try tellProgress(.upload)
    }
  }

  func subscriptionSetCommitted() {
    attempt {
      for set in try file.access({ try $0.sessionState().pendingSets }) {
        handle(.subscriptionSetCommitted(set))
      }
      downloadEstimate = 0
    }
    subscriptionSetsChanged()
  }
}
