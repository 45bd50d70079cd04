// SPDX-License-Identifier: Apache-2.0

/// An API key with which a program can log in as the user who created it.
public struct UserAPIKey: Sendable, Hashable {
  public let objectId: ObjectId
  public let name: String
  /// The secret, for `Credentials.userAPIKey`. Only the result of `createAPIKey` has it, so store it.
  public let key: String?
  /// Whether the key is currently disabled.
  public let disabled: Bool
}

/// The API keys of a user.
///
/// Each request has two forms: one is asynchronous and throws `AppError`, the other takes a completion, which is
/// called on a background thread.
public struct APIKeyAuth: Sendable {
  public typealias Completion = @Sendable ((any Error)?) -> Void

  let user: User

  /// Creates a key. The result includes its secret, which the server never reveals again.
  public func createAPIKey(named name: String) async throws -> UserAPIKey {
    try await awaitResult { createAPIKey(named: name, completion: $0) }
  }

  public func createAPIKey(
    named name: String,
    completion: @escaping @Sendable (Result<UserAPIKey, any Error>) -> Void
  ) {
    user.handle.createAPIKey(name) { completion($0.map(\.onlyKey)) }
  }

  /// Fetches one key.
  public func fetchAPIKey(_ objectId: ObjectId) async throws -> UserAPIKey {
    try await awaitResult { fetchAPIKey(objectId, $0) }
  }

  public func fetchAPIKey(
    _ objectId: ObjectId,
    _ completion: @escaping @Sendable (Result<UserAPIKey, any Error>) -> Void
  ) {
    user.handle.fetchAPIKey(objectId) { completion($0.map(\.onlyKey)) }
  }

  /// Fetches all keys of the user.
  public func fetchAPIKeys() async throws -> [UserAPIKey] { try await awaitResult { fetchAPIKeys($0) } }

  public func fetchAPIKeys(_ completion: @escaping @Sendable (Result<[UserAPIKey], any Error>) -> Void) {
    user.handle.fetchAPIKeys(completion)
  }

  /// Allows a key to log in again.
  public func enableAPIKey(_ objectId: ObjectId) async throws {
    try await user.handle.change(objectId, .enable)
  }

  public func enableAPIKey(_ objectId: ObjectId, completion: @escaping Completion) {
    user.handle.change(objectId, .enable, completion)
  }

  /// Prevents a key from logging in until it is enabled again.
  public func disableAPIKey(_ objectId: ObjectId) async throws {
    try await user.handle.change(objectId, .disable)
  }

  public func disableAPIKey(_ objectId: ObjectId, completion: @escaping Completion) {
    user.handle.change(objectId, .disable, completion)
  }

  /// Deletes a key.
  public func deleteAPIKey(_ objectId: ObjectId) async throws {
    try await user.handle.change(objectId, .delete)
  }

  public func deleteAPIKey(_ objectId: ObjectId, completion: @escaping Completion) {
    user.handle.change(objectId, .delete, completion)
  }
}

// The forms whose completion has two parameters, as in Objective-C.
extension APIKeyAuth {
  public func createAPIKey(
    named name: String,
    completion: @escaping @Sendable (UserAPIKey?, (any Error)?) -> Void
  ) {
    createAPIKey(named: name) { (result: Result<UserAPIKey, any Error>) in result.give(to: completion) }
  }

  public func fetchAPIKey(
    _ objectId: ObjectId,
    completion: @escaping @Sendable (UserAPIKey?, (any Error)?) -> Void
  ) {
    fetchAPIKey(objectId) { (result: Result<UserAPIKey, any Error>) in result.give(to: completion) }
  }

  public func fetchAPIKeys(completion: @escaping @Sendable ([UserAPIKey]?, (any Error)?) -> Void) {
    fetchAPIKeys { (result: Result<[UserAPIKey], any Error>) in result.give(to: completion) }
  }
}

extension Result {
  fileprivate func give(to completion: (Success?, (any Error)?) -> Void) {
    switch self {
    case .success(let value): completion(value, nil)
    case .failure(let error): completion(nil, error)
    }
  }
}

extension [UserAPIKey] {
  /// The key that a request for one key returns.
  fileprivate var onlyKey: UserAPIKey {
    guard let first else { fatalError("a request for one API key returned none") }
    return first
  }
}
