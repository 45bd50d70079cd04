// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A sync session of the C interface.
final class SessionHandle: Sendable {
  nonisolated(unsafe) private let pointer: OpaquePointer

  /// Takes ownership of the caller's reference to `pointer`.
  init(takingOver pointer: OpaquePointer) { self.pointer = pointer }

  deinit { flx_session_release(pointer) }

  var state: SyncSession.State {
    switch flx_session_get_state(pointer) {
    case .FLX_SESSION_ACTIVE: .active
    case .FLX_SESSION_CLOSED: .invalid
    default: .inactive
    }
  }

  var user: User {
    let user = UserHandle(takingOver: flx_session_get_user(pointer))
    return User(user, App(user.app))
  }

  var connectionState: SyncSession.ConnectionState {
    SyncSession.ConnectionState(flx_session_get_connection_state(pointer))
  }

  var isSyncAgent: Bool { flx_session_is_sync_agent(pointer) }

  func suspend() { flx_session_suspend(pointer) }
  func resume() { flx_session_resume(pointer) }
  func reconnect() { flx_session_reconnect(pointer) }

  func performClientReset() throws {
    var isDone = false
    try check { flx_session_perform_client_reset(pointer, &isDone, $0) }
  }

  func startWaiting(for direction: SyncSession.ProgressDirection, _ box: UnsafeMutableRawPointer) {
    flx_session_wait(pointer, direction.flex, 0, callCompletion, box, freeCallbackBox)
  }

  func observeProgress(
    _ direction: SyncSession.ProgressDirection,
    onlyOutstanding: Bool,
    _ block: @escaping @Sendable (SyncSession.Progress) -> Void
  ) -> NotificationToken {
    NotificationToken.make { box, token, error in
      let direction = direction.flex
      return flx_session_observe_progress(
        pointer,
        direction,
        onlyOutstanding,
        callProgress,
        box,
        freeCallbackBox,
        token,
        error
      )
    } callback: { (progress: SyncSession.Progress) in
      block(progress)
    }
  }

  func observeConnection(
    _ block:
      @escaping @Sendable (_ old: SyncSession.ConnectionState, _ new: SyncSession.ConnectionState) -> Void
  ) -> NotificationToken {
    NotificationToken.make { box, token, error in
      flx_session_observe_connection(pointer, callConnectionState, box, freeCallbackBox, token, error)
    } callback: { (old: flx_connection_state_t, new: flx_connection_state_t) in
      block(SyncSession.ConnectionState(old), SyncSession.ConnectionState(new))
    }
  }
}

/// The C callback for a boxed closure that receives progress.
let callProgress: flx_progress_callback_t = { box, progress in
  CallbackBox<(SyncSession.Progress) -> Void>.callback(in: box)(SyncSession.Progress(progress.pointee))
}

extension SyncSession.Progress {
  fileprivate init(_ progress: flx_progress_t) {
    progressEstimate = progress.estimate
    transferredBytes = Int(clamping: progress.transferred_bytes)
    transferrableBytes = Int(clamping: progress.transferrable_bytes)
  }
}

private let callConnectionState: flx_connection_state_callback_t = { box, old, new in
  CallbackBox<(flx_connection_state_t, flx_connection_state_t) -> Void>.callback(in: box)(old, new)
}

extension SyncSession {
  /// Wraps a session that the library lends, retaining it.
  convenience init(sharing session: OpaquePointer) {
    self.init(SessionHandle(takingOver: flx_session_retain(session)))
  }
}

extension SyncSession.ConnectionState {
  fileprivate init(_ state: flx_connection_state_t) {
    switch state {
    case .FLX_CONNECTION_CONNECTED: self = .connected
    case .FLX_CONNECTION_CONNECTING: self = .connecting
    default: self = .disconnected
    }
  }
}

extension SyncSession.ProgressDirection {
  fileprivate var flex: flx_direction_t { self == .upload ? .FLX_DIRECTION_UPLOAD : .FLX_DIRECTION_DOWNLOAD }
}
