// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncModel

/// Starts a request whose answer describes keys.
private func start(
  _ user: OpaquePointer,
  _ completion: flx_api_keys_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free: flx_free_userdata_t?,
  function: StaticString = #function,
  _ request: () throws -> APIKeyRequest
) {
  Needed.insist(Needed(callback: completion, "completion"), function: function)
  let userdata = Userdata(userdata, free: free)
  let deliver: @Sendable (Result<[APIKey], CoreError>) -> Void = { result in
    switch result {
    case .success(let keys):
      let array = APIKey.array(keys)
      completion(userdata.pointer, array, keys.count, nil)
      flx_free(array)
    case .failure(let error): error.withCError { completion(userdata.pointer, nil, 0, $0) }
    }
  }
  if ForkGuard.refuses({ deliver(.failure($0)) }) { return }
  let user = Handle.object(user, as: User.self, function: function)
  switch CoreError.catching(request) {
  case .success(let request): user.app.perform(request, of: user, completion: deliver)
  case .failure(let error): user.app.post { deliver(.failure(error)) }
  }
}

/// Performs a request whose answer describes keys, and waits for it.
private func block(
  _ user: OpaquePointer,
  _ request: APIKeyRequest,
  function: StaticString = #function
) throws -> [APIKey] {
  let user = Handle.object(user, as: User.self, function: function)
  return try user.app.runtime.blocking { user.app.perform(request, of: user, completion: $0.deliver) }.get()
}

/// Starts a request whose answer is empty.
private func start(
  _ user: OpaquePointer,
  _ request: APIKeyRequest,
  _ completion: Completion,
  function: StaticString = #function
) {
  if completion.refusesChild() { return }
  let user = Handle.object(user, as: User.self, function: function)
  completion.start(on: user.app) {
    user.app.perform(request, of: user) { completion.call($0.map { _ in () }) }
  }
}

extension APIKey {
  /// Copies keys for C.
  fileprivate static func array(_ keys: [APIKey]) -> UnsafeMutablePointer<flx_api_key_t> {
    OwnedArray.make(keys, texts: { [$0.name, $0.key ?? ""] }) { key, texts in
      flx_api_key_t(id: flx_object_id_t(key.id), name: texts[0], key: texts[1], is_disabled: key.isDisabled)
    }
  }
}

@_cdecl("flx_user_create_api_key") @implementation
public func flx_user_create_api_key(
  _ user: OpaquePointer,
  _ name: flx_string_t,
  _ completion: flx_api_keys_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  start(user, completion, userdata, free_userdata) { .create(name: try name.text("name")) }
}

@_cdecl("flx_user_create_api_key_blocking") @implementation
public func flx_user_create_api_key_blocking(
  _ user: OpaquePointer,
  _ name: flx_string_t,
  _ out_key: UnsafeMutablePointer<UnsafeMutablePointer<flx_api_key_t>?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, Needed(out_key, "out_key")) {
    out_key.pointee = APIKey.array(try block(user, .create(name: try name.text("name"))))
  }
}

@_cdecl("flx_user_fetch_api_key") @implementation
public func flx_user_fetch_api_key(
  _ user: OpaquePointer,
  _ id: UnsafePointer<flx_object_id_t>,
  _ completion: flx_api_keys_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  Needed.insist(Needed(id, "id"))
  let id = id.pointee.model
  start(user, completion, userdata, free_userdata) { .fetch(id) }
}

@_cdecl("flx_user_fetch_api_key_blocking") @implementation
public func flx_user_fetch_api_key_blocking(
  _ user: OpaquePointer,
  _ id: UnsafePointer<flx_object_id_t>,
  _ out_key: UnsafeMutablePointer<UnsafeMutablePointer<flx_api_key_t>?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, Needed(id, "id"), Needed(out_key, "out_key")) {
    out_key.pointee = APIKey.array(try block(user, .fetch(id.pointee.model)))
  }
}

@_cdecl("flx_user_fetch_api_keys") @implementation
public func flx_user_fetch_api_keys(
  _ user: OpaquePointer,
  _ completion: flx_api_keys_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  start(user, completion, userdata, free_userdata) { .fetchAll }
}

@_cdecl("flx_user_fetch_api_keys_blocking") @implementation
public func flx_user_fetch_api_keys_blocking(
  _ user: OpaquePointer,
  _ out_keys: UnsafeMutablePointer<UnsafeMutablePointer<flx_api_key_t>?>,
  _ out_count: UnsafeMutablePointer<Int>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, Needed(out_keys, "out_keys"), Needed(out_count, "out_count")) {
    let keys = try block(user, .fetchAll)
    out_keys.pointee = APIKey.array(keys)
    out_count.pointee = keys.count
  }
}

@_cdecl("flx_user_enable_api_key") @implementation
public func flx_user_enable_api_key(
  _ user: OpaquePointer,
  _ id: UnsafePointer<flx_object_id_t>,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  Needed.insist(Needed(id, "id"))
  start(user, .enable(id.pointee.model), Completion(completion, userdata, free_userdata))
}

@_cdecl("flx_user_enable_api_key_blocking") @implementation
public func flx_user_enable_api_key_blocking(
  _ user: OpaquePointer,
  _ id: UnsafePointer<flx_object_id_t>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, Needed(id, "id")) { _ = try block(user, .enable(id.pointee.model)) }
}

@_cdecl("flx_user_disable_api_key") @implementation
public func flx_user_disable_api_key(
  _ user: OpaquePointer,
  _ id: UnsafePointer<flx_object_id_t>,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  Needed.insist(Needed(id, "id"))
  start(user, .disable(id.pointee.model), Completion(completion, userdata, free_userdata))
}

@_cdecl("flx_user_disable_api_key_blocking") @implementation
public func flx_user_disable_api_key_blocking(
  _ user: OpaquePointer,
  _ id: UnsafePointer<flx_object_id_t>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, Needed(id, "id")) { _ = try block(user, .disable(id.pointee.model)) }
}

@_cdecl("flx_user_delete_api_key") @implementation
public func flx_user_delete_api_key(
  _ user: OpaquePointer,
  _ id: UnsafePointer<flx_object_id_t>,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  Needed.insist(Needed(id, "id"))
  start(user, .delete(id.pointee.model), Completion(completion, userdata, free_userdata))
}

@_cdecl("flx_user_delete_api_key_blocking") @implementation
public func flx_user_delete_api_key_blocking(
  _ user: OpaquePointer,
  _ id: UnsafePointer<flx_object_id_t>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, Needed(id, "id")) { _ = try block(user, .delete(id.pointee.model)) }
}
