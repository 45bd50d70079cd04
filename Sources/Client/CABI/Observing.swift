// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Registers an observer of an object that belongs to a realm, for a C function, and passes the observer's token to C.
///
/// - Parameters:
///   - callback: the function that the observer calls. Neither it nor `token` may be NULL.
///   - userdata: freed when the observer is gone, or now if it cannot be registered.
///   - register: registers the observer and returns its token.
func observing<Object: ConfinedTarget, Token: HandleTarget>(
  _ handle: OpaquePointer,
  as _: Object.Type,
  _ callback: Needed,
  _ userdata: Userdata,
  token: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?,
  function: StaticString = #function,
  register: (Object, Userdata) throws -> Token
) -> flx_status_t {
  let token = (pointer: token, needed: Needed(token, "out_token"))
  return withStatus(error, confined: handle, Object.self, callback, token.needed, function: function) {
    object in
    token.pointer.pointee = Handle.retained(try register(object, userdata))
  }
}
