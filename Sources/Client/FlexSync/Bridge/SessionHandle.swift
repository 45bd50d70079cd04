// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A sync session of the C interface.
final class SessionHandle: Sendable {
  nonisolated(unsafe) private let pointer: OpaquePointer

  /// Takes ownership of the caller's reference to `pointer`.
  init(takingOver pointer: OpaquePointer) { self.pointer = pointer }

  deinit { flx_session_release(pointer) }

  var isActive: Bool { flx_session_get_state(pointer) == .FLX_SESSION_ACTIVE }

  var connectionState: SyncSession.ConnectionState {
    SyncSession.ConnectionState(flx_session_get_connection_state(pointer))
  }

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
    _ block: @escaping @Sendable (Double) -> Void
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
    } callback: { (estimate: Double) in
      block(estimate)
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

private let callProgress: flx_progress_callback_t = { box, estimate in
  CallbackBox<(Double) -> Void>.callback(in: box)(estimate)
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
