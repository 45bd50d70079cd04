// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The table of sessions.
extension ClientConnection {
  mutating func add(_ configuration: ClientSessionConfiguration, _ stored: StoredSessionState) {
    let ident = configuration.session
    sessions[ident] = ClientSession(configuration: configuration)
    order.append(ident)
    deliver(.start(stored), to: ident)
    if state == .stopped { state = .idle }
    if state == .connected { deliver(.connected(now), to: ident) }
    settle()
  }

  mutating func remove(_ ident: SessionIdent) {
    guard sessions[ident] != nil else { return }
    removing.insert(ident)
    deliver(.suspend, to: ident)
    settle()
  }

  mutating func forward(_ event: ClientSession.Event, to ident: SessionIdent) {
    deliver(event, to: ident)
    if event == .resume, state == .stopped { state = .idle }
    settle()
  }

  /// Delivers an event to a session and collects its effects; those that concern the connection are carried out.
  mutating func deliver(_ event: ClientSession.Event, to ident: SessionIdent) {
    guard let sessionEffects = sessions[ident]?.handle(event) else { return }
    for effect in sessionEffects {
      switch effect {
      case .send(let message): effects.append(.send(message))
      case .startTimer(let milliseconds):
        effects.append(.startTimer(.resumption(ident), milliseconds: milliseconds))
      case .cancelTimer: effects.append(.cancelTimer(.resumption(ident)))
      case .violation(let error): stop(SyncErrorReport(violation: error))
      case .refreshUser: startOver(with: .user, "The server asked for a new access token")
      case .refreshLocation: startOver(with: .location, "The server moved")
      default: effects.append(.session(ident, effect))
      }
    }
  }

  /// Delivers an event to all sessions.
  mutating func broadcast(_ event: ClientSession.Event) {
    for ident in order { deliver(event, to: ident) }
  }

  /// Reports an error to the app for every session that wants the connection.
  mutating func reportToAll(_ report: SyncErrorReport) {
    for ident in order where sessions[ident]?.wantsConnection == true {
      effects.append(.session(ident, .report(report)))
    }
  }

  /// Discards removed sessions, and connects or starts to linger depending on what the remaining ones need.
  mutating func settle() {
    for ident in order where removing.contains(ident) && sessions[ident]?.isUnbound == true {
      sessions[ident] = nil
      removing.remove(ident)
      effects.append(.sessionRemoved(ident))
    }
    order.removeAll { sessions[$0] == nil }
    let isNeeded = sessions.values.contains { $0.wantsConnection || !$0.isUnbound }
    if isNeeded, state == .idle { return connect() }
    guard state == .connected, isNeeded == isLingering else { return }
    isLingering = !isNeeded
    effects.append(
      isNeeded ? .cancelTimer(.linger) : .startTimer(.linger, milliseconds: timeouts.linger)
    )
  }
}
