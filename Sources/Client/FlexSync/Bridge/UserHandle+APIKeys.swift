// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension UserHandle {
  typealias KeysCompletion = @Sendable (Result<[UserAPIKey], any Error>) -> Void

  func createAPIKey(_ name: String, _ completion: @escaping KeysCompletion) {
    let box = CallbackBox<KeysCompletion>.retained(completion)
    name.withFlexString { flx_user_create_api_key(pointer, $0, callKeys, box, freeCallbackBox) }
  }

  func fetchAPIKey(_ id: ObjectId, _ completion: @escaping KeysCompletion) {
    let box = CallbackBox<KeysCompletion>.retained(completion)
    withUnsafePointer(to: id.flexValue) {
      flx_user_fetch_api_key(pointer, $0, callKeys, box, freeCallbackBox)
    }
  }

  func fetchAPIKeys(_ completion: @escaping KeysCompletion) {
    let box = CallbackBox<KeysCompletion>.retained(completion)
    flx_user_fetch_api_keys(pointer, callKeys, box, freeCallbackBox)
  }

  // MARK: Changing a key

  enum KeyChange {
    case enable
    case disable
    case delete
  }

  func change(_ id: ObjectId, _ change: KeyChange) async throws {
    try await awaitCompletion(isolation: nil) { start(change, id, $0) }
  }

  func change(_ id: ObjectId, _ change: KeyChange, _ completion: @escaping @Sendable ((any Error)?) -> Void) {
    startOperation(completion) { start(change, id, $0) }
  }

  private func start(_ change: KeyChange, _ id: ObjectId, _ box: UnsafeMutableRawPointer) {
    withUnsafePointer(to: id.flexValue) { id in
      switch change {
      case .enable: flx_user_enable_api_key(pointer, id, callCompletion, box, freeCallbackBox)
      case .disable: flx_user_disable_api_key(pointer, id, callCompletion, box, freeCallbackBox)
      case .delete: flx_user_delete_api_key(pointer, id, callCompletion, box, freeCallbackBox)
      }
    }
  }
}

private let callKeys: flx_api_keys_completion_t = { userdata, keys, count, error in
  let keys = UnsafeBufferPointer(start: keys, count: count).map(UserAPIKey.init)
  let result: Result<[UserAPIKey], any Error> =
    error.map { .failure(StatusError($0.pointee).publicError) } ?? .success(keys)
  CallbackBox<UserHandle.KeysCompletion>.callback(in: userdata)(result)
}

extension UserAPIKey {
  fileprivate init(_ key: flx_api_key_t) {
    let secret = String(key.key)
    objectId = ObjectId(key.id)
    name = String(key.name)
    self.key = secret.isEmpty ? nil : secret
    disabled = key.is_disabled
  }
}
