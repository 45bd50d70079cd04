// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The client's side of one connection, with the sessions that share it (protocol §1, §3.7, §11).
///
/// A value that takes events and returns effects, like the `ClientSession`s that it contains.
struct ClientConnection: Sendable {
  /// The state of the connection.
  enum State: Hashable, Sendable {
    /// No session needs a connection.
    case idle
    case connecting
    case connected
    /// The reconnect timer is running.
    case waiting
    /// The access token, and perhaps the location, are being refreshed.
    case refreshing
    /// A fatal error: only the app can restart the connection.
    case stopped
  }

  /// A refresh to perform before connecting.
  enum Refresh: Hashable, Sendable {
    case user
    case location
  }

  var state = State.idle
  var sessions: [SessionIdent: ClientSession] = [:]
  /// The idents in the order in which the sessions were added.
  var order: [SessionIdent] = []
  var removing: Set<SessionIdent> = []
  var isRouteVerified: Bool
  var random: RandomSource
  var backoff = Backoff<ReconnectReason>()
  /// The refresh that must precede the next attempt.
  var pendingRefresh: Refresh?
  /// Whether a refresh has taken place since a connection was last open, so that another one must wait.
  var hasRefreshed = false
  /// Whether the linger timer is running.
  var isLingering = false
  var openedAt: MonotonicTime?
  /// The timestamp of the unanswered PING.
  var outstandingPing: MonotonicTime?
  var roundTripTime: UInt64 = 0
  let limits: MessageLimits
  let timeouts: ConnectionTimeouts
  /// The time of the event that is being handled.
  var now: MonotonicTime = 0
  /// The effects of the event that is being handled, so far.
  var effects: [Effect] = []

  /// - Parameters:
  ///   - seed: seeds the jitter of delays.
  ///   - isRouteVerified: whether the address was obtained from the server rather than guessed.
  init(
    seed: UInt64,
    isRouteVerified: Bool,
    limits: MessageLimits = .standard,
    timeouts: ConnectionTimeouts = ConnectionTimeouts()
  ) {
    random = RandomSource(seed: seed)
    self.isRouteVerified = isRouteVerified
    self.limits = limits
    self.timeouts = timeouts
  }

  /// Whether messages can be exchanged.
  var isConnected: Bool { state == .connected }

  /// Returns the session with an ident, for inspection.
  func session(_ ident: SessionIdent) -> ClientSession? { sessions[ident] }

  /// Handles one event and returns the effects to carry out.
  ///
  /// - Parameter now: the time on the monotonic clock.
  mutating func handle(_ event: Event, now: MonotonicTime) -> [Effect] {
    self.now = now
    defer { effects = [] }
    switch event {
    case .addSession(let configuration, let stored): add(configuration, stored)
    case .removeSession(let ident): remove(ident)
    case .session(let ident, let event): forward(event, to: ident)
    case .opened(let subprotocol): open(subprotocol)
    case .connectFailed(let message):
      fail(.retry(isReported: true), .connectFailed, "Cannot connect: \(message)")
    case .upgradeRefused(let status):
      let failure = ConnectionFailure(status: status, isRouteVerified: isRouteVerified)
      fail(
        failure,
        .status(status),
        "The server answered the upgrade with HTTP status \(status)"
      )
    case .received(let bytes): receive(bytes)
    case .closed(let code, let reason):
      let message =
        "The server closed the connection with code \(code)" + (reason.isEmpty ? "" : ": \(reason)")
      fail(ConnectionFailure(closeCode: code), .closeCode(code), message)
    case .lost(let message): fail(.retry(isReported: false), .lost, message)
    case .refreshed: finishRefresh()
    case .refreshFailed(let isFinal, let message): failRefresh(isFinal: isFinal, message)
    case .timerFired(let timer): fire(timer)
    case .reconnectNow: reconnectNow()
    }
    return effects
  }
}
