// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The client's side of one synchronised file: makes all decisions, performs no I/O (protocol §3 to §5).
///
/// A value that takes events and returns effects. It needs no clock, socket or file, so a simulation can run it. A
/// session object lives as long as its file is open and is bound again on each new connection.
struct ClientSession: Sendable {
  /// The state of the session on the connection.
  enum Link: Hashable, Sendable {
    case disconnected
    /// Connected, but the server does not have the session.
    case unbound
    /// BIND was sent and requested a file ident.
    case waitingForIdent
    /// IDENT was sent.
    case active
    /// We sent JSON_ERROR: nothing more is sent, and downloads are ignored.
    case clientFailed
    /// UNBIND was sent. If IDENT was sent before, messages for the session may still be on their way.
    case unbinding(hadIdent: Bool)
  }

  /// The activity that the session aims for.
  enum Activity: Hashable, Sendable {
    case running
    /// Paused by the app.
    case suspended
    /// Paused after an error from the server, until the timer fires.
    case waiting
    /// Stopped by an error until the app resumes it.
    case inactive
  }

  let configuration: ClientSessionConfiguration
  var activity = Activity.running
  var link = Link.disconnected
  var random: RandomSource
  var resumptionDelay = Backoff<ErrorCode>()

  // A copy of what the file stores, kept up to date.
  var file: SaltedFileIdent?
  var progress = SyncProgress.start
  var localVersion: ClientVersion = 0
  var activeSet = ActiveSubscriptionSet.initial
  var pendingSets: [PendingSubscriptionSet] = []
  var partialBootstrap: QueryVersion?

  /// Whether a MARK was answered since the session became active. Uploads wait for that (protocol §3.2).
  var hasCaughtUp = false
  var lostConnectionAt: MonotonicTime?
  var marks = MarkRequests()
  var uploadWaits: [(token: WaitToken, version: ClientVersion)] = []
  var binding = Binding()
  /// The effects of the event that is being handled, so far.
  var effects: [Effect] = []

  init(configuration: ClientSessionConfiguration) {
    self.configuration = configuration
    random = RandomSource(seed: configuration.seed)
  }

  var session: SessionIdent { configuration.session }

  /// Whether the server does not have the session, or no longer does, so that it can be discarded.
  var isUnbound: Bool { link == .disconnected || link == .unbound }

  /// Whether the session needs nothing but a connection.
  var wantsConnection: Bool { activity == .running || activity == .waiting }

  /// Handles one event and returns the effects to carry out.
  mutating func handle(_ event: Event) -> [Effect] {
    defer { effects = [] }
    switch event {
    case .start(let state): start(state)
    case .connected(let now): connect(now)
    case .disconnected(let now): disconnect(now)
    case .connectionFailed(let report): failConnection(report)
    case .clientResetDemanded(let demand): demandReset(demand)
    case .received(let message): receive(message)
    case .localVersionAdvanced(let version):
      localVersion = max(localVersion, version)
      pump()
    case .subscriptionSetCommitted(let set): addPendingSet(set)
    case .uploadsFetched(let batch): upload(batch)
    case .integrated(let result): finishIntegration(result)
    case .bootstrapApplied(let result): finishBootstrap(result)
    case .integrationFailed(let code, let message): failIntegration(code, message)
    case .downloadCompletionRequested(let token):
      marks.request(token: token)
      pump()
    case .uploadCompletionRequested(let token, let version):
      uploadWaits.append((token: token, version: version))
      completeUploadWaits()
      pump()
    case .suspend: suspend()
    case .resume: resume()
    case .timerFired:
      guard activity == .waiting else { break }
      activity = .running
      bind()
    }
    return effects
  }
}

/// The state between a BIND and the end of that binding.
struct Binding: Hashable, Sendable {
  /// The position up to which the history has been read for uploads.
  var scanned = UploadCursor.start
  /// The progress reported in the last UPLOAD.
  var reported = UploadCursor.start
  /// The version of the last changeset that was sent; 0 if none.
  var lastSentEntry: ClientVersion = 0
  var isFetching = false
  /// Whether entries have been integrated that no UPLOAD has acknowledged.
  var owesAcknowledgement = false
  /// Whether uploads and queries are held back until the first MARK is answered.
  var isDelayed = true
  /// The cursors of the last DOWNLOAD, even if it was only stored.
  var received = SyncProgress.start
  /// The version of the newest set named in IDENT or a QUERY.
  var lastQueried: QueryVersion = 0
  /// The pending sets for which no QUERY was sent because a newer set was.
  var skippedSets: Set<QueryVersion> = []
  /// The bootstrap or download that is being integrated.
  var integrating: DownloadMessage?
  /// The compensating writes whose version has not been integrated, in order of arrival (protocol §8.1).
  var heldErrors: [ErrorMessage] = []
}
