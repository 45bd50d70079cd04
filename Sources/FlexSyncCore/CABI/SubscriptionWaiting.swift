// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

@_cdecl("flx_subscription_set_wait") @implementation
public func flx_subscription_set_wait(
  _ set: OpaquePointer,
  _ timeout_ms: UInt64,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  let set = Handle.object(set, as: SubscriptionSet.self)
  let completion = Completion(completion, userdata, free_userdata)
  guard let session = set.coordinator.session else {
    return DetachedThread.run { completion.call(.failure(.sessionInactive)) }
  }
  session.waitForSubscriptionSet(
    version: set.stored.version,
    timeout: timeout_ms,
    completion: completion.call
  )
}

@_cdecl("flx_subscription_set_wait_blocking") @implementation
public func flx_subscription_set_wait_blocking(
  _ set: OpaquePointer,
  _ timeout_ms: UInt64,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error) {
    let set = Handle.object(set, as: SubscriptionSet.self)
    let version = set.stored.version
    let session = try set.requireSession()
    let result = try session.user.app.runtime.blocking {
      session.waitForSubscriptionSet(version: version, timeout: timeout_ms, completion: $0.deliver)
    }
    try set.refresh()
    try result.get()
  }
}

@_cdecl("flx_subscription_set_observe") @implementation
public func flx_subscription_set_observe(
  _ set: OpaquePointer,
  _ callback: flx_subscription_state_callback_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  let userdata = Userdata(userdata, free: free_userdata)
  return withStatus(error) {
    let set = Handle.object(set, as: SubscriptionSet.self)
    let token = try set.requireSession().observeSubscriptionState(version: set.stored.version) {
      callback(userdata.pointer, $0.cState)
    }
    out_token.pointee = Handle.retained(token)
  }
}

extension SubscriptionSet {
  /// - Throws: `CoreError` SESSION_INACTIVE once the realm is closed.
  fileprivate func requireSession() throws -> SyncSession {
    guard let session = coordinator.session else { throw CoreError.sessionInactive }
    return session
  }
}
