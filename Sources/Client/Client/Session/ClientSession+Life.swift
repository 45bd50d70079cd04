// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Binding and unbinding.
extension ClientSession {
  mutating func start(_ state: StoredSessionState) {
    file = state.file
    progress = state.progress
    localVersion = state.localVersion
    activeSet = state.activeSet
    pendingSets = state.pendingSets.sorted { $0.version < $1.version }
    partialBootstrap = state.partialBootstrap
    dropPartialBootstrap()
  }

  mutating func connect(_ now: MonotonicTime) {
    guard link == .disconnected else { return }
    if let lostConnectionAt, now > lostConnectionAt + configuration.fastReconnectMilliseconds {
      hasCaughtUp = false
    }
    link = .unbound
    bind()
  }

  mutating func disconnect(_ now: MonotonicTime) {
    guard link != .disconnected else { return }
    link = .disconnected
    lostConnectionAt = now
    endBinding()
  }

  mutating func failConnection(_ report: SyncErrorReport) {
    link = .disconnected
    endBinding()
    deactivate()
    effects.append(.report(report))
  }

  mutating func demandReset(_ demand: ClientResetDemand) {
    unbind()
    deactivate()
    effects.append(.resetClient(demand))
  }

  /// Sends BIND if the session wants to run and is not bound.
  mutating func bind() {
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
    if let file { identify(file) } else { link = .waitingForIdent }
  }

  mutating func identify(_ file: SaltedFileIdent) {
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
    pump()
  }

  /// Sends UNBIND if the server has the session and has not been notified of its end.
  mutating func unbind() {
    switch link {
    case .disconnected, .unbound, .unbinding: return
    case .waitingForIdent: link = .unbinding(hadIdent: false)
    case .active, .clientFailed: link = .unbinding(hadIdent: true)
    }
    effects.append(.send(.unbind(session)))
    endBinding()
  }

  mutating func suspend() {
    if activity == .waiting { effects.append(.cancelTimer) }
    activity = .suspended
    hasCaughtUp = false
    unbind()
  }

  mutating func resume() {
    guard activity != .running else { return }
    if activity == .waiting { effects.append(.cancelTimer) }
    activity = .running
    resumptionDelay.reset()
    bind()
  }

  /// Stops the session until the app resumes it.
  mutating func deactivate() {
    if activity == .waiting { effects.append(.cancelTimer) }
    activity = .inactive
    hasCaughtUp = false
  }

  /// Ends a binding. Everything in transit is lost; the server starts over in the next binding.
  private mutating func endBinding() {
    binding.isFetching = false
    binding.heldErrors = []
    dropPartialBootstrap()
  }

  /// Discards the stored batches of an interrupted bootstrap, which must not be mixed with those of the next
  /// attempt (protocol §4.3).
  mutating func dropPartialBootstrap() {
    guard let version = partialBootstrap else { return }
    partialBootstrap = nil
    effects.append(.discardBootstrapBatches)
    if pendingSets.contains(where: { $0.version == version }) {
      effects.append(.setSubscriptionState(version, .pending, message: nil))
    }
  }
}
