// SPDX-License-Identifier: Apache-2.0

import CFlexSync

// Each operation has two forms: one is asynchronous and throws, the other takes a completion, which is called on a
// background thread.

extension User {
  /// The API keys of the user.
  public var apiKeysAuth: APIKeyAuth { APIKeyAuth(user: self) }

  /// Adds an identity to the user, who can log in with it from then on, and makes the user the current one.
  ///
  /// - Throws: `AppError`, including when the identity belongs to another user.
  @discardableResult
  public func linkUser(credentials: Credentials) async throws -> User {
    try await awaitResult { linkUser(credentials: credentials, $0) }
  }

  public func linkUser(
    credentials: Credentials,
    _ completion: @escaping @Sendable (Result<User, any Error>) -> Void
  ) {
    credentials.withFlex {
      flx_user_link(pointer, $0, callUserCompletion, app.box(completion), freeCallbackBox)
    }
  }

  /// Ends the user's sync sessions and discards the tokens. Files are kept, except those of an anonymous user.
  public func logOut() async throws { try await perform(flx_user_log_out) }

  public func logOut(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
    perform(flx_user_log_out, completion)
  }

  /// Logs the user out, removes the user from this device and deletes the user's default realm files. The account on
  /// the server is kept.
  ///
  /// - Throws: `Realm.Error` with code `alreadyOpen` if one of the realms is open.
  public func remove() async throws { try await perform(flx_user_remove) }

  public func remove(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
    perform(flx_user_remove, completion)
  }

  /// Deletes the account on the server, removes the user from this device, and deletes the default realm files as
  /// soon as they are closed.
  public func delete() async throws { try await perform(flx_user_delete) }

  public func delete(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
    perform(flx_user_delete, completion)
  }

  /// A C function that performs an operation of a user.
  typealias Operation = (OpaquePointer, flx_completion_t, UnsafeMutableRawPointer?, flx_free_userdata_t?) ->
    Void

  func perform(_ operation: Operation) async throws {
    try await awaitCompletion(isolation: nil) { operation(pointer, callCompletion, $0, freeCallbackBox) }
  }

  func perform(_ operation: Operation, _ completion: @escaping @Sendable ((any Error)?) -> Void) {
    startOperation(completion) { operation(pointer, callCompletion, $0, freeCallbackBox) }
  }
}
