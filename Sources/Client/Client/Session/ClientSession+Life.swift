// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Binding and unbinding.
extension ClientSession {
  /// The time within which a reconnect does not hold back uploads (protocol §11).
  private static let fastReconnectMilliseconds: MonotonicTime = 60_000

  mutating func start(_ state: StoredSessionState, _ effects: inout [Effect]) {
    file = state.file
    progress = state.progress
    localVersion = state.localVersion
    activeSet = state.activeSet
    pendingSets = state.pendingSets.sorted { $0.version < $1.version }
    partialBootstrap = state.partialBootstrap
    dropPartialBootstrap(&effects)
  }

  mutating func connect(_ now: MonotonicTime, _ effects: inout [Effect]) {
    guard link == .disconnected else { return }
    if let lostConnectionAt, now > lostConnectionAt + Self.fastReconnectMilliseconds { hasCaughtUp = false }
    link = .unbound
    bind(&effects)
  }

  mutating func disconnect(_ now: MonotonicTime, _ effects: inout [Effect]) {
    guard link != .disconnected else { return }
    link = .disconnected
    lostConnectionAt = now
    endBinding(&effects)
  }

  mutating func failConnection(_ report: SyncErrorReport, _ effects: inout [Effect]) {
    link = .disconnected
    endBinding(&effects)
    deactivate(&effects)
    effects.append(.report(report))
  }

  mutating func demandReset(_ demand: ClientResetDemand, _ effects: inout [Effect]) {
    unbind(&effects)
    deactivate(&effects)
    effects.append(.resetClient(demand))
  }

  /// Sends BIND if the session wants to run and is not bound.
  mutating func bind(_ effects: inout [Effect]) {
    guard link == .unbound, activity == .running else { return }
    binding = Binding()
    binding.scanned = progress.upload
    binding.reported = progress.upload
    binding.received = progress
    // The last connection may have been lost before its downloads were acknowledged.
    binding.owesAcknowledgement = progress.download.serverVersion > progress.upload.serverVersion
    binding.lastQueried = activeSet.version
    binding.isDelayed = !hasCaughtUp
    marks.rebind()
    let message = BindMessage(
      session: session,
      options: configuration.bindOptions,
      needsFileIdent: file == nil
    )
    effects.append(.send(.bind(message)))
    if let file { identify(file, &effects) } else { link = .waitingForIdent }
  }

  mutating func identify(_ file: SaltedFileIdent, _ effects: inout [Effect]) {
    link = .active
    let message = IdentMessage(
      session: session,
      file: file,
      download: progress.download,
      latest: progress.latest,
      queryVersion: activeSet.version,
      queryBody: activeSet.body
    )
    effects.append(.send(.ident(message)))
    pump(&effects)
  }

  /// Sends UNBIND if the server has the session and has not been notified of its end.
  mutating func unbind(_ effects: inout [Effect]) {
    switch link {
    case .disconnected, .unbound, .unbinding: return
    case .waitingForIdent: link = .unbinding(hadIdent: false)
    case .active, .clientFailed: link = .unbinding(hadIdent: true)
    }
    effects.append(.send(.unbind(session)))
    endBinding(&effects)
  }

  mutating func suspend(_ effects: inout [Effect]) {
    if activity == .waiting { effects.append(.cancelTimer) }
    activity = .suspended
    hasCaughtUp = false
    unbind(&effects)
  }

  mutating func resume(_ effects: inout [Effect]) {
    guard activity != .running else { return }
    if activity == .waiting { effects.append(.cancelTimer) }
    activity = .running
    resumptionDelay.reset()
    bind(&effects)
  }

  /// Stops the session until the app resumes it.
  mutating func deactivate(_ effects: inout [Effect]) {
    if activity == .waiting { effects.append(.cancelTimer) }
    activity = .inactive
    hasCaughtUp = false
  }

  /// Ends a binding. Everything in transit is lost; the server starts over in the next binding.
  private mutating func endBinding(_ effects: inout [Effect]) {
    binding.isFetching = false
    binding.heldErrors = []
    dropPartialBootstrap(&effects)
  }

  /// Discards the stored batches of an interrupted bootstrap, which must not be mixed with those of the next
  /// attempt (protocol §4.3).
  mutating func dropPartialBootstrap(_ effects: inout [Effect]) {
    guard let version = partialBootstrap else { return }
    partialBootstrap = nil
    effects.append(.discardBootstrapBatches)
    if pendingSets.contains(where: { $0.version == version }) {
      effects.append(.setSubscriptionState(version, .pending, message: nil))
    }
  }
}
