// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The connection of a realm file to the server, shared by all realms opened on that file.
public final class SyncSession: Sendable {
  let handle: SessionHandle

  init(_ handle: SessionHandle) { self.handle = handle }

  public enum State: Sendable {
    /// Syncing, or trying to.
    case active
    /// Suspended, logged out, or ended by a fatal error.
    case inactive
    /// The realm is closed, and the session never syncs again.
    case invalid
  }

  public enum ConnectionState: Sendable {
    case disconnected
    case connecting
    case connected
  }

  public enum ProgressDirection: Sendable {
    case upload
    case download
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
    /// The number of bytes that were transferred: for downloads, by this session.
    public let transferredBytes: Int
    /// The number of bytes that were and are to be transferred, which is an estimate for downloads.
    public let transferrableBytes: Int

    public var isTransferComplete: Bool { progressEstimate >= 1 }
    /// The same as `progressEstimate`.
    public var fractionTransferred: Double { progressEstimate }
  }

  public var state: State { handle.state }

  /// The user whose data the session syncs; nil if it is invalid.
  public func parentUser() -> User? { state == .invalid ? nil : handle.user }

  /// A configuration for the user whose data the session syncs; nil if the session is invalid. It does not have the
  /// options with which the realm was opened.
  public func configuration() -> SyncConfiguration? { parentUser().map { SyncConfiguration(user: $0) } }

  public var connectionState: ConnectionState { handle.connectionState }

  /// Whether this process is the sync agent of the file: of the processes that have the realm open, the one that connects
  /// to the server. It does that for all of them. If it closes the realm, suspends the session or dies, another process
  /// becomes the sync agent.
  public var isSyncAgent: Bool { handle.isSyncAgent }

  /// Stops syncing in this process until `resume`; local writes are kept. If other processes have the realm open, one of
  /// them syncs it meanwhile.
  public func suspend() { handle.suspend() }

  /// Resumes syncing.
  public func resume() { handle.resume() }

  /// Backs up and deletes the file for a client reset that is left to the app; opening the realm again does the same.
  /// Errors, such as the realm still being open, are passed to the error handler of the manager.
  ///
  /// - Parameters:
  ///   - token: the token from `SyncError.clientResetInfo`.
  ///   - syncManager: the sync manager of the app.
  public static func immediatelyHandleError(_ token: SyncError.ActionToken, syncManager: SyncManager) {
    do { try token.session.handle.performClientReset() } catch {
      syncManager.errorHandler?(error, token.session)
    }
  }

  /// Backs up and deletes the file for a client reset that is left to the app, like the form with a manager. Errors are
  /// passed to the error handler of the app.
  public static func immediatelyHandleError(_ token: SyncError.ActionToken) {
    immediatelyHandleError(token, syncManager: token.session.handle.user.app.syncManager)
  }

  /// Reconnects now instead of waiting for the back-off to end.
  public func reconnect() { handle.reconnect() }

  /// Waits until everything committed so far is on the server, or until everything that the server has now is on the
  /// device.
  public func wait(for direction: ProgressDirection) async throws {
    try await awaitCompletion(isolation: nil) { handle.startWaiting(for: direction, $0) }
  }

  /// Waits in the background.
  ///
  /// - Parameter queue: the queue on which `block` is called; nil for a background thread.
  public func wait(
    for direction: ProgressDirection,
    queue: DispatchQueue? = nil,
    block: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let completion: @Sendable ((any Error)?) -> Void = { error in
      guard let queue else { return block(error) }
      queue.async { block(error) }
    }
    startOperation(completion) { handle.startWaiting(for: direction, $0) }
  }

  /// Observes the progress of transfers until the token is invalidated or released; `block` is called on a background
  /// thread.
  public func addProgressNotification(
    for direction: ProgressDirection,
    mode: ProgressMode,
    block: @escaping @Sendable (Progress) -> Void
  ) -> NotificationToken? {
    handle.observeProgress(direction, onlyOutstanding: mode == .forCurrentlyOutstandingWork, block)
  }

  /// Observes the connection state until the token is invalidated or released; `block` is called on a background
  /// thread.
  public func observeConnectionState(
    _ block: @escaping @Sendable (_ old: ConnectionState, _ new: ConnectionState) -> Void
  ) -> NotificationToken {
    handle.observeConnection(block)
  }
}

extension SyncSession {
  /// The name in the Realm Swift SDK.
  public typealias ProgressNotificationToken = NotificationToken
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

extension Realm {
  /// The sync session of the realm; nil for a local realm.
  public var syncSession: SyncSession? { handle.session }
}
