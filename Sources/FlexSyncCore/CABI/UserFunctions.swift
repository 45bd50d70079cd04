// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

@_cdecl("flx_user_retain") @implementation
public func flx_user_retain(_ user: OpaquePointer) -> OpaquePointer {
  Handle.retained(Handle.object(user, as: User.self))
}

@_cdecl("flx_user_release") @implementation
public func flx_user_release(_ user: OpaquePointer?) { Handle.release(user, as: User.self) }

@_cdecl("flx_user_id") @implementation
public func flx_user_id(_ user: OpaquePointer) -> flx_string_t {
  Handle.object(user, as: User.self).lentID.string
}

@_cdecl("flx_user_provider") @implementation
public func flx_user_provider(_ user: OpaquePointer) -> flx_string_t {
  Handle.object(user, as: User.self).lentProvider.string
}

@_cdecl("flx_user_get_state") @implementation
public func flx_user_get_state(_ user: OpaquePointer) -> flx_user_state_t {
  Handle.object(user, as: User.self).state
}

@_cdecl("flx_user_app") @implementation
public func flx_user_app(_ user: OpaquePointer) -> OpaquePointer {
  Handle.borrowed(Handle.object(user, as: User.self).app)
}

@_cdecl("flx_user_access_token_copy") @implementation
public func flx_user_access_token_copy(_ user: OpaquePointer) -> UnsafeMutablePointer<CChar>? {
  Handle.object(user, as: User.self).tokens?.access.copiedForC()
}

@_cdecl("flx_user_refresh_token_copy") @implementation
public func flx_user_refresh_token_copy(_ user: OpaquePointer) -> UnsafeMutablePointer<CChar>? {
  Handle.object(user, as: User.self).tokens?.refresh.copiedForC()
}

@_cdecl("flx_user_log_out") @implementation
public func flx_user_log_out(
  _ user: OpaquePointer,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  let user = Handle.object(user, as: User.self)
  user.app.logOut(user, completion: Completion(completion, userdata, free_userdata).call)
}

@_cdecl("flx_user_log_out_blocking") @implementation
public func flx_user_log_out_blocking(
  _ user: OpaquePointer,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error) {
    let user = Handle.object(user, as: User.self)
    try user.app.runtime.blocking { user.app.logOut(user, completion: $0.deliver) }.get()
  }
}

@_cdecl("flx_user_remove") @implementation
public func flx_user_remove(
  _ user: OpaquePointer,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  let user = Handle.object(user, as: User.self)
  user.app.remove(user, completion: Completion(completion, userdata, free_userdata).call)
}
