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
  let sessions = Handle.object(user, as: User.self).sessions
  return sessions.indices.contains(index) ? Handle.retained(sessions[index]) : nil
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
  withStatus(error) {
    try SyncSession.block(session) {
      $0.wait(try SyncSession.Direction(direction), timeout: timeout_ms, completion: $1)
    }
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

@_cdecl("flx_session_observe_errors") @implementation
public func flx_session_observe_errors(
  _ session: OpaquePointer,
  _ callback: flx_sync_error_callback_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  SyncSession.observe(session, callback, userdata, free_userdata, out_token, error) { session, userdata in
    session.observeErrors { [weak session] in
      guard let session else { return }
      $0.report(session, to: callback, userdata)
    }
  }
}

@_cdecl("flx_app_set_error_handler") @implementation
public func flx_app_set_error_handler(
  _ app: OpaquePointer,
  _ callback: flx_sync_error_callback_t?,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  let userdata = Userdata(userdata, free_userdata)
  guard !ForkGuard.isChild else { return }
  let app = Handle.object(app, as: App.self)
  guard let callback else { return app.syncErrors.set(nil) }
  app.syncErrors.set { session, error in error.report(session, to: callback, userdata) }
}

extension SyncError {
  fileprivate func report(
    _ session: SyncSession,
    to callback: flx_sync_error_callback_t,
    _ userdata: Userdata
  ) {
    Handle.lend(session, to: "flx_sync_error_callback_t") { session in
      withCError { error in userdata.lend { callback($0, session, error) } }
    }
  }

  /// Lends the error to C for the duration of `body`.
  func withCError(_ body: (In<flx_sync_error_t>) -> Void) {
    var texts = TextArena()
    let writes = compensatingWrites.map { write in
      var structure = flx_compensating_write_t()
      structure.class_name = texts.copy(write.className)
      structure.primary_key = write.primaryKey.lent(&texts)
      structure.reason = texts.copy(write.reason)
      return structure
    }
    writes.withUnsafeBufferPointer { writes in
      var error = flx_sync_error_t()
      error.status = flx_status_t(status)
      error.protocol_code = protocolCode
      error.is_fatal = isFatal
      error.message = texts.copy(message)
      error.server_log_url = texts.copy(serverLogURL)
      error.compensating_writes = writes.baseAddress
      error.compensating_write_count = writes.count
      error.recovery_path = texts.copy(recoveryPath)
      body(&error)
    }
    texts.removeAll()
  }
}

extension TextArena {
  fileprivate mutating func copy(_ text: String) -> flx_string_t {
    var text = text
    return text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
  }
}
