// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The client's side of one synchronised file: decides everything, does nothing (protocol §3 to §5).
///
/// A value that takes events and returns effects. It needs no clock, no socket and no file, so a simulation can run
/// it. One session object lives as long as its file is open; it is bound on each new connection again.
public struct ClientSession: Sendable {
  /// Where the session stands on the connection.
  enum Link: Hashable, Sendable {
    case disconnected
    /// There is a connection, and the server does not know the session.
    case unbound
    /// BIND is sent and asked for a file ident.
    case waitingForIdent
    /// IDENT is sent.
    case active
    /// We sent JSON_ERROR: nothing more is sent, downloads are ignored.
    case clientFailed
    /// UNBIND is sent. Messages of a session that had sent IDENT may still be on their way.
    case unbinding(hadIdent: Bool)
  }

  /// What the session would like.
  enum Activity: Hashable, Sendable {
    case running
    /// Paused by the app.
    case suspended
    /// Paused by an error of the server until the timer fires.
    case waiting
    /// Stopped by an error until the app resumes it.
    case inactive
  }

  public let configuration: ClientSessionConfiguration
  var activity = Activity.running
  var link = Link.disconnected
  var random: RandomSource
  var resumptionDelay = Backoff<ErrorCode>()

  // What the file remembers, followed along.
  var file: SaltedFileIdent?
  var progress = SyncProgress.start
  var localVersion: ClientVersion = 0
  var activeSet = ActiveSubscriptionSet.initial
  var pendingSets: [PendingSubscriptionSet] = []
  var partialBootstrap: QueryVersion?

  /// Whether a MARK was answered since the session became active; uploads wait for that (protocol §3.2).
  var hasCaughtUp = false
  var lostConnectionAt: MonotonicTime?
  var marks = MarkRequests()
  var uploadWaits: [(token: WaitToken, version: ClientVersion)] = []
  var binding = Binding()

  public init(configuration: ClientSessionConfiguration) {
    self.configuration = configuration
    random = RandomSource(seed: configuration.seed)
  }

  public var session: SessionIdent { configuration.session }

  /// Whether the server knows nothing of the session (any more), so that it can be forgotten.
  public var isUnbound: Bool { link == .disconnected || link == .unbound }

  /// Whether the session waits for nothing but a connection.
  public var wantsConnection: Bool { activity == .running || activity == .waiting }

  /// Whether the server has confirmed that nothing is missing since the session last became active.
  public var isCaughtUp: Bool { hasCaughtUp && link == .active }

  /// Takes one event and says what to do about it.
  public mutating func handle(_ event: Event) -> [Effect] {
    var effects: [Effect] = []
    switch event {
    case .start(let state): start(state, &effects)
    case .connected(let now): connect(now, &effects)
    case .disconnected(let now): disconnect(now, &effects)
    case .connectionFailed(let report): failConnection(report, &effects)
    case .clientResetDemanded(let demand): demandReset(demand, &effects)
    case .received(let message): receive(message, &effects)
    case .localVersionAdvanced(let version):
      localVersion = max(localVersion, version)
      pump(&effects)
    case .subscriptionSetCommitted(let set): addPendingSet(set, &effects)
    case .uploadsFetched(let batch): upload(batch, &effects)
    case .integrated(let result): finishIntegration(result, &effects)
    case .bootstrapApplied(let result): finishBootstrap(result, &effects)
    case .integrationFailed(let code, let message): failIntegration(code, message, &effects)
    case .downloadCompletionRequested(let token):
      marks.request(token: token)
      pump(&effects)
    case .uploadCompletionRequested(let token, let version):
      uploadWaits.append((token: token, version: version))
      completeUploadWaits(&effects)
      pump(&effects)
    case .suspend: suspend(&effects)
    case .resume: resume(&effects)
    case .timerFired:
      guard activity == .waiting else { break }
      activity = .running
      bind(&effects)
    }
    return effects
  }
}

/// What holds between a BIND and the end of that binding.
struct Binding: Hashable, Sendable {
  /// How far the history has been read for uploads.
  var scanned = UploadCursor.start
  /// The progress that the last UPLOAD told.
  var reported = UploadCursor.start
  /// The version of the last changeset that was sent, 0 if none.
  var lastSentEntry: ClientVersion = 0
  var isFetching = false
  /// Whether entries were integrated that no UPLOAD has acknowledged.
  var owesAcknowledgement = false
  /// Whether uploads and queries are held back until the first MARK is answered.
  var isDelayed = true
  /// The cursors of the last DOWNLOAD, also of one that is only stored.
  var received = SyncProgress.start
  /// The newest set that IDENT or a QUERY named.
  var lastQueried: QueryVersion = 0
  /// Pending sets for which no QUERY was sent, because a newer one was.
  var skippedSets: Set<QueryVersion> = []
  /// The bootstrap or download that is being integrated.
  var integrating: DownloadMessage?
  /// Compensating writes whose version is not integrated, in the order of arrival (protocol §8.1).
  var heldErrors: [ErrorMessage] = []
}
