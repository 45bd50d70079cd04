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
  let completion = Completion(completion, userdata, free_userdata)
  if completion.refusesChild() { return }
  let set = Handle.object(set, as: SubscriptionSet.self)
  guard let session = set.coordinator.session else {
    return DetachedThread.run { completion.call(.failure(.sessionInactive)) }
  }
  session.waitForSubscriptionSet(
    version: set.version,
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
    let version = set.version
    let session = try set.requireSession()
    let result = try session.user.app.runtime.blocking {
      session.waitForSubscriptionSet(version: version, timeout: timeout_ms, completion: $0.deliver)
    }
    try set.claim.run { try set.refresh() }
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
  observing(
    set,
    as: SubscriptionSet.self,
    Needed(callback: callback, "callback"),
    Userdata(userdata, free: free_userdata),
    token: out_token,
    error
  ) { set, userdata in
    try set.requireSession().observeSubscriptionState(version: set.version) {
      callback(userdata.pointer, flx_subscription_state_t($0))
    }
  }
}

@_cdecl("flx_results_subscribe") @implementation
public func flx_results_subscribe(
  _ results: OpaquePointer,
  _ name: UnsafePointer<flx_string_t>?,
  _ wait: flx_wait_for_sync_t,
  _ timeout_ms: UInt64,
  _ completion: flx_completion_t?,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  let completion = Completion(completion ?? { _, _ in }, userdata, free_userdata)
  return withStatus(error, confined: results, Results.self) { results in
    let name = try name?.pointee.text("name")
    let wait = try checked(wait)
    let (set, isCommitted) = try results.subscribe(name: name)
    let session = try set.requireSession()
    switch wait {
    case .FLX_WAIT_ALWAYS:
      RealmDownload.wait(
        for: session,
        mode: .always,
        timeout: timeout_ms,
        subject: "update",
        completion: completion.call
      )
    case .FLX_WAIT_ON_CREATION where isCommitted:
      session.waitForSubscriptionSet(
        version: set.version,
        timeout: timeout_ms,
        completion: completion.call
      )
    default: session.user.app.post { completion.call(.success(())) }
    }
  }
}

private func checked(_ wait: flx_wait_for_sync_t) throws -> flx_wait_for_sync_t {
  switch wait {
  case .FLX_WAIT_ON_CREATION, .FLX_WAIT_ALWAYS, .FLX_WAIT_NEVER: return wait
  default: throw CoreError.invalidArgument("Unknown kind of wait: \(wait.rawValue).")
  }
}

@_cdecl("flx_results_unsubscribe") @implementation
public func flx_results_unsubscribe(
  _ results: OpaquePointer,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: results, Results.self) { try $0.unsubscribe() }
}

extension SubscriptionSet {
  /// - Throws: `CoreError` SESSION_INACTIVE once the realm is closed.
  fileprivate func requireSession() throws -> SyncSession {
    guard let session = coordinator.session else { throw CoreError.sessionInactive }
    return session
  }
}
