// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStore
import FlexSyncTransport
import FlexSyncWire

/// A part of the history to upload.
struct WantedUploads {
  let after: ClientVersion
  let through: ClientVersion
  let byteLimit: Int
}

// Carrying out the decisions of the protocol's state machines.

extension SessionDriver {
  /// Passes an event to the session.
  func handle(_ event: ClientSession.Event) { drive(.session(session, event)) }

  /// Passes an event to the state machine and carries out its effects. Events that occur in the meantime follow
  /// afterwards.
  func drive(_ event: ClientConnection.Event) {
    // A loop that stops takes its connections with it; that need not be reported to anyone.
    guard !loop.isStopping else { return }
    events.append(event)
    guard !isDriving else { return }
    isDriving = true
    while !events.isEmpty {
      let event = events.removeFirst()
      attempt { try performAll(of: event) }
    }
    isDriving = false
  }

  private func performAll(of event: ClientConnection.Event) throws {
    guard let effects = machine?.handle(event, now: loop.monotonicMilliseconds) else { return }
    var answers: [ClientConnection.Event] = []
    for effect in effects {
      if let answer = try perform(effect) { answers.append(.session(session, answer)) }
      // An effect may end the session, which makes the remaining ones irrelevant.
      guard machine != nil else { return }
    }
    // Answers precede all other events.
    events.insert(contentsOf: answers, at: 0)
  }

  private func perform(_ effect: ClientConnection.Effect) throws -> ClientSession.Event? {
    switch effect {
    case .connect: connect()
    case .disconnect: dropConnection()
    case .send(let message):
      if message.bindsClient { try syncedFile.access { try $0.database.makeDurable() } }
      CrashPoint.reached(.clientBeforeUpload, if: message.isUpload)
      send(message)
      CrashPoint.reached(.clientAfterUpload, if: message.isUpload)
    case .startTimer(let timer, let milliseconds): start(timer, milliseconds)
    case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.cancel()
    case .refreshUser: renew(location: false)
    case .refreshLocation: renew(location: true)
    case .logOutUser: host.endRefusedLogin()
    // Remaining effects of a session that has been replaced are irrelevant.
    case .session(let ident, let effect): if ident == session { return try perform(effect) }
    case .sessionRemoved(let ident): if ident == session { try freshSessionEnded() }
    case .log(let message): log(message)
    }
    return nil
  }

  private func start(_ timer: ClientConnection.Timer, _ milliseconds: UInt64) {
    timers[timer]?.cancel()
    timers[timer] = loop.startTimer(afterMilliseconds: milliseconds) { [weak self] in
      self?.timers[timer] = nil
      if timer == .connect { self?.connectFailure = .connectTimedOut }
      self?.drive(.timerFired(timer))
    }
  }

  private func perform(_ effect: ClientSession.Effect) throws -> ClientSession.Event? {
    switch effect {
    case .saveFileIdent(let ident):
      try syncedFile.access { try $0.setFileIdent(ident) }
    case .fetchUploads(let after, let through, let byteLimit):
      wantedUploads = WantedUploads(after: after, through: through, byteLimit: byteLimit)
      // At the end of the turn, so that a long history does not keep the loop from reading.
      loop.atEndOfTurn { [weak self] in self?.fetchUploads() }
    case .integrate(let message, let rejections): return try integrate(message, rejections)
    case .storeBootstrapBatch(let message): return try storeBatch(message)
    case .applyBootstrap(let application): return try applyBootstrap(application)
    case .discardBootstrapBatches: try syncedFile.access { try $0.discardIncompleteBootstrap() }
    case .setSubscriptionState(let version, let state, let message): try setState(of: version, state, message)
    case .report(let error): try received(error)
    case .resetClient(let demand): try demanded(demand)
    case .logOutUser: host.endRefusedLogin()
    case .completed(let token): try completed(token)
    case .uploadAcknowledged: try tellProgress(.upload)
    case .downloadProgress(_, let estimate, let byteCount):
      downloadEstimate = estimate
      downloadedBytes += UInt64(byteCount)
      try tellProgress(.download)
    case .log(let message): log(message)
    // The connection has turned these into effects of its own.
    case .send, .startTimer, .cancelTimer, .refreshUser, .refreshLocation, .violation: break
    }
    return nil
  }

