// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// An app on a server: its users and their realms. Within a process, the same id and configuration yield the same
/// app.
public final class App: Sendable {
  nonisolated(unsafe) let pointer: OpaquePointer
  public let configuration: AppConfiguration
  /// Sync errors and logging.
  public let syncManager: SyncManager

  /// Opens the app and the users stored on this device, without using the network.
  ///
  /// Unusable settings, such as a storage folder that cannot be written, and a damaged credentials file stop the
  /// program, as exceptions do in the Realm SDK; `App(opening:)` throws instead.
  public convenience init(id: String, configuration: AppConfiguration = AppConfiguration()) {
    do { try self.init(opening: id, configuration: configuration) } catch { preconditionFailure("\(error)") }
  }

  /// Opens the app and the users stored on this device, without using the network.
  ///
  /// - Throws: `Realm.Error` if the storage folder cannot be used or the credentials file is damaged.
  public init(opening id: String, configuration: AppConfiguration) throws {
    let arena = TextArena()
    var config = flx_app_config_t()
    config.struct_size = MemoryLayout<flx_app_config_t>.size
    config.app_id = arena.text(id)
    config.base_url = arena.text(configuration.baseURL)
    config.storage_directory = arena.text(configuration.storageDirectory.path)
    config.trusted_certificates_file = arena.text(configuration.trustedCertificatesFile?.path ?? "")
    config.request_timeout_ms = UInt64(configuration.defaultRequestTimeoutMS ?? 0)
    pointer = try withExtendedLifetime(arena) { try make { flx_app_create(&config, &$0, $1) } }
    self.configuration = configuration
    syncManager = SyncManager(pointer)
  }

  /// Wraps an app passed by the library, retaining it.
  init(sharing pointer: OpaquePointer, configuration: AppConfiguration) {
    self.pointer = flx_app_retain(pointer)
    self.configuration = configuration
    syncManager = SyncManager(pointer)
  }

  deinit { flx_app_release(pointer) }

  public var appId: String { String(flx_app_id(pointer)) }

  /// The user who last logged in or was last switched to on this device, possibly in an earlier process, or, once
  /// that user has logged out, another logged-in user; nil if no user is logged in.
  public var currentUser: User? { flx_app_get_current_user(pointer).map { User(takingOver: $0, self) } }

  /// The users stored on this device, by id.
  public var allUsers: [String: User] {
    let users = (0..<flx_app_user_count(pointer)).compactMap { index in
      flx_app_get_user_at(pointer, index).map { User(takingOver: $0, self) }
    }
    return Dictionary(users.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  public var emailPasswordAuth: EmailPasswordAuth { EmailPasswordAuth(app: self) }

  /// Makes a logged-in user the current one. A user who is not logged in stops the program, as an exception does in
  /// the Realm SDK: check `isLoggedIn` first.
  @discardableResult
  public func `switch`(to user: User) -> User {
    trapOnMisuse { flx_app_switch_user(pointer, user.pointer, $0) }
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
    credentials.withFlex { flx_app_log_in(pointer, $0, callUserCompletion, box(completion), freeCallbackBox) }
  }

  /// Boxes the completion that receives a user, for C.
  func box(_ completion: @escaping @Sendable (Result<User, any Error>) -> Void) -> UnsafeMutableRawPointer {
    CallbackBox<UserCompletion>.retained { [self] user, failure in
      if let user { return completion(.success(User(takingOver: user, self))) }
      guard let failure else { preconditionFailure("a login ended with neither a user nor an error") }
      completion(.failure(failure.publicError))
    }
  }
}

extension App: Equatable {
  public static func == (left: App, right: App) -> Bool { left.pointer == right.pointer }
}

private typealias UserCompletion = @Sendable (OpaquePointer?, StatusError?) -> Void

/// The C callback for a box made by `App.box`.
let callUserCompletion: flx_user_completion_t = { userdata, user, error in
  CallbackBox<UserCompletion>.callback(in: userdata)(user, error.map { StatusError($0.pointee) })
}
