// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Downloads: bootstraps (protocol §4.3) and steady state (§4.6).
extension ClientSession {
  mutating func receive(_ message: DownloadMessage) throws(ProtocolError) {
    guard try isExpected("DOWNLOAD") else { return }
    if message.batchState != .steady { try checkIsKnown(message.queryVersion) }
    var check = DownloadCheck(previous: binding.received, ownFileIdent: file?.ident ?? 0)
    check.localVersion = localVersion
    check.isInsideBootstrap = partialBootstrap != nil
    if let reason = check.violation(of: message) {
      return failIntegration(.badProgress, "Bad download from the server: \(reason)")
    }
    binding.received = message.progress
    let byteCount = message.entries.reduce(0) { $0 + $1.changeset.count }
    effects.append(
      .downloadProgress(message.queryVersion, estimate: message.progressEstimate, byteCount: byteCount)
    )
    switch message.batchState {
    case .steady:
      binding.integrating = message
      effects.append(.integrate(message, rejections: heldErrors(through: message.progress)))
    case .more: store(message)
    case .last: apply(message)
    }
  }

  /// Checks that a bootstrap is for a set that was sent to the server and is pending or active.
  private func checkIsKnown(_ version: QueryVersion) throws(ProtocolError) {
    let isPending = version <= binding.lastQueried && pendingSets.contains { $0.version == version }
    guard isPending || version == activeSet.version else {
      throw ProtocolError(
        .badMessageOrder,
        "bootstrap of set \(version), which is neither active nor pending"
      )
    }
  }

  private mutating func store(_ message: DownloadMessage) {
    let version = message.queryVersion
    effects.append(.storeBootstrapBatch(message))
    guard partialBootstrap != version else { return }
    if let previous = partialBootstrap, pendingSets.contains(where: { $0.version == previous }) {
      effects.append(.setSubscriptionState(previous, .pending, message: nil))
    }
    partialBootstrap = version
    if pendingSets.contains(where: { $0.version == version }) {
      effects.append(.setSubscriptionState(version, .bootstrapping, message: nil))
    }
  }

  private mutating func apply(_ message: DownloadMessage) {
    if let version = partialBootstrap, version != message.queryVersion { dropPartialBootstrap() }
    let isComplete = message.queryVersion == activeSet.version && activeSet.state == .complete
    binding.integrating = message
    effects.append(
      .applyBootstrap(
        BootstrapApplication(
          lastBatch: message,
          newState: isComplete ? .complete : .awaitingMark,
          rejections: heldErrors(through: message.progress)
        )
      )
    )
  }

  mutating func finishBootstrap(_ result: IntegrationResult) {
    guard let message = binding.integrating else { return }
    let version = message.queryVersion
    partialBootstrap = nil
    if let set = pendingSets.first(where: { $0.version == version }) {
      activeSet = ActiveSubscriptionSet(version: version, body: set.body, state: .awaitingMark)
      pendingSets.removeAll { $0.version <= version }
    } else if activeSet.state != .complete {
      activeSet.state = .awaitingMark
    }
    binding.owesAcknowledgement = true
    follow(result)
  }

  mutating func finishIntegration(_ result: IntegrationResult) {
    guard let message = binding.integrating else { return }
    if !message.entries.isEmpty { binding.owesAcknowledgement = true }
    follow(result)
  }

  private mutating func follow(_ result: IntegrationResult) {
    binding.integrating = nil
    let isAcknowledged = result.progress.upload.clientVersion > progress.upload.clientVersion
    localVersion = max(localVersion, result.localVersion)
    progress = result.progress
    // Changes that the server had integrated before the connection was lost need not be retransmitted.
    if binding.scanned.clientVersion < progress.upload.clientVersion { binding.scanned = progress.upload }
    reportCompensatingWrites()
    if isAcknowledged { effects.append(.uploadAcknowledged(progress.upload.clientVersion)) }
    completeUploadWaits()
    if activeSet.state == .awaitingMark && !marks.isPending { marks.request() }
    pump()
  }

  /// Reports that a download cannot be integrated and never will be; the server decides how to continue (protocol
  /// §3.5).
  mutating func failIntegration(_ code: ErrorCode, _ message: String) {
    binding.integrating = nil
    guard link == .active else { return }
    link = .clientFailed
    effects.append(.send(.error(session: session, code: code, message: message)))
    effects.append(.report(SyncErrorReport(origin: .client, code: code, message: message, isFatal: false)))
  }

  /// Returns the held errors whose changes are reverted once this progress is reached.
  private func heldErrors(through progress: SyncProgress) -> [ErrorInfo] {
    binding.heldErrors.filter { $0.isReverted(at: progress) }.map(\.info)
  }

  /// Reports the held errors whose version is integrated (protocol §8.1).
  private mutating func reportCompensatingWrites() {
    let due = binding.heldErrors.filter { $0.isReverted(at: progress) }
    binding.heldErrors.removeAll { $0.isReverted(at: progress) }
    for error in due { report(error, isFatal: false, revertVersion: localVersion) }
  }
}
