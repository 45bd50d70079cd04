// SPDX-License-Identifier: Apache-2.0

@testable import FlexSyncCore
@testable import FlexSyncWire

/// One commit of a client's file.
struct MemoryCommit {
  var clientVersion: ClientVersion
  var serverVersion: ServerVersion
  /// Empty for commits that integrate downloads.
  var changeset: [UInt8] = []
}

/// A client's file in memory, the session that synchronises it, and the driver between them.
struct MemoryClient {
  var session: ClientSession
  var stored: StoredSessionState
  var history: [MemoryCommit] = []
  var batches: [DownloadMessage] = []
  /// The changesets that were integrated, in order.
  var integrated: [[UInt8]] = []
  var setStates: [QueryVersion: SubscriptionSetState] = [:]
  /// Everything that the session said since it was last looked at.
  var effects: [ClientSession.Effect] = []
  /// The error of the next integration.
  var nextFailure: ErrorCode?
  /// Whether `fetchUploads` is answered only by `answerFetch`.
  var defersFetches = false
  private var wantedUploads: (after: ClientVersion, through: ClientVersion)?

  init(
    _ stored: StoredSessionState = StoredSessionState(localVersion: 1),
    configuration: ClientSessionConfiguration = ClientSessionConfiguration(session: 1, seed: 1)
  ) {
    session = ClientSession(configuration: configuration)
    self.stored = stored
    feed(.start(stored))
  }

  /// The messages that were sent since this was last asked.
  mutating func takeMessages() -> [ClientMessage] {
    let messages = effects.compactMap { effect in
      if case .send(let message) = effect { message } else { nil }
    }
    effects.removeAll { if case .send = $0 { true } else { false } }
    return messages
  }

  /// The heads of the messages that were sent since this was last asked.
  mutating func takeHeads() -> [String] { takeMessages().map(\.head) }

  mutating func feed(_ event: ClientSession.Event) {
    for effect in session.handle(event) {
      effects.append(effect)
      perform(effect)
    }
  }

  /// Gives a message to the session as its bytes.
  mutating func receive(_ text: String) throws { feed(.received(try ServerMessage.decode(Array(text.utf8)))) }

  /// A local write.
  mutating func commit(_ changeset: String) {
    stored.localVersion += 1
    history.append(
      MemoryCommit(
        clientVersion: stored.localVersion,
        serverVersion: stored.progress.download.serverVersion,
        changeset: Array(changeset.utf8)
      )
    )
    feed(.localVersionAdvanced(stored.localVersion))
  }

  /// - Parameters:
  ///   - isTold: whether the session learns of it at once.
  ///   - isCommit: whether it makes a client version of its own.
  mutating func commitSet(_ version: QueryVersion, isTold: Bool = true, isCommit: Bool = true) {
    if isCommit { stored.localVersion += 1 }
    let set = PendingSubscriptionSet(
      version: version,
      snapshotVersion: stored.localVersion,
      body: Array(#"{"Task":"(a == \#(version))"}"#.utf8)
    )
    stored.pendingSets.append(set)
    setStates[version] = .pending
    if isTold { feed(.subscriptionSetCommitted(set)) }
  }

  /// Reads the history for the last `fetchUploads`; false if it is answered.
  @discardableResult
  mutating func answerFetch() -> Bool {
    guard let wanted = wantedUploads else { return false }
    wantedUploads = nil
    fetch(wanted.after, wanted.through)
    return true
  }

  /// What a new process finds; the bootstrap batches are stored, too.
  mutating func restart() {
    stored.partialBootstrap = batches.first?.queryVersion
    session = ClientSession(configuration: session.configuration)
    effects = []
    feed(.start(stored))
  }

  private mutating func perform(_ effect: ClientSession.Effect) {
    switch effect {
    case .saveFileIdent(let file): stored.file = file
    case .fetchUploads(let after, let through, _):
      wantedUploads = (after, through)
      if !defersFetches { answerFetch() }
    case .integrate(let message, _):
      guard !failIfWanted() else { return }
      apply(message.entries, message.progress)
      feed(.integrated(result))
    case .storeBootstrapBatch(let message):
      batches.removeAll { $0.queryVersion != message.queryVersion }
      batches.append(message)
    case .discardBootstrapBatches: batches = []
    case .applyBootstrap(let bootstrap):
      guard !failIfWanted() else { return }
      apply(bootstrap)
      feed(.bootstrapApplied(result))
    case .setSubscriptionState(let version, let state, _):
      setStates[version] = state
      if state == .error { stored.pendingSets.removeAll { $0.version == version } }
      if stored.activeSet.version == version { stored.activeSet.state = state }
    default: break
    }
  }

  private var result: IntegrationResult {
    IntegrationResult(localVersion: stored.localVersion, progress: stored.progress)
  }

  private mutating func failIfWanted() -> Bool {
    guard let code = nextFailure else { return false }
    nextFailure = nil
    feed(.integrationFailed(code, message: "as the test wants"))
    return true
  }

  private mutating func fetch(_ after: ClientVersion, _ through: ClientVersion) {
    let range = history.filter { $0.clientVersion > after && $0.clientVersion <= through }
    // Two changesets are enough for one message, so that there are several.
    let entries = range.filter { !$0.changeset.isEmpty }.prefix(2)
    let isAll = entries.count == range.filter { !$0.changeset.isEmpty }.count
    let scanned = isAll ? through : entries.last?.clientVersion ?? through
    let serverVersion = history.last { $0.clientVersion <= scanned }?.serverVersion ?? 0
    feed(
      .uploadsFetched(
        UploadBatch(
          after: after,
          entries: entries.map {
            UploadEntry(
              clientVersion: $0.clientVersion,
              serverVersion: $0.serverVersion,
              timestamp: 1,
              changeset: $0.changeset
            )
          },
          scannedTo: UploadCursor(clientVersion: scanned, serverVersion: serverVersion),
          pendingSets: stored.pendingSets
        )
      )
    )
  }

  private mutating func apply(_ entries: [DownloadEntry], _ progress: SyncProgress) {
    integrated += entries.map(\.changeset)
    stored.progress = progress
    guard !entries.isEmpty else { return }
    stored.localVersion += 1
    history.append(
      MemoryCommit(clientVersion: stored.localVersion, serverVersion: progress.download.serverVersion)
    )
  }

  private mutating func apply(_ bootstrap: BootstrapApplication) {
    let version = bootstrap.queryVersion
    apply(batches.flatMap(\.entries) + bootstrap.lastBatch.entries, bootstrap.lastBatch.progress)
    batches = []
    if let set = stored.pendingSets.first(where: { $0.version == version }) {
      stored.activeSet = ActiveSubscriptionSet(version: version, body: set.body, state: bootstrap.newState)
    } else {
      stored.activeSet.state = bootstrap.newState
    }
    stored.pendingSets.removeAll { $0.version <= version }
    setStates = setStates.filter { $0.key >= version }
    setStates[version] = bootstrap.newState
  }
}

extension ClientMessage {
  /// The first line, which tests compare.
  var head: String { String(decoding: encode().prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
}

extension ServerMessage {
  var head: String { String(decoding: encode().prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
}
