// SPDX-License-Identifier: Apache-2.0

/// An app on a server: its users and their realms. Within a process, the same id and configuration yield the same
/// app, and what was set for its `syncManager` stays until the end of the process.
public final class App: Sendable {
  let handle: AppHandle
  private let settings: AppSettings

  /// Opens the app and the users stored on this device, without using the network.
  ///
  /// Unusable settings, such as a storage folder that cannot be written, and a damaged credentials file stop the
  /// program, as exceptions do in the Realm SDK; `App(opening:)` throws instead.
  public convenience init(id: String, configuration: AppConfiguration = AppConfiguration()) {
    do { try self.init(opening: id, configuration: configuration) } catch { Misuse.stop("\(error)") }
  }

  /// Opens the app and the users stored on this device, without using the network.
  ///
  /// - Throws: `Realm.Error` if the storage folder cannot be used or the credentials file is damaged.
  public init(opening id: String, configuration: AppConfiguration) throws {
    settings = configuration.settings
    handle = try AppHandle(opening: id, settings)
    OpenApps.note(self)
  }

  init(_ handle: AppHandle) {
    self.handle = handle
    settings = handle.state.settings
  }

  /// A copy of the configuration with which the app was created.
  public var configuration: AppConfiguration { AppConfiguration(settings) }

  /// Sync errors, logging, and settings of requests and connections.
  public var syncManager: SyncManager { SyncManager(handle) }

  public var appId: String { handle.id }

  /// The user who last logged in or was last switched to on this device, possibly in an earlier process, or, once
  /// that user has logged out, another logged-in user; nil if no user is logged in.
  public var currentUser: User? { handle.currentUser.map { User($0, self) } }

  /// The users stored on this device, by id.
  public var allUsers: [String: User] {
    let users = handle.users.map { User($0, self) }
    return Dictionary(users.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  public var emailPasswordAuth: EmailPasswordAuth { EmailPasswordAuth(app: self) }

  /// Makes a logged-in user the current one. A user who is not logged in stops the program, as an exception does in
  /// the Realm SDK: check `isLoggedIn` first.
  @discardableResult
  public func `switch`(to user: User) -> User {
    handle.switchTo(user.handle)
    return user
  }

  /// Logs in and makes the user the current one.
  ///
  /// - Throws: `AppError`; the current user is then unchanged.
  public func login(credentials: Credentials) async throws -> User {
    try await awaitResult { login(credentials: credentials, $0) }
  }

  /// Logs in and makes the user the current one. `completion` is called on a background thread.
  public func login(
    credentials: Credentials,
    _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
  ) {
    handle.logIn(credentials) { [self] in completion($0.map { User($0, self) }) }
  }
}

// MARK: - The server

extension App {
  /// The URL of the server.
  public var baseURL: String { handle.baseURL }

  /// Moves the app to a server at another URL, until the end of the process; nil is the default of
  /// `AppConfiguration.baseURL`. Open sessions connect to that server, which demands a client reset if it does not have
  /// the history of their files.
  ///
  /// - Throws: `AppError`, or `Realm.Error` for an unusable URL; the app then keeps its server.
  public func updateBaseUrl(to url: String?) async throws {
    try await awaitCompletion(isolation: nil) { startMoving(to: url, $0) }
  }

  /// Moves the app to a server at another URL. `completion` is called on a background thread, with nil or the error.
  public func updateBaseUrl(to url: String?, _ completion: @escaping @Sendable ((any Error)?) -> Void) {
    startOperation(completion) { startMoving(to: url, $0) }
  }

  private func startMoving(to url: String?, _ box: UnsafeMutableRawPointer) {
    handle.startMoving(to: url ?? AppConfiguration.defaultBaseURL, box)
  }

  /// Returns a client that registers this device for the push messages of a service.
  public func pushClient(serviceName: String) -> PushClient { PushClient(serviceName: serviceName) }
}

extension App: Equatable {
  public static func == (left: App, right: App) -> Bool { left.handle.pointer == right.handle.pointer }
}
