// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Messages, PINGs and timers of an open connection.
extension ClientConnection {
  private static let pingPeriodMilliseconds: UInt64 = 60_000
  private static let pongTimeoutMilliseconds: UInt64 = 120_000

  mutating func open(_ subprotocol: String?, _ now: MonotonicTime, _ effects: inout [Effect]) {
    guard state == .connecting else { return }
    do throws(NegotiationError) {
      _ = try SubprotocolNegotiation.check(answer: subprotocol)
    } catch {
      let message = "No common sync protocol: \(error)"
      return stop(
        SyncErrorReport(origin: .connection, code: .wrongProtocolVersion, message: message, isFatal: true),
        now,
        &effects
      )
    }
    state = .connected
    openedAt = now
    hasRefreshed = false
    effects.append(.cancelTimer(.connect))
    let firstPing = UInt64.random(in: 0...Self.pingPeriodMilliseconds, using: &random)
    effects.append(.startTimer(.ping, milliseconds: firstPing))
    broadcast(.connected(now), now, &effects)
    settle(&effects)
  }

  mutating func receive(_ bytes: [UInt8], _ now: MonotonicTime, _ effects: inout [Effect]) {
    guard state == .connected else { return }
    do throws(ProtocolError) {
      try receive(try ServerMessage.decode(bytes, limits: limits), now, &effects)
    } catch {
      stop(SyncErrorReport(violation: error), now, &effects)
    }
  }

  private mutating func receive(
    _ message: ServerMessage,
    _ now: MonotonicTime,
    _ effects: inout [Effect]
  ) throws(ProtocolError) {
    switch message {
    case .pong(let timestamp): try receivePong(timestamp, now, &effects)
    case .error(let error) where error.session == 0:
      try receive(code: error.code, info: error.info, now, &effects)
    case .plainError(let error) where error.session == 0:
      let info = ErrorInfo(message: error.message, action: .warning, tryAgain: error.tryAgain)
      try receive(code: error.code, info: info, now, &effects)
    case .log(let log) where sessions[log.session] == nil: effects.append(.log(log))
    default:
      guard sessions[message.session] != nil else {
        throw ProtocolError(
          .badSessionIdent,
          "a message for session \(message.session), which does not exist"
        )
      }
      deliver(.received(message), to: message.session, now, &effects)
      settle(&effects)
    }
  }

  /// Handles an error that concerns the connection (protocol §3.5).
  private mutating func receive(
    code: ErrorCode,
    info: ErrorInfo,
    _ now: MonotonicTime,
    _ effects: inout [Effect]
  ) throws(ProtocolError) {
    guard code.fits(session: 0) else {
      throw ProtocolError(.badSyntax, "JSON_ERROR \(code) cannot apply to a connection")
    }
    let report = SyncErrorReport(
      origin: .server,
      code: code,
      message: info.message,
      isFatal: !info.tryAgain,
      info: info
    )
    switch info.action {
    case .refreshUser: startOver(with: .user, info.message, now, &effects)
    case .refreshLocation: startOver(with: .location, info.message, now, &effects)
    case .logOutUser:
      effects.append(.logOutUser)
      stop(report, now, &effects)
    default:
      guard info.tryAgain else { return stop(report, now, &effects) }
      drop(now, &effects)
      if info.action != .transient { reportToAll(report, &effects) }
      wait(.serverError(code), parameters: info.backoff, &effects)
    }
  }

  private mutating func receivePong(
    _ timestamp: UInt64,
    _ now: MonotonicTime,
    _ effects: inout [Effect]
  ) throws(ProtocolError) {
    guard outstandingPing == timestamp else {
      throw ProtocolError(.badMessageOrder, "PONG \(timestamp) does not answer a PING")
    }
    outstandingPing = nil
    roundTripTime = now > timestamp ? now - timestamp : 0
    effects.append(.cancelTimer(.pong))
    let period = Self.pingPeriodMilliseconds
    let delay = UInt64.random(in: period - period / 10...period, using: &random)
    effects.append(.startTimer(.ping, milliseconds: delay))
  }

  mutating func fire(_ timer: Timer, _ now: MonotonicTime, _ effects: inout [Effect]) {
    switch timer {
    case .connect:
      guard state == .connecting else { return }
      fail(
        .retry(isReported: true),
        .connectTimeout,
        "Cannot connect: the server did not respond",
        now,
        &effects
      )
    case .reconnect: if state == .waiting { retry(&effects) }
    case .ping: if state == .connected, outstandingPing == nil { ping(now, &effects) }
    case .pong:
      guard state == .connected, outstandingPing != nil else { return }
      fail(.retry(isReported: false), .pongTimeout, "The server stopped responding", now, &effects)
    case .linger:
      guard state == .connected, isLingering else { return }
      drop(now, &effects)
      settle(&effects)
    case .resumption(let ident):
      deliver(.timerFired, to: ident, now, &effects)
      settle(&effects)
    }
  }

  private mutating func ping(_ now: MonotonicTime, _ effects: inout [Effect]) {
    outstandingPing = now
    effects.append(.send(.ping(PingMessage(timestamp: now, roundTripTime: roundTripTime))))
    effects.append(.startTimer(.pong, milliseconds: Self.pongTimeoutMilliseconds))
  }
}
