// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncModel

/// Starts a request whose answer describes keys.
private func start(
  _ user: OpaquePointer,
  _ completion: Completion<[APIKey]>,
  function: StaticString = #function,
  _ request: () throws -> APIKeyRequest
) {
  User.start(user, completion, function: function) { $0.app.perform(try request(), of: $0, completion: $1) }
}

/// Starts a request about the key with an id.
///
/// - Parameter value: what the completion gets for the keys in the answer.
private func start<Value>(
  _ user: OpaquePointer,
  _ id: In<flx_object_id_t>,
  _ completion: Completion<Value>,
  function: StaticString = #function,
  _ request: (ObjectId) -> APIKeyRequest,
  value: @escaping @Sendable ([APIKey]) -> Value
) {
  Needed.insist(Needed(id, "id"), function: function)
  User.start(user, completion, function: function) { user, report in
    user.app.perform(request(id.pointee.model), of: user) { report($0.map(value)) }
  }
}

/// Starts a request about the key with an id, whose answer is empty.
private func start(
  _ user: OpaquePointer,
  _ id: In<flx_object_id_t>,
  _ completion: Completion<Void>,
  function: StaticString = #function,
  _ request: (ObjectId) -> APIKeyRequest
) {
  start(user, id, completion, function: function, request) { _ in }
}

/// Performs a request and waits for its answer.
private func block(_ user: OpaquePointer, _ request: APIKeyRequest, function: StaticString = #function) throws
  -> [APIKey]
{
  try User.block(user, function: function) { $0.app.perform(request, of: $0, completion: $1) }
}

/// Performs a request about the key with an id, and waits for its answer.
///
/// - Parameters:
///   - needed: another argument that must not be NULL.
///   - receive: receives the keys in the answer.
private func block(
  _ user: OpaquePointer,
  _ id: In<flx_object_id_t>,
  _ error: ErrorOut,
  _ needed: Needed? = nil,
  function: StaticString = #function,
  _ request: (ObjectId) -> APIKeyRequest,
  receive: ([APIKey]) -> Void = { _ in }
) -> flx_status_t {
  withStatus(error, Needed(id, "id"), needed, function: function) {
    receive(try block(user, request(id.pointee.model), function: function))
  }
}

extension APIKey {
  /// Copies keys for C.
  static func array(_ keys: [APIKey]) -> UnsafeMutablePointer<flx_api_key_t> {
    OwnedArray.make(keys, texts: { [$0.name, $0.key ?? ""] }) { key, texts in
      var structure = flx_api_key_t()
      structure.id = flx_object_id_t(key.id)
      structure.name = texts[0]
      structure.key = texts[1]
      structure.is_disabled = key.isDisabled
      return structure
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
  start(user, Completion(completion, Userdata(userdata, free_userdata))) {
    .create(name: try name.text("name"))
  }
}

@_cdecl("flx_user_create_api_key_blocking") @implementation
public func flx_user_create_api_key_blocking(
  _ user: OpaquePointer,
  _ name: flx_string_t,
  _ out_key: Out<UnsafeMutablePointer<flx_api_key_t>?>,
  _ error: ErrorOut
) -> flx_status_t {
  withStatus(error, Needed(out_key, "out_key")) {
    out_key.pointee = APIKey.array(try block(user, .create(name: try name.text("name"))))
  }
}

@_cdecl("flx_user_fetch_api_key") @implementation
public func flx_user_fetch_api_key(
  _ user: OpaquePointer,
  _ id: In<flx_object_id_t>,
  _ completion: flx_api_keys_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  start(user, id, Completion(completion, Userdata(userdata, free_userdata)), { .fetch($0) }, value: { $0 })
}

@_cdecl("flx_user_fetch_api_key_blocking") @implementation
public func flx_user_fetch_api_key_blocking(
  _ user: OpaquePointer,
  _ id: In<flx_object_id_t>,
  _ out_key: Out<UnsafeMutablePointer<flx_api_key_t>?>,
  _ error: ErrorOut
) -> flx_status_t {
  block(user, id, error, Needed(out_key, "out_key")) {
    .fetch($0)
  } receive: {
    out_key.pointee = APIKey.array($0)
  }
}

@_cdecl("flx_user_fetch_api_keys") @implementation
public func flx_user_fetch_api_keys(
  _ user: OpaquePointer,
  _ completion: flx_api_keys_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  start(user, Completion(completion, Userdata(userdata, free_userdata))) { .fetchAll }
}

@_cdecl("flx_user_fetch_api_keys_blocking") @implementation
public func flx_user_fetch_api_keys_blocking(
  _ user: OpaquePointer,
  _ out_keys: Out<UnsafeMutablePointer<flx_api_key_t>?>,
  _ out_count: Out<Int>,
  _ error: ErrorOut
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
  _ id: In<flx_object_id_t>,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  start(user, id, Completion(completion, Userdata(userdata, free_userdata))) { .enable($0) }
}

@_cdecl("flx_user_enable_api_key_blocking") @implementation
public func flx_user_enable_api_key_blocking(
  _ user: OpaquePointer,
  _ id: In<flx_object_id_t>,
  _ error: ErrorOut
) -> flx_status_t {
  block(user, id, error) { .enable($0) }
}

@_cdecl("flx_user_disable_api_key") @implementation
public func flx_user_disable_api_key(
  _ user: OpaquePointer,
  _ id: In<flx_object_id_t>,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  start(user, id, Completion(completion, Userdata(userdata, free_userdata))) { .disable($0) }
}

@_cdecl("flx_user_disable_api_key_blocking") @implementation
public func flx_user_disable_api_key_blocking(
  _ user: OpaquePointer,
  _ id: In<flx_object_id_t>,
  _ error: ErrorOut
) -> flx_status_t {
  block(user, id, error) { .disable($0) }
}

@_cdecl("flx_user_delete_api_key") @implementation
public func flx_user_delete_api_key(
  _ user: OpaquePointer,
  _ id: In<flx_object_id_t>,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  start(user, id, Completion(completion, Userdata(userdata, free_userdata))) { .delete($0) }
}

@_cdecl("flx_user_delete_api_key_blocking") @implementation
public func flx_user_delete_api_key_blocking(
  _ user: OpaquePointer,
  _ id: In<flx_object_id_t>,
  _ error: ErrorOut
) -> flx_status_t {
  block(user, id, error) { .delete($0) }
}
