// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// An API key with which a program can log in as the user who created it.
public struct UserAPIKey: Sendable, Hashable {
  public let objectId: ObjectId
  public let name: String
  /// The secret, for `Credentials.userAPIKey`. Only the result of `createAPIKey` has it, so store it.
  public let key: String?
  /// Whether the key is currently disabled.
  public let disabled: Bool

  init(_ key: flx_api_key_t) {
    let secret = String(key.key)
    objectId = ObjectId(key.id)
    name = String(key.name)
    self.key = secret.isEmpty ? nil : secret
    disabled = key.is_disabled
  }
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
    name.withFlexString { name in
      flx_user_create_api_key(user.pointer, name, callKeys, oneKey(completion), freeCallbackBox)
    }
  }

  /// Fetches one key.
  public func fetchAPIKey(_ objectId: ObjectId) async throws -> UserAPIKey {
    try await awaitResult { fetchAPIKey(objectId, $0) }
  }

  public func fetchAPIKey(
    _ objectId: ObjectId,
    _ completion: @escaping @Sendable (Result<UserAPIKey, any Error>) -> Void
  ) {
    withUnsafePointer(to: objectId.flexValue) { id in
      flx_user_fetch_api_key(user.pointer, id, callKeys, oneKey(completion), freeCallbackBox)
    }
  }

  /// Fetches all keys of the user.
  public func fetchAPIKeys() async throws -> [UserAPIKey] { try await awaitResult { fetchAPIKeys($0) } }

  public func fetchAPIKeys(_ completion: @escaping @Sendable (Result<[UserAPIKey], any Error>) -> Void) {
    flx_user_fetch_api_keys(user.pointer, callKeys, keys(completion), freeCallbackBox)
  }

  /// Allows a key to log in again.
  public func enableAPIKey(_ objectId: ObjectId) async throws { try await change(objectId, enable) }

  public func enableAPIKey(_ objectId: ObjectId, completion: @escaping Completion) {
    change(objectId, enable, completion)
  }

  /// Prevents a key from logging in until it is enabled again.
  public func disableAPIKey(_ objectId: ObjectId) async throws { try await change(objectId, disable) }

  public func disableAPIKey(_ objectId: ObjectId, completion: @escaping Completion) {
    change(objectId, disable, completion)
  }

  /// Deletes a key.
  public func deleteAPIKey(_ objectId: ObjectId) async throws { try await change(objectId, delete) }

  public func deleteAPIKey(_ objectId: ObjectId, completion: @escaping Completion) {
    change(objectId, delete, completion)
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

// MARK: - Requests

extension APIKeyAuth {
  /// A function of the C interface that changes one key.
  private typealias Change = (OpaquePointer, UnsafePointer<flx_object_id_t>, UnsafeMutableRawPointer) -> Void

  private var enable: Change {
    { flx_user_enable_api_key($0, $1, callCompletion, $2, freeCallbackBox) }
  }

  private var disable: Change {
    { flx_user_disable_api_key($0, $1, callCompletion, $2, freeCallbackBox) }
  }

  private var delete: Change {
    { flx_user_delete_api_key($0, $1, callCompletion, $2, freeCallbackBox) }
  }

  private func change(_ objectId: ObjectId, _ change: Change, _ completion: @escaping Completion) {
    withUnsafePointer(to: objectId.flexValue) { id in
      startOperation(completion) { change(user.pointer, id, $0) }
    }
  }

  private func change(_ objectId: ObjectId, _ change: Change) async throws {
    let id = objectId.flexValue
    try await awaitCompletion(isolation: nil) { userdata in
      withUnsafePointer(to: id) { change(user.pointer, $0, userdata) }
    }
  }

  private func keys(
    _ completion: @escaping @Sendable (Result<[UserAPIKey], any Error>) -> Void
  ) -> UnsafeMutableRawPointer {
    CallbackBox<KeysCompletion>.retained(completion)
  }

  private func oneKey(
    _ completion: @escaping @Sendable (Result<UserAPIKey, any Error>) -> Void
  ) -> UnsafeMutableRawPointer {
    keys { result in
      completion(
        result.map { keys in
          guard let key = keys.first else { preconditionFailure("a request for one API key returned none") }
          return key
        }
      )
    }
  }
}

private typealias KeysCompletion = @Sendable (Result<[UserAPIKey], any Error>) -> Void

private let callKeys: flx_api_keys_completion_t = { userdata, keys, count, error in
  let keys = UnsafeBufferPointer(start: keys, count: count).map(UserAPIKey.init)
  let result: Result<[UserAPIKey], any Error> =
    error.map { .failure(StatusError($0.pointee).publicError) } ?? .success(keys)
  CallbackBox<KeysCompletion>.callback(in: userdata)(result)
}
