// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport
import Synchronization

/// An app on a server, with its users, event loop and HTTP client. Any thread.
final class App: Sendable {
  struct State: Sendable {
    var users: [String: WeakReference<User>] = [:]
    /// Access tokens newer than those in the credentials file. They need not outlive the process.
    var accessTokens: [String: String] = [:]
    var refreshes: [String: [@Sendable (Result<Void, CoreError>) -> Void]] = [:]
    var observers: [UInt64: LoginObserver] = [:]
    var nextObserver: UInt64 = 0
    var sessions: [WeakReference<SyncSession>] = []
  }

  struct LoginObserver: Sendable {
    let userID: String
    let callback: @Sendable (Bool) -> Void
  }

  let configuration: AppConfiguration
  let runtime: Runtime
  let credentials: CredentialsFile
  let service: ServiceClient
  private let settings: SharedRequestSettings
  /// The certificate authorities to trust; nil for the system's.
  let tls: TLSContext?
  /// The app id, as borrowed by C.
  let lentID: LentText
  /// The handle through which C holds the app.
  let handleSlot: HandleSlot? = HandleSlot()
  /// The receiver of sync session errors.
  let syncErrors = SyncErrorHandler()
  let state = Mutex(State())

  /// Opens an app and reads the users stored on this device.
  /// - Throws: `CoreError` IO, PERMISSION_DENIED, CORRUPT; `TransportError`.
  init(configuration: AppConfiguration, runtime: Runtime) throws {
    self.configuration = configuration
    self.runtime = runtime
    credentials = try CredentialsFile(folder: configuration.folder)
    tls = try configuration.trustedCertificatesFile.map {
      try TLSContext.client(trust: .authorities(file: $0))
    }
    var initial = RequestSettings()
    initial.timeouts.connect = configuration.connectTimeoutMilliseconds
    settings = SharedRequestSettings(initial)
    service = ServiceClient(configuration: configuration, settings, loop: runtime.loop, tls: tls)
    lentID = LentText(configuration.appID)
  }

  /// Runs `work` on the loop, never within this call.
  func post(_ work: @escaping @Sendable () -> Void) { runtime.loop.execute(work) }
}

// MARK: - Settings of requests

extension App {
  var requestSettings: RequestSettings { settings.current }

  /// Changes the settings for requests and connections that begin later.
  func updateSettings(_ change: (inout RequestSettings) -> Void) { settings.update(change) }

  /// Moves to a server at another URL, if that has the app. The sessions then connect to it.
  func updateBaseURL(_ baseURL: String, completion: @escaping Completion<Void>) throws {
    let baseURL = try AppConfiguration.checked(baseURL: baseURL)
    post { [self] in
      service.move(to: baseURL) { [self] result in
        if case .success = result { restartSessions() }
        completion(result)
      }
    }
  }
}

// MARK: - Sessions

extension App {
  /// The sessions that are open, in the order of their opening.
  var sessions: [SyncSession] { state.withLock { $0.sessions.compactMap(\.object) } }

  func add(_ session: SyncSession) {
    state.withLock { state in
      state.sessions.removeAll { $0.object == nil }
      state.sessions.append(WeakReference(session))
    }
  }

  func remove(_ session: SyncSession) {
    state.withLock { state in state.sessions.removeAll { $0.object === session } }
  }

  /// Makes the sessions connect again, with the present settings.
  func restartSessions() {
    for session in sessions { session.restart() }
  }
}

// MARK: - Users

extension App {
  /// The user who last logged in or was switched to; nil if no user is logged in.
  var currentUser: User? { credentials.current.current.map(user) }

  /// The users stored on this device, in the order of their first login.
  var users: [User] { credentials.current.records.map(user) }

  /// Returns the one `User` object that this process has for a record.
  func user(_ record: UserRecord) -> User {
    state.withLock { state in
      if let user = state.users[record.id]?.object { return user }
      let user = User(app: self, id: record.id, provider: record.provider)
      state.users[record.id] = WeakReference(user)
      return user
    }
  }

  /// Returns the newest tokens of a user; nil if logged out.
  func tokens(of userID: String) -> UserRecord.Tokens? {
    guard var tokens = credentials.current[userID]?.tokens else { return nil }
    if let fresh = state.withLock({ $0.accessTokens[userID] }) { tokens.access = fresh }
    return tokens
  }

  /// Makes a logged-in user the current one.
  /// - Throws: `CoreError` USER_LOGGED_OUT, USER_NOT_FOUND, IO.
  func switchTo(_ user: User) throws {
    try credentials.update { known in
      guard let record = known[user.id] else { throw CoreError.removed(user.id) }
      guard record.tokens != nil else { throw CoreError.loggedOut(user.id) }
      known.switchTo(user.id)
    }
  }

  /// Calls `callback` when the user logs in (true) or is logged out (false), on whichever thread does so.
  /// - Returns: the observer id for `stopObserving`.
  func observeLogin(of userID: String, _ callback: @escaping @Sendable (Bool) -> Void) -> UInt64 {
    state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = LoginObserver(userID: userID, callback: callback)
      return state.nextObserver
    }
  }

  func stopObserving(_ observer: UInt64) {
    let removed = state.withLock { $0.observers.removeValue(forKey: observer) }
    // Releases what the closure holds, outside the lock.
    withExtendedLifetime(removed) {}
  }

  func tellObservers(of userID: String, isLoggedIn: Bool) {
    let observers = state.withLock { $0.observers.values.filter { $0.userID == userID } }
    for observer in observers { observer.callback(isLoggedIn) }
  }
}

extension CoreError {
  /// Runs `body` and returns its result, mapping a thrown error to `CoreError`.
  static func catching<Value>(_ body: () throws -> Value) -> Result<Value, CoreError> {
    do {
      return .success(try body())
    } catch {
      return .failure(CoreError(mapping: error))
    }
  }
}

extension Result where Failure == CoreError {
  /// Converts a success by a function that may throw.
  func tryMap<Converted>(_ convert: (Success) throws -> Converted) -> Result<Converted, CoreError> {
    flatMap { value in CoreError.catching { try convert(value) } }
  }
}
