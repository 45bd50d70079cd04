// SPDX-License-Identifier: Apache-2.0

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
    handle.link(credentials) { [app] in completion($0.map { User($0, app) }) }
  }

  /// Ends the user's sync sessions and discards the tokens. Files are kept, except those of an anonymous user. If it is
  /// the server that ends a login, all files are kept: see `SyncError.fileURL`.
  public func logOut() async throws { try await handle.perform(.logOut) }

  public func logOut(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
    handle.perform(.logOut, completion)
  }

  /// Logs the user out, removes the user from this device and deletes the user's default realm files. The account on
  /// the server is kept.
  ///
  /// - Throws: `Realm.Error` with code `alreadyOpen` if one of the realms is open.
  public func remove() async throws { try await handle.perform(.remove) }

  public func remove(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
    handle.perform(.remove, completion)
  }

  /// Deletes the account on the server, removes the user from this device, and deletes the default realm files as
  /// soon as they are closed.
  public func delete() async throws { try await handle.perform(.delete) }

  public func delete(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
    handle.perform(.delete, completion)
  }
}
