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
  let completion = Completion(completion, Userdata(userdata, free_userdata))
  if completion.refusesChild() { return }
  let set = Handle.object(set, as: SubscriptionSet.self)
  guard let session = set.coordinator.session else {
    return DetachedThread.run { completion.report(.failure(.sessionInactive)) }
  }
  session.waitForSubscriptionSet(version: set.version, timeout: timeout_ms, completion: completion.report)
}

@_cdecl("flx_subscription_set_wait_blocking") @implementation
public func flx_subscription_set_wait_blocking(_ set: OpaquePointer, _ timeout_ms: UInt64, _ error: ErrorOut)
  -> flx_status_t
{
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

@_cdecl("flx_results_subscribe") @implementation
public func flx_results_subscribe(
  _ results: OpaquePointer,
  _ name: UnsafePointer<flx_string_t>?,
  _ wait: flx_wait_for_sync_t,
  _ timeout_ms: UInt64,
  _ completion: flx_completion_t?,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ error: ErrorOut
) -> flx_status_t {
  let completion = Completion(completion ?? { _, _ in }, Userdata(userdata, free_userdata))
  return Results.call(results, error) { results in
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
        completion: completion.report
      )
    case .FLX_WAIT_ON_CREATION where isCommitted:
      session.waitForSubscriptionSet(version: set.version, timeout: timeout_ms, completion: completion.report)
    default: session.user.app.post { completion.report(.success(())) }
    }
  }
}

private func checked(_ wait: flx_wait_for_sync_t) throws -> flx_wait_for_sync_t {
  switch wait {
  case .FLX_WAIT_ON_CREATION, .FLX_WAIT_ALWAYS, .FLX_WAIT_NEVER: return wait
  default: throw CoreError.invalidArgument("Unknown kind of wait: \(wait.rawValue).")
  }
}

@_cdecl("flx_results_unsubscribe_and_wait") @implementation
public func flx_results_unsubscribe_and_wait(
  _ results: OpaquePointer,
  _ timeout_ms: UInt64,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ error: ErrorOut
) -> flx_status_t {
  let userdata = Userdata(userdata, free_userdata)
  return Results.call(results, error, Needed(callback: completion, "completion")) { results in
    let completion = Completion(completion, userdata)
    _ = try results.realm.requireSubscriptions()
    guard let session = results.realm.coordinator.session else { throw CoreError.sessionInactive }
    guard let set = try results.unsubscribe() else {
      return session.user.app.post { completion.report(.success(())) }
    }
    session.waitForSubscriptionSet(version: set.version, timeout: timeout_ms, completion: completion.report)
  }
}

@_cdecl("flx_results_get_completeness") @implementation
public func flx_results_get_completeness(
  _ results: OpaquePointer,
  _ out_is_complete: Out<Bool>,
  _ out_server_version: Out<UInt64>?,
  _ error: ErrorOut
) -> flx_status_t {
  Results.call(results, writing: out_is_complete, "out_is_complete", error) { results in
    let version = try results.completeVersion()
    out_server_version?.pointee = version ?? 0
    return version != nil
  }
}

extension SubscriptionSet {
  /// - Throws: `CoreError` SESSION_INACTIVE once the realm is closed.
  func requireSession() throws -> SyncSession {
    guard let session = coordinator.session else { throw CoreError.sessionInactive }
    return session
  }
}
