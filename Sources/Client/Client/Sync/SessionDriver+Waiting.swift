// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

// The waits for a session. The state stored in the file always decides when they end.

/// A wait whose end the protocol's state machine reports.
struct CompletionWait {
  let token: WaitToken
  /// For uploads: the newest client version that counts.
  let uploadVersion: ClientVersion?
  /// For downloads in a process that does not sync the file: the number of the request to the one that does.
  var request: Int64?
}

extension SessionDriver {
  func wait(
    _ direction: SyncSession.Direction,
    timeout: UInt64,
    completion: @escaping SyncSession.Completion
  ) {
    perform(orFail: completion) {
      switch direction {
      case .upload:
        guard let version = try file.access({ try $0.newestPendingUpload() }) else {
          return completion(.success(()))
        }
        try waitForCompletion(uploadVersion: version, timeout, "upload", completion)
      case .download: try waitForCompletion(uploadVersion: nil, timeout, "download", completion)
      }
    }
  }

  private func waitForCompletion(
    uploadVersion: ClientVersion?,
    _ timeout: UInt64,
    _ subject: String,
    _ completion: @escaping SyncSession.Completion
  ) throws {
    try requireAlive()
    nextWaitToken += 1
    let wait = CompletionWait(token: nextWaitToken, uploadVersion: uploadVersion)
    completionWaits.add(wait, timeout: timeout, subject: subject, completion: completion)
    attempt { try requestDownloads() }
    ask(wait)
  }

  /// Requests that the state machine report the end of a wait.
  func ask(_ wait: CompletionWait) {
    // During a client reset, the request goes to the session that follows it.
    guard reset == nil else { return }
    if let version = wait.uploadVersion {
      handle(.uploadCompletionRequested(wait.token, through: version))
    } else {
      handle(.downloadCompletionRequested(wait.token))
    }
  }

  func waitForSubscriptionSet(
    _ version: Int64,
    timeout: UInt64,
    completion: @escaping SyncSession.Completion
  ) {
    perform(orFail: completion) {
      if let outcome = try subscriptionOutcome(version) { return completion(outcome) }
      try requireAlive()
      subscriptionWaits.add(version, timeout: timeout, subject: "update", completion: completion)
    }
  }

  private func perform(orFail completion: SyncSession.Completion, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      // Another thread may close the realm at any moment.
      completion(.failure(file.isClosed ? .sessionInactive : CoreError(mapping: error)))
    }
  }

  /// Requires a session that is active or suspended, since a suspended one may be resumed. It is pointless to wait
  /// for one that has ended.
  private func requireAlive() throws {
    switch activity {
    case .active, .suspended: break
    case .loggedOut, .closed: throw CoreError.sessionInactive
    case .failed(let error):
      throw CoreError(.sessionFailed, error.message, code: error.protocolCode)
    }
  }

  /// Returns the outcome of the wait for a set; nil if the wait is not over.
  private func subscriptionOutcome(_ version: Int64) throws -> Result<Void, CoreError>? {
    guard let set = try file.access({ try $0.subscriptionSet(version: version) }) else {
      return .failure(
        CoreError(
          .subscriptionSuperseded,
          "The subscription set \(version) was superseded by a newer one."
        )
      )
    }
    return switch set.state {
    case .complete: .success(())
    case .error: .failure(CoreError(.subscriptionFailed, set.errorText ?? ""))
    case .superseded, .pending, .bootstrapping, .awaitingMark: nil
    }
  }

  // MARK: - Changes

  /// Notifies those who wait for or observe a subscription set of its state.
  func subscriptionSetsChanged() {
    attempt {
      // Observers first: a caller that was waiting may end its observation, and must have seen all of it.
      try subscriptionObservers.notify { observation in
        let state =
          try file.access { try $0.subscriptionSet(version: observation.version)?.state } ?? .superseded
        guard state != observation.told else { return (nil, false) }
        observation.told = state
        return (state, state == .superseded)
      }
      try subscriptionWaits.settle(subscriptionOutcome)
    }
  }

  /// Ends a wait successfully.
  func completed(_ token: WaitToken) throws {
    if resetWaits.remove(token) != nil, resetWaits.isEmpty {
      try file.access { try $0.setClientReset(nil) }
    }
    try answerDownloadRequest(token)
    completionWaits.settle { $0.token == token ? .success(()) : nil }
  }

  func failAllWaits(_ error: CoreError) {
    completionWaits.failAll(error)
    subscriptionWaits.failAll(error)
  }

  // MARK: - Observing

  /// The last state reported to an observer of a subscription set.
  struct SubscriptionObservation {
    let version: Int64
    var told: SubscriptionSetState?
  }

  func observeSubscriptionSet(_ version: Int64, _ slot: CallbackSlot<SubscriptionSetState>) {
    subscriptionObservers.add(slot, SubscriptionObservation(version: version))
    subscriptionSetsChanged()
  }

  func observeProgress(
    _ direction: SyncSession.Direction,
    onlyOutstanding: Bool,
    _ slot: CallbackSlot<TransferProgress>
  ) {
    attempt {
      let last =
        try direction == .upload && onlyOutstanding ? file.access { try $0.newestPendingUpload() } ?? 0 : nil
      progressObservers.add(
        slot,
        ProgressEstimate(direction, isOnlyOutstanding: onlyOutstanding, lastVersion: last)
      )
      try tellProgress(direction)
    }
  }

  /// Reports the progress to the observers of one direction.
  func tellProgress(_ direction: SyncSession.Direction) throws {
    if direction == .download, machine != nil { file.tellOthersOfDownload(downloadEstimate, downloadedBytes) }
    guard !progressObservers.isEmpty else { return }
    try progressObservers.notify { estimate in
      guard estimate.direction == direction else { return (nil, false) }
      guard direction == .upload else {
        return estimate.tell(
          TransferProgress(downloadedBytes: downloadedBytes, estimate: downloadEstimate)
        )
      }
      let last = estimate.lastVersion ?? .max
      let bytes = try file.access { try $0.pendingUploadBytes(through: last) }
      return estimate.tell(estimate.uploadProgress(remainingBytes: bytes))
    }
  }
}

extension CoreError {
  static let sessionInactive = CoreError(.sessionInactive, "The sync session became inactive.")
}
