// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Losing and regaining the connection.
extension ClientConnection {
  private static let connectTimeoutMilliseconds: UInt64 = 120_000
  /// The time after which a connection ends a series of failures.
  private static let stableMilliseconds: MonotonicTime = 60_000

  mutating func connect(_ effects: inout [Effect]) {
    state = .connecting
    effects.append(.startTimer(.connect, milliseconds: Self.connectTimeoutMilliseconds))
    effects.append(.connect)
  }

  /// Handles the end of a connection or of a connection attempt.
  mutating func fail(
    _ failure: ConnectionFailure,
    _ reason: ReconnectReason,
    _ message: String,
    _ now: MonotonicTime,
    _ effects: inout [Effect]
  ) {
    guard state == .connected || state == .connecting else { return }
    let report = SyncErrorReport(
      origin: .connection,
      code: .connectionClosed,
      message: message,
      isFatal: false
    )
    switch failure {
    case .retry(let isReported):
      drop(now, &effects)
      if isReported { reportToAll(report, &effects) }
      wait(reason, &effects)
    case .refreshUser: startOver(with: .user, message, now, &effects)
    case .refreshLocation: startOver(with: .location, message, now, &effects)
    case .logOutUser:
      effects.append(.logOutUser)
      stop(report.fatal, now, &effects)
    case .resetClient:
      let demand = ClientResetDemand(code: .limitsExceeded, message: message, isRecoveryAllowed: true)
      drop(now, &effects)
      broadcast(.clientResetDemanded(demand), now, &effects)
      wait(reason, &effects)
    case .fatal: stop(report.fatal, now, &effects)
    }
  }

  /// Drops the connection; the sessions keep the state that they need for the next one.
  mutating func drop(_ now: MonotonicTime, _ effects: inout [Effect]) {
    let timers: [Timer] = state == .connected ? [.ping, .pong, .linger] : [.connect]
    effects += timers.map { .cancelTimer($0) }
    effects.append(.disconnect)
    if let openedAt, now >= openedAt + Self.stableMilliseconds { backoff.reset() }
    openedAt = nil
    outstandingPing = nil
    isLingering = false
    state = .idle
    broadcast(.disconnected(now), now, &effects)
  }

  /// Drops the connection without reconnecting, and notifies all sessions (protocol §3.3).
  mutating func stop(_ report: SyncErrorReport, _ now: MonotonicTime, _ effects: inout [Effect]) {
    guard state != .stopped else { return }
    if state == .connected || state == .connecting { drop(now, &effects) }
    if state == .waiting { effects.append(.cancelTimer(.reconnect)) }
    state = .stopped
    broadcast(.connectionFailed(report), now, &effects)
  }

  /// Drops the connection, refreshes and reconnects: immediately, unless a refresh has just been tried.
  mutating func startOver(
    with refresh: Refresh,
    _ message: String,
    _ now: MonotonicTime,
    _ effects: inout [Effect]
  ) {
    guard state == .connected || state == .connecting else { return }
    drop(now, &effects)
    pendingRefresh = refresh
    if hasRefreshed { wait(.refresh, &effects) } else { startRefresh(&effects) }
  }

  private mutating func startRefresh(_ effects: inout [Effect]) {
    guard let refresh = pendingRefresh else { return connect(&effects) }
    state = .refreshing
    hasRefreshed = true
    effects.append(refresh == .user ? .refreshUser : .refreshLocation)
  }

  mutating func finishRefresh(_ effects: inout [Effect]) {
    guard state == .refreshing else { return }
    if pendingRefresh == .location { isRouteVerified = true }
    pendingRefresh = nil
    state = .idle
    settle(&effects)
  }

  mutating func failRefresh(
    isFinal: Bool,
    _ message: String,
    _ now: MonotonicTime,
    _ effects: inout [Effect]
  ) {
    guard state == .refreshing else { return }
    guard isFinal else { return wait(.refresh, &effects) }
    pendingRefresh = nil
    effects.append(.logOutUser)
    stop(
      SyncErrorReport(
        origin: .connection,
        code: .connectionClosed,
        message: "The user's session cannot be refreshed: \(message); log in again",
        isFatal: true
      ),
      now,
      &effects
    )
  }

  /// Waits before the next attempt if any session needs one.
  mutating func wait(
    _ reason: ReconnectReason,
    parameters: BackoffParameters? = nil,
    _ effects: inout [Effect]
  ) {
    guard sessions.values.contains(where: \.wantsConnection) else {
      state = .idle
      return settle(&effects)
    }
    state = .waiting
    let delay = backoff.nextDelay(after: reason, parameters: parameters, random: &random)
    effects.append(.startTimer(.reconnect, milliseconds: delay))
    settle(&effects)
  }

  mutating func reconnectNow(_ effects: inout [Effect]) {
    backoff.reset()
    guard state == .waiting else { return }
    effects.append(.cancelTimer(.reconnect))
    retry(&effects)
  }

  /// Tries again after the delay.
  mutating func retry(_ effects: inout [Effect]) {
    state = .idle
    if pendingRefresh != nil { startRefresh(&effects) } else { settle(&effects) }
  }
}

extension SyncErrorReport {
  fileprivate var fatal: SyncErrorReport {
    var report = self
    report.isFatal = true
    return report
  }
}
