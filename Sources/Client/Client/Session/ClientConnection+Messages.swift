// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Messages, PINGs and timers of an open connection.
extension ClientConnection {
  mutating func open(_ subprotocol: String?) {
    guard state == .connecting else { return }
    do throws(NegotiationError) {
      _ = try SubprotocolNegotiation.check(answer: subprotocol)
    } catch {
      let message = "No common sync protocol: \(error)"
      return stop(
        SyncErrorReport(origin: .connection, code: .wrongProtocolVersion, message: message, isFatal: true)
      )
    }
    state = .connected
    openedAt = now
    hasRefreshed = false
    effects.append(.cancelTimer(.connect))
    let firstPing = UInt64.random(in: 0...timeouts.pingPeriod, using: &random)
    effects.append(.startTimer(.ping, milliseconds: firstPing))
    broadcast(.connected(now))
    settle()
  }

  mutating func receive(_ bytes: [UInt8]) {
    guard state == .connected else { return }
    do throws(ProtocolError) {
      try receive(try ServerMessage.decode(bytes, limits: limits))
    } catch {
      stop(SyncErrorReport(violation: error))
    }
  }

  private mutating func receive(_ message: ServerMessage) throws(ProtocolError) {
    switch message {
    case .pong(let timestamp): try receivePong(timestamp)
    case .error(let error) where error.session == 0, .plainError(let error) where error.session == 0:
      try receive(code: error.code, info: error.info)
    case .log(let log) where sessions[log.session] == nil: effects.append(.log(log))
    default:
      guard sessions[message.session] != nil else {
        throw ProtocolError(
          .badSessionIdent,
          "a message for session \(message.session), which does not exist"
        )
      }
      deliver(.received(message), to: message.session)
      settle()
    }
  }

  /// Handles an error that concerns the connection (protocol §3.5).
  private mutating func receive(code: ErrorCode, info: ErrorInfo) throws(ProtocolError) {
    guard code.fits(session: 0) else {
      throw ProtocolError(.badSyntax, "JSON_ERROR \(code) cannot apply to a connection")
    }
    let report = SyncErrorReport(code, info, isFatal: !info.tryAgain)
    switch info.action {
    case .refreshUser: startOver(with: .user, info.message)
    case .refreshLocation: startOver(with: .location, info.message)
    case .logOutUser:
      effects.append(.logOutUser)
      stop(report)
    default:
      guard info.tryAgain else { return stop(report) }
      drop()
      if info.action != .transient { reportToAll(report) }
      wait(.serverError(code), parameters: info.backoff)
    }
  }

  private mutating func receivePong(_ timestamp: UInt64) throws(ProtocolError) {
    guard outstandingPing == timestamp else {
      throw ProtocolError(.badMessageOrder, "PONG \(timestamp) does not answer a PING")
    }
    outstandingPing = nil
    roundTripTime = now > timestamp ? now - timestamp : 0
    effects.append(.cancelTimer(.pong))
    let period = timeouts.pingPeriod
    let delay = UInt64.random(in: period - period / 10...period, using: &random)
    effects.append(.startTimer(.ping, milliseconds: delay))
  }

  mutating func fire(_ timer: Timer) {
    switch timer {
    case .connect:
      guard state == .connecting else { return }
      fail(
        .retry(isReported: true),
        .connectTimeout,
        "Sync connection was not fully established in time"
      )
    case .reconnect: if state == .waiting { retry() }
    case .ping: if state == .connected, outstandingPing == nil { ping() }
    case .pong:
      guard state == .connected, outstandingPing != nil else { return }
      fail(.retry(isReported: false), .pongTimeout, "The server stopped responding")
    case .linger:
      guard state == .connected, isLingering else { return }
      drop()
      settle()
    case .resumption(let ident):
      deliver(.timerFired, to: ident)
      settle()
    }
  }

  private mutating func ping() {
    outstandingPing = now
    effects.append(.send(.ping(timestamp: now, roundTripTime: roundTripTime)))
    effects.append(.startTimer(.pong, milliseconds: timeouts.pongTimeout))
  }
}
