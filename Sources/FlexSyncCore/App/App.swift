// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTransport
import Synchronization

/// An app of a server: its users, its event loop, its HTTP client. Any thread.
final class App: Sendable {
  private struct State: Sendable {
    var users: [String: WeakReference<User>] = [:]
    /// Access tokens newer than those of the credentials file, which need not outlive the process.
    var accessTokens: [String: String] = [:]
    var refreshes: [String: [@Sendable (Result<Void, CoreError>) -> Void]] = [:]
    var observers: [UInt64: LoginObserver] = [:]
    var nextObserver: UInt64 = 0
  }

  private struct LoginObserver: Sendable {
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
  /// Who receives the errors of sync sessions.
  let syncErrors = SyncErrorHandler()
  private let state = Mutex(State())

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
  private func user(_ record: UserRecord) -> User {
    state.withLock { state in
      if let user = state.users[record.id]?.object, user.provider == record.provider { return user }
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
      guard let record = known[user.id] else {
        throw CoreError(.FLX_STATUS_USER_NOT_FOUND, "the user '\(user.id)' was removed from this device")
      }
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

  private func tellObservers(of userID: String, isLoggedIn: Bool) {
    let observers = state.withLock { $0.observers.values.filter { $0.userID == userID } }
    for observer in observers { observer.callback(isLoggedIn) }
  }
}

// MARK: - Logging in and out

extension App {
  /// Registers an account with email and password. Completes on the loop.
  func register(
    email: String,
    password: String,
    completion: @escaping @Sendable (Result<Void, CoreError>) -> Void
  ) {
    post { [self] in service.register(email: email, password: password, completion: completion) }
  }

  /// Logs in; the user becomes the current one. Completes on the loop.
  func logIn(_ proof: Credentials, completion: @escaping @Sendable (Result<User, CoreError>) -> Void) {
    post { [self] in
      if proof == .anonymous, let known = loggedInAnonymousUser {
        return completion(CoreError.catching { try becomeCurrent(known) })
      }
      service.logIn(proof) { [self] result in
        completion(
          result.flatMap { login in CoreError.catching { try accept(login, provider: proof.provider) } }
        )
      }
    }
  }

  private var loggedInAnonymousUser: User? {
    users.first { $0.provider == Credentials.anonymous.provider && $0.isLoggedIn }
  }

  private func becomeCurrent(_ user: User) throws -> User {
    try switchTo(user)
    return user
  }

  private func accept(_ login: ServiceClient.Login, provider: String) throws -> User {
    let record = UserRecord(id: login.userID, provider: provider, tokens: login.tokens)
    try credentials.update { $0.logIn(record) }
    state.withLock { $0.accessTokens[record.id] = nil }
    tellObservers(of: record.id, isLoggedIn: true)
    return user(record)
  }

  /// Logs the user out on this device, and on the server if it can be reached. An anonymous user is removed with its
  /// files, as soon as they are closed. Completes on the loop.
  func logOut(_ user: User, completion: @escaping @Sendable (Result<Void, CoreError>) -> Void) {
    post { [self] in
      completion(
        CoreError.catching {
          try endLogin(of: user.id)
          guard user.provider == Credentials.anonymous.provider else { return }
          try credentials.update { $0.remove(user.id) }
          try RealmRegistry.removeOnceClosed(user.folder)
        }
      )
    }
  }

  /// Logs out, forgets the user and deletes the user's default realm files. Completes on the loop.
  func remove(_ user: User, completion: @escaping @Sendable (Result<Void, CoreError>) -> Void) {
    post { [self] in
      completion(
        CoreError.catching {
          try RealmFiles.deleteAll(in: user.folder)
          try endLogin(of: user.id)
          try credentials.update { $0.remove(user.id) }
        }
      )
    }
  }

  /// Forgets the tokens, ends the sessions, and tells the server without waiting for its answer: offline the user is
  /// logged out all the same.
  private func endLogin(of userID: String) throws {
    guard let tokens = tokens(of: userID) else { return }
    try credentials.update { $0.logOut(userID) }
    state.withLock { $0.accessTokens[userID] = nil }
    tellObservers(of: userID, isLoggedIn: false)
    service.logOut(refreshToken: tokens.refresh) { result in
      if case .failure(let error) = result { Log.write(.FLX_LOG_INFO, "user '\(userID)': \(error)") }
    }
  }
}

// MARK: - Tokens

extension App {
  /// Gets a new access token; requests for the same user at the same time become one. If the server does not accept
  /// the refresh token, the user is logged out. Completes on the loop; call it there.
  func refreshAccessToken(
    of userID: String,
    completion: @escaping @Sendable (Result<Void, CoreError>) -> Void
  ) {
    guard let tokens = tokens(of: userID) else { return completion(.failure(CoreError.loggedOut(userID))) }
    let isFirst = state.withLock { state in
      state.refreshes[userID, default: []].append(completion)
      return state.refreshes[userID]?.count == 1
    }
    guard isFirst else { return }
    service.refresh(tokens.refresh) { [self] result in finishRefresh(of: userID, tokens.refresh, result) }
  }

  private func finishRefresh(of userID: String, _ refreshToken: String, _ result: Result<String, CoreError>) {
    // The user may have logged out, or in again, in the meantime.
    let isSameLogin = tokens(of: userID)?.refresh == refreshToken
    var outcome = result.map { _ in () }
    switch result {
    case .success(let token):
      if isSameLogin { state.withLock { $0.accessTokens[userID] = token } }
    case .failure(let error) where isSameLogin && (error.code == 401 || error.code == 403):
      outcome = .failure(endLoginAfterRefusal(of: userID, error))
    case .failure: break
    }
    let waiting = state.withLock { $0.refreshes.removeValue(forKey: userID) ?? [] }
    for completion in waiting { completion(outcome) }
  }

  /// The server does not accept the user any more: the user has to log in again.
  func endRefusedLogin(of userID: String) {
    do {
      try endLogin(of: userID)
    } catch {
      Log.write(.FLX_LOG_ERROR, "user '\(userID)' has to log in again, but: \(error)")
    }
  }

  private func endLoginAfterRefusal(of userID: String, _ refusal: CoreError) -> CoreError {
    endRefusedLogin(of: userID)
    return CoreError(.FLX_STATUS_INVALID_SESSION, refusal.message, code: refusal.code)
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
