// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

@_cdecl("flx_user_id") @implementation
public func flx_user_id(_ user: OpaquePointer) -> flx_string_t {
  Handle.object(user, as: User.self).lentID.string
}

@_cdecl("flx_user_provider") @implementation
public func flx_user_provider(_ user: OpaquePointer) -> flx_string_t {
  LentText.lasting(Handle.object(user, as: User.self).provider)
}

@_cdecl("flx_user_get_state") @implementation
public func flx_user_get_state(_ user: OpaquePointer) -> flx_user_state_t {
  flx_user_state_t(Handle.object(user, as: User.self).state)
}

@_cdecl("flx_user_app") @implementation
public func flx_user_app(_ user: OpaquePointer) -> OpaquePointer {
  let user = Handle.object(user, as: User.self)
  return user.appLoan.content { BorrowedHandle(of: user.app, lender: "flx_user_app") }.handle
}

@_cdecl("flx_user_access_token_copy") @implementation
public func flx_user_access_token_copy(_ user: OpaquePointer) -> UnsafeMutablePointer<CChar>? {
  Handle.object(user, as: User.self).tokens?.access.copiedForC()
}

@_cdecl("flx_user_refresh_token_copy") @implementation
public func flx_user_refresh_token_copy(_ user: OpaquePointer) -> UnsafeMutablePointer<CChar>? {
  Handle.object(user, as: User.self).tokens?.refresh.copiedForC()
}

@_cdecl("flx_user_identities_copy") @implementation
public func flx_user_identities_copy(_ user: OpaquePointer, _ out_count: Out<Int>)
  -> UnsafeMutablePointer<flx_user_identity_t>
{
  Needed.insist(Needed(out_count, "out_count"))
  let identities = Handle.object(user, as: User.self).profile.identities
  out_count.pointee = identities.count
  return OwnedArray.make(identities, texts: { [$0.id, $0.provider] }) { _, texts in
    var structure = flx_user_identity_t()
    structure.id = texts[0]
    structure.provider = texts[1]
    return structure
  }
}

@_cdecl("flx_user_profile_copy") @implementation
public func flx_user_profile_copy(_ user: OpaquePointer) -> UnsafeMutablePointer<CChar>? {
  Handle.object(user, as: User.self).profile.data.serialized.copiedForC()
}

@_cdecl("flx_user_custom_data_copy") @implementation
public func flx_user_custom_data_copy(_ user: OpaquePointer) -> UnsafeMutablePointer<CChar>? {
  Handle.object(user, as: User.self).customData?.serialized.copiedForC()
}

@_cdecl("flx_user_refresh_custom_data") @implementation
public func flx_user_refresh_custom_data(
  _ user: OpaquePointer,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  User.start(user, Completion(completion, Userdata(userdata, free_userdata))) {
    $0.refreshCustomData(completion: $1)
  }
}

@_cdecl("flx_user_refresh_custom_data_blocking") @implementation
public func flx_user_refresh_custom_data_blocking(_ user: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  User.block(user, error) { $0.refreshCustomData(completion: $1) }
}

@_cdecl("flx_user_log_out") @implementation
public func flx_user_log_out(
  _ user: OpaquePointer,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  User.start(user, Completion(completion, Userdata(userdata, free_userdata))) {
    $0.app.logOut($0, completion: $1)
  }
}

@_cdecl("flx_user_log_out_blocking") @implementation
public func flx_user_log_out_blocking(_ user: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  User.block(user, error) { $0.app.logOut($0, completion: $1) }
}

@_cdecl("flx_user_remove") @implementation
public func flx_user_remove(
  _ user: OpaquePointer,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  User.start(user, Completion(completion, Userdata(userdata, free_userdata))) {
    $0.app.remove($0, completion: $1)
  }
}

@_cdecl("flx_user_remove_blocking") @implementation
public func flx_user_remove_blocking(_ user: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  User.block(user, error) { $0.app.remove($0, completion: $1) }
}

@_cdecl("flx_user_delete") @implementation
public func flx_user_delete(
  _ user: OpaquePointer,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  User.start(user, Completion(completion, Userdata(userdata, free_userdata))) {
    $0.app.delete($0, completion: $1)
  }
}

@_cdecl("flx_user_delete_blocking") @implementation
public func flx_user_delete_blocking(_ user: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  User.block(user, error) { $0.app.delete($0, completion: $1) }
}
