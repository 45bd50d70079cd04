// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTransport
import Synchronization

/// An app of a server: its users, its event loop, its HTTP client. Any thread.
final class App: Sendable {
  struct State: Sendable {
    var users: [String: WeakReference<User>] = [:]
    /// Access tokens newer than those of the credentials file, which need not outlive the process.
    var accessTokens: [String: String] = [:]
    var refreshes: [String: [@Sendable (Result<Void, CoreError>) -> Void]] = [:]
    var observers: [UInt64: LoginObserver] = [:]
    var nextObserver: UInt64 = 0
  }

  struct LoginObserver: Sendable {
    let userID: String
    let callback: @Sendable (Bool) -> Void
  }

  let configuration: AppConfiguration
  let runtime: Runtime
  let credentials: CredentialsFile
  let service: ServiceClient
  /// Whom to trust; nil for the system's certificate authorities.
  let tls: TLSContext?
  /// The text that C borrows.
  let lentID: LentText
  /// The handle that C has of the app.
  let handleSlot: HandleSlot? = HandleSlot()
  /// Who receives the errors of sync sessions.
  let syncErrors = SyncErrorHandler()
  let state = Mutex(State())

  /// Opens an app and reads the known users.
  /// - Throws: `CoreError` IO, PERMISSION_DENIED, CORRUPT; `TransportError`.
  init(configuration: AppConfiguration, runtime: Runtime) throws {
    self.configuration = configuration
    self.runtime = runtime
    credentials = try CredentialsFile(folder: configuration.folder)
    tls = try configuration.trustedCertificatesFile.map {
      try TLSContext.client(trust: .authorities(file: $0))
    }
    service = ServiceClient(configuration: configuration, loop: runtime.loop, tls: tls)
    lentID = LentText(configuration.appID)
  }

  /// Runs `work` on the loop, never within this call.
  func post(_ work: @escaping @Sendable () -> Void) { runtime.loop.execute(work) }
}

// MARK: - Users

extension App {
  /// The user who logged in last or was switched to; nil if nobody is logged in.
  var currentUser: User? { credentials.current.current.map(user) }

  /// The users known on this device in the order of their first login.
  var users: [User] { credentials.current.records.map(user) }

  /// The one object of this process for a user.
  func user(_ record: UserRecord) -> User {
    state.withLock { state in
      if let user = state.users[record.id]?.object { return user }
      let user = User(app: self, id: record.id, provider: record.provider)
      state.users[record.id] = WeakReference(user)
      return user
    }
  }

  /// The newest tokens of a user; nil when logged out.
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

  /// Tells `callback` when the user logs in (true) or is logged out (false), on whichever thread does it.
  /// - Returns: what `stopObserving` takes.
  func observeLogin(of userID: String, _ callback: @escaping @Sendable (Bool) -> Void) -> UInt64 {
    state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = LoginObserver(userID: userID, callback: callback)
      return state.nextObserver
    }
  }

  func stopObserving(_ observer: UInt64) {
    let removed = state.withLock { $0.observers.removeValue(forKey: observer) }
    // What its closure holds is given back here, outside of the lock.
    withExtendedLifetime(removed) {}
  }

  func tellObservers(of userID: String, isLoggedIn: Bool) {
    let observers = state.withLock { $0.observers.values.filter { $0.userID == userID } }
    for observer in observers { observer.callback(isLoggedIn) }
  }
}

extension CoreError {
  /// The result of `body`, with what it throws as a core error.
  static func catching<Value>(_ body: () throws -> Value) -> Result<Value, CoreError> {
    do {
      return .success(try body())
    } catch {
      return .failure(CoreError(mapping: error))
    }
  }
}