  // MARK: - Uploading

  /// Passes the requested part of the history to the state machine once the connection can take more.
  func fetchUploads() {
    guard let wanted = wantedUploads, let channel, channel.isWritable else { return }
    wantedUploads = nil
    attempt {
      let batch = try syncedFile.access { file in
        try file.database.read {
          let (entries, scannedTo) = try file.uploads(after: wanted.after, byteLimit: wanted.byteLimit)
          return UploadBatch(
            after: wanted.after,
            entries: entries,
            scannedTo: scannedTo,
            pendingSets: try file.pendingSubscriptionSets(after: 0).map(PendingSubscriptionSet.init)
          )
        }
      }
      if host.isSuspending { return }
      handle(.uploadsFetched(batch.cut(through: wanted.through)))
    }
  }

  // MARK: - Downloading

  private func integrate(_ message: DownloadMessage, _ rejections: [ErrorInfo]) throws -> ClientSession.Event
  {
    try integrating(message, rejections, answer: ClientSession.Event.integrated) { file, rejections in
      try file.integrate(
        message.entries,
        progress: message.progress,
        rejections: rejections
      )
    }
  }

  /// - Returns: an answer only if the batch is invalid.
  private func storeBatch(_ message: DownloadMessage) throws -> ClientSession.Event? {
    let version = Int64(clamping: message.queryVersion)
    do {
      try syncedFile.access {
        try $0.storeBootstrapBatch(
          queryVersion: version,
          entries: message.entries,
          end: nil
        )
      }
    } catch let error as IntegrationError {
      return .integrationFailed(.badChangeset, message: error.description)
    }
    subscriptionSetsChanged()
    return nil
  }

  private func applyBootstrap(_ application: BootstrapApplication) throws -> ClientSession.Event {
    let message = application.lastBatch
    let event = try integrating(
      message,
      application.rejections,
      answer: ClientSession.Event.bootstrapApplied
    ) { file, rejections in
      try file.storeBootstrapBatch(
        queryVersion: Int64(clamping: message.queryVersion),
        entries: message.entries,
        end: message.progress
      )
      return try file.applyBootstrap(rejections: rejections)
    }
    CrashPoint.reached(.clientAfterBootstrap)
    subscriptionSetsChanged()
    return event
  }

  /// Changes the file, which keeps the rejected writes. Invalid changes from the server also yield an answer.
  private func integrating(
    _ message: DownloadMessage,
    _ errors: [ErrorInfo],
    answer: (IntegrationResult) -> ClientSession.Event,
    _ body: (RealmFile, [ServerRejection]) throws -> ClientVersion
  ) throws -> ClientSession.Event {
    do {
      let rejections = errors.map { ServerRejection($0, code: .compensatingWrite) }
      let version = try syncedFile.integrate { try body($0, rejections) }
      fileBackoff.reset()
      try tellRejectedWrites(of: rejections)
      return answer(IntegrationResult(localVersion: version, progress: message.progress))
    } catch let error as IntegrationError {
      return .integrationFailed(.badChangeset, message: error.description)
    }
  }

  private func setState(of version: QueryVersion, _ state: SubscriptionSetState, _ message: String?) throws {
    let version = Int64(clamping: version)
    try syncedFile.access { file in
      switch state {
      case .complete: try file.completeSubscriptionSet(version: version)
      case .error: try file.failSubscriptionSet(version: version, errorText: message ?? "")
      case .pending: try file.restartSubscriptionSet(version: version)
      // The file does this itself when it stores and applies a bootstrap.
      case .bootstrapping, .awaitingMark, .superseded: break
      }
    }
    if reset != nil { return try freshSetChanged(QueryVersion(clamping: version), state, message) }
    if state == .complete {
      lastReported = nil
      downloadEstimate = 1
      try tellProgress(.download)
    }
    subscriptionSetsChanged()
  }
}

extension ClientMessage {
  fileprivate var isUpload: Bool { if case .upload = self { true } else { false } }
}
