// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncModel

@_cdecl("flx_realm_get_session") @implementation
public func flx_realm_get_session(_ realm: OpaquePointer) -> OpaquePointer? {
  Handle.object(realm, as: Realm.self).coordinator.session.map(Handle.retained)
}

@_cdecl("flx_session_path") @implementation
public func flx_session_path(_ session: OpaquePointer) -> flx_string_t {
  Handle.object(session, as: SyncSession.self).lentPath.string
}

@_cdecl("flx_session_get_user") @implementation
public func flx_session_get_user(_ session: OpaquePointer) -> OpaquePointer {
  Handle.retained(Handle.object(session, as: SyncSession.self).user)
}

@_cdecl("flx_user_session_count") @implementation
public func flx_user_session_count(_ user: OpaquePointer) -> Int {
  Handle.object(user, as: User.self).sessions.count
}

@_cdecl("flx_user_get_session_at") @implementation
public func flx_user_get_session_at(_ user: OpaquePointer, _ index: Int) -> OpaquePointer? {
  Handle.retained(Handle.object(user, as: User.self).sessions, at: index)
}

@_cdecl("flx_session_get_state") @implementation
public func flx_session_get_state(_ session: OpaquePointer) -> flx_session_state_t {
  flx_session_state_t(Handle.object(session, as: SyncSession.self).state)
}

@_cdecl("flx_session_get_connection_state") @implementation
public func flx_session_get_connection_state(_ session: OpaquePointer) -> flx_connection_state_t {
  flx_connection_state_t(Handle.object(session, as: SyncSession.self).connectionState)
}

@_cdecl("flx_session_is_sync_agent") @implementation
public func flx_session_is_sync_agent(_ session: OpaquePointer) -> Bool {
  Handle.object(session, as: SyncSession.self).isSyncAgent
}

@_cdecl("flx_session_suspend") @implementation
public func flx_session_suspend(_ session: OpaquePointer) {
  if !ForkGuard.isChild { Handle.object(session, as: SyncSession.self).suspend() }
}

@_cdecl("flx_session_resume") @implementation
public func flx_session_resume(_ session: OpaquePointer) {
  if !ForkGuard.isChild { Handle.object(session, as: SyncSession.self).resume() }
}

@_cdecl("flx_session_reconnect") @implementation
public func flx_session_reconnect(_ session: OpaquePointer) {
  if !ForkGuard.isChild { Handle.object(session, as: SyncSession.self).reconnect() }
}

// MARK: - Waiting

@_cdecl("flx_session_wait") @implementation
public func flx_session_wait(
  _ session: OpaquePointer,
  _ direction: flx_direction_t,
  _ timeout_ms: UInt64,
  _ completion: flx_completion_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  SyncSession.start(session, Completion(completion, Userdata(userdata, free_userdata))) {
    $0.wait(try SyncSession.Direction(direction), timeout: timeout_ms, completion: $1)
  }
}

@_cdecl("flx_session_wait_blocking") @implementation
public func flx_session_wait_blocking(
  _ session: OpaquePointer,
  _ direction: flx_direction_t,
  _ timeout_ms: UInt64,
  _ error: ErrorOut
) -> flx_status_t {
  SyncSession.block(session, error) {
    $0.wait(try SyncSession.Direction(direction), timeout: timeout_ms, completion: $1)
  }
}

// MARK: - Errors

@_cdecl("flx_session_perform_client_reset") @implementation
public func flx_session_perform_client_reset(
  _ session: OpaquePointer,
  _ out_done: Out<Bool>,
  _ error: ErrorOut
) -> flx_status_t {
  SyncSession.call(session, writing: out_done, "out_done", error) { try $0.performClientReset() }
}
