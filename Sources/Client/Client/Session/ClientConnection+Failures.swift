// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncWire

/// Losing and regaining the connection.
extension ClientConnection {
  /// The time after which a connection ends a series of failures.
  private static let stableMilliseconds: MonotonicTime = 60_000

  mutating func connect() {
    state = .connecting
    effects.append(.startTimer(.connect, milliseconds: timeouts.connect))
    effects.append(.connect)
  }

  /// Handles the end of a connection or of a connection attempt.
  mutating func fail(_ failure: ConnectionFailure, _ reason: ReconnectReason, _ message: String) {
    guard state == .connected || state == .connecting else { return }
    let report = SyncErrorReport(
      origin: .connection,
      code: .connectionClosed,
      message: message,
      isFatal: false
    )
    switch failure {
    case .retry(let isReported):
      drop()
      if isReported { reportToAll(report) }
      wait(reason)
    case .refreshUser: startOver(with: .user, message)
    case .refreshLocation: startOver(with: .location, message)
    case .logOutUser:
      effects.append(.logOutUser)
      stop(report.fatal)
    case .resetClient:
      let demand = ClientResetDemand(code: .limitsExceeded, message: message, isRecoveryAllowed: true)
      drop()
      broadcast(.clientResetDemanded(demand))
      wait(reason)
    case .fatal: stop(report.fatal)
    }
  }

  /// Drops the connection; the sessions keep the state that they need for the next one.
  mutating func drop() {
    let timers: [Timer] = state == .connected ? [.ping, .pong, .linger] : [.connect]
    effects += timers.map { .cancelTimer($0) }
    effects.append(.disconnect)
    if let openedAt, now >= openedAt + Self.stableMilliseconds { backoff.reset() }
    openedAt = nil
    outstandingPing = nil
    isLingering = false
    state = .idle
    broadcast(.disconnected(now))
  }

  /// Drops the connection without reconnecting, and notifies all sessions (protocol §3.3).
  mutating func stop(_ report: SyncErrorReport) {
    guard state != .stopped else { return }
    if state == .connected || state == .connecting { drop() }
    if state == .waiting { effects.append(.cancelTimer(.reconnect)) }
    state = .stopped
    broadcast(.connectionFailed(report))
  }

  /// Drops the connection, refreshes and reconnects: immediately, unless a refresh has just been tried.
  mutating func startOver(with refresh: Refresh, _ message: String) {
    guard state == .connected || state == .connecting else { return }
    drop()
    pendingRefresh = refresh
    if hasRefreshed { wait(.refresh) } else { startRefresh() }
  }

  private mutating func startRefresh() {
    guard let refresh = pendingRefresh else { return connect() }
    state = .refreshing
    hasRefreshed = true
    effects.append(refresh == .user ? .refreshUser : .refreshLocation)
  }

  mutating func finishRefresh() {
    guard state == .refreshing else { return }
    if pendingRefresh == .location { isRouteVerified = true }
    pendingRefresh = nil
    state = .idle
    settle()
  }

  mutating func failRefresh(isFinal: Bool, _ message: String) {
    guard state == .refreshing else { return }
    guard isFinal else { return wait(.refresh) }
    pendingRefresh = nil
    effects.append(.logOutUser)
    stop(
      SyncErrorReport(
        origin: .connection,
        code: .connectionClosed,
        message: "The user's session cannot be refreshed: \(message.clause); log in again",
        isFatal: true
      )
    )
  }

  /// Waits before the next attempt if any session needs one.
  mutating func wait(_ reason: ReconnectReason, parameters: BackoffParameters? = nil) {
    guard sessions.values.contains(where: \.wantsConnection) else {
      state = .idle
      return settle()
    }
    state = .waiting
    let delay = backoff.nextDelay(after: reason, parameters: parameters, random: &random)
    effects.append(.startTimer(.reconnect, milliseconds: delay))
    settle()
  }

  mutating func reconnectNow() {
    backoff.reset()
    guard state == .waiting else { return }
    effects.append(.cancelTimer(.reconnect))
    retry()
  }

  /// Tries again after the delay.
  mutating func retry() {
    state = .idle
    if pendingRefresh != nil { startRefresh() } else { settle() }
  }
}

extension SyncErrorReport {
  fileprivate var fatal: SyncErrorReport {
    var report = self
    report.isFatal = true
    return report
  }
}
