// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// The connection of a realm file to the server, shared by all realms opened on that file.
public final class SyncSession: Sendable {
  nonisolated(unsafe) private let pointer: OpaquePointer

  /// Takes ownership of the caller's reference to `pointer`.
  init(takingOver pointer: OpaquePointer) { self.pointer = pointer }

  deinit { flx_session_release(pointer) }

  public enum State: Sendable {
    /// Syncing, or trying to.
    case active
    /// Suspended, logged out, or ended by a fatal error.
    case inactive
  }

  public enum ConnectionState: Sendable {
    case disconnected
    case connecting
    case connected

    init(_ state: flx_connection_state_t) {
      switch state {
      case .FLX_CONNECTION_CONNECTED: self = .connected
      case .FLX_CONNECTION_CONNECTING: self = .connecting
      default: self = .disconnected
      }
    }
  }

  public enum ProgressDirection: Sendable {
    case upload
    case download

    var flexDirection: flx_direction_t { self == .upload ? .FLX_DIRECTION_UPLOAD : .FLX_DIRECTION_DOWNLOAD }
  }

  public enum ProgressMode: Sendable {
    /// Continue with later transfers.
    case reportIndefinitely
    /// End when the current transfer is done.
    case forCurrentlyOutstandingWork
  }

  /// The progress of a transfer.
  public struct Progress: Sendable {
    /// From 0 to 1.
    public let progressEstimate: Double
    public var isTransferComplete: Bool { progressEstimate >= 1 }
  }

  public var state: State { flx_session_get_state(pointer) == .FLX_SESSION_ACTIVE ? .active : .inactive }

  public var connectionState: ConnectionState { ConnectionState(flx_session_get_connection_state(pointer)) }

  /// Stops syncing until `resume`; local writes are kept.
  public func suspend() { flx_session_suspend(pointer) }

  /// Resumes syncing.
  public func resume() { flx_session_resume(pointer) }

  /// Backs up and deletes the file for a client reset that is left to the app; opening the realm again does the same.
  /// Errors, such as the realm still being open, are passed to the error handler of the manager.
  ///
  /// - Parameters:
  ///   - token: the token from `SyncError.clientResetInfo`.
  ///   - syncManager: the sync manager of the app.
  public static func immediatelyHandleError(_ token: SyncError.ActionToken, syncManager: SyncManager) {
    var isDone = false
    do {
      try check { flx_session_perform_client_reset(token.session.pointer, &isDone, $0) }
    } catch {
      syncManager.errorHandler?(error, token.session)
    }
  }

  /// Reconnects now instead of waiting for the back-off to end.
  public func reconnect() { flx_session_reconnect(pointer) }

  /// Waits until everything committed so far is on the server, or until everything that the server has now is on the
  /// device.
  public func wait(for direction: ProgressDirection) async throws {
    try await awaitCompletion(isolation: nil) {
      flx_session_wait(pointer, direction.flexDirection, 0, callCompletion, $0, freeCallbackBox)
    }
  }

  /// Waits in the background; `block` is called on a background thread.
  public func wait(for direction: ProgressDirection, block: @escaping @Sendable ((any Error)?) -> Void) {
    startOperation(block) {
      flx_session_wait(pointer, direction.flexDirection, 0, callCompletion, $0, freeCallbackBox)
    }
  }

  /// Observes the progress of transfers until the token is invalidated or released; `block` is called on a background
  /// thread.
  public func addProgressNotification(
    for direction: ProgressDirection,
    mode: ProgressMode,
    block: @escaping @Sendable (Progress) -> Void
  ) -> NotificationToken? {
    NotificationToken.make { box, token, error in
      flx_session_observe_progress(
        pointer,
        direction.flexDirection,
        mode == .forCurrentlyOutstandingWork,
        { callProgress($0, $1) },
        box,
        freeCallbackBox,
        token,
        error
      )
    } callback: { (estimate: Double) in
      block(Progress(progressEstimate: estimate))
    }
  }

  /// Observes the connection state until the token is invalidated or released; `block` is called on a background
  /// thread.
  public func observeConnectionState(
    _ block: @escaping @Sendable (_ old: ConnectionState, _ new: ConnectionState) -> Void
  ) -> NotificationToken {
    NotificationToken.make { box, token, error in
      flx_session_observe_connection(
        pointer,
        { callConnectionState($0, $1, $2) },
        box,
        freeCallbackBox,
        token,
        error
      )
    } callback: { (old: flx_connection_state_t, new: flx_connection_state_t) in
      block(ConnectionState(old), ConnectionState(new))
    }
  }
}

/// The old and the new connection state of a session.
public struct ConnectionStateChange: Sendable {
  public let oldValue: SyncSession.ConnectionState?
  public let newValue: SyncSession.ConnectionState?
}

/// Options for observing a property of a session.
public struct SessionObservingOptions: OptionSet, Sendable {
  public let rawValue: Int
  /// Calls the handler once immediately, with the current value.
  public static let initial = SessionObservingOptions(rawValue: 1)
  /// The values are always part of the change; this is for source compatibility.
  public static let new = SessionObservingOptions(rawValue: 2)
  /// The values are always part of the change; this is for source compatibility.
  public static let old = SessionObservingOptions(rawValue: 4)

  public init(rawValue: Int) { self.rawValue = rawValue }
}

extension SyncSession {
  /// Observes `\.connectionState` until the token is invalidated or released. `changeHandler` is called on a
  /// background thread, except for the initial call.
  public func observe(
    _ keyPath: KeyPath<SyncSession, ConnectionState>,
    options: SessionObservingOptions = [],
    changeHandler: @escaping @Sendable (SyncSession, ConnectionStateChange) -> Void
  ) -> NotificationToken {
    if options.contains(.initial) {
      changeHandler(self, ConnectionStateChange(oldValue: nil, newValue: connectionState))
    }
    return observeConnectionState { [self] old, new in
      changeHandler(self, ConnectionStateChange(oldValue: old, newValue: new))
    }
  }
}

private func callProgress(_ userdata: UnsafeMutableRawPointer?, _ estimate: Double) {
  CallbackBox<(Double) -> Void>.callback(in: userdata)(estimate)
}

private func callConnectionState(
  _ userdata: UnsafeMutableRawPointer?,
  _ old: flx_connection_state_t,
  _ new: flx_connection_state_t
) {
  CallbackBox<(flx_connection_state_t, flx_connection_state_t) -> Void>.callback(in: userdata)(old, new)
}

extension Realm {
  /// The sync session of the realm; nil for a local realm.
  public var syncSession: SyncSession? {
    flx_realm_get_session(handle.pointer).map(SyncSession.init(takingOver:))
  }
}
