// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Sending, in the order of protocol §3.2.
extension ClientSession {
  /// The size of the changesets in one UPLOAD, in bytes; a soft limit (protocol §5.7).
  private static let uploadByteLimit = 128 << 10

  /// Sends everything that may be sent: MARK, then QUERY, then UPLOAD.
  mutating func pump() {
    while link == .active {
      if marks.isWanted {
        effects.append(.send(.mark(session: session, request: marks.send())))
      } else if binding.isDelayed {
        return
      } else if let set = dueQuery {
        send(set)
      } else {
        return fetchOrAcknowledge()
      }
    }
  }

  private var nextQuery: PendingSubscriptionSet? { pendingSets.first { $0.version > binding.lastQueried } }

  /// The newest set that may be sent. Earlier sets that may be sent too are useless by now: the server would only
  /// bootstrap views that are replaced at once (protocol §4.5).
  private var dueQuery: PendingSubscriptionSet? {
    pendingSets.last { $0.version > binding.lastQueried && isDue($0) }
  }

  private func isDue(_ set: PendingSubscriptionSet) -> Bool {
    configuration.isDownloadOnly || set.snapshotVersion <= binding.scanned.clientVersion
  }

  private mutating func send(_ set: PendingSubscriptionSet) {
    let skipped = pendingSets.filter { $0.version > binding.lastQueried && $0.version < set.version }
    binding.skippedSets.formUnion(skipped.map(\.version))
    binding.lastQueried = set.version
    effects.append(.send(.query(session: session, queryVersion: set.version, body: set.body)))
    marks.request()
  }

  private mutating func fetchOrAcknowledge() {
    guard !configuration.isDownloadOnly, !binding.isFetching, binding.integrating == nil else { return }
    // Changes made after a subscription set are uploaded after its QUERY.
    let target = min(localVersion, nextQuery?.snapshotVersion ?? localVersion)
    if target > binding.scanned.clientVersion {
      binding.isFetching = true
      effects.append(
        .fetchUploads(after: binding.scanned.clientVersion, through: target, byteLimit: Self.uploadByteLimit)
      )
    } else if binding.owesAcknowledgement, localVersion == binding.scanned.clientVersion, localVersion > 0,
      progress.download.serverVersion > acknowledged
    {
      binding.scanned.serverVersion = progress.download.serverVersion
      sendUpload([])
    }
  }

  /// The server version up to which the server knows, or has just been sent, that the client has integrated its
  /// downloads.
  private var acknowledged: ServerVersion {
    max(binding.reported.serverVersion, progress.upload.serverVersion)
  }

  mutating func upload(_ batch: UploadBatch) {
    guard binding.isFetching else { return }
    binding.isFetching = false
    for set in batch.pendingSets { insert(set) }
    // The server has acknowledged more in the meantime, so the answer no longer matches.
    guard batch.after == binding.scanned.clientVersion else { return pump() }
    // Changes made after a subscription set are uploaded after its QUERY, even if the session did not have the set
    // when it requested them.
    let limit = nextQuery?.snapshotVersion ?? .max
    guard limit > batch.after else { return pump() }
    let batch = batch.cut(through: limit)
    guard link == .active, batch.scannedTo.clientVersion > batch.after else { return }
    binding.scanned.clientVersion = batch.scannedTo.clientVersion
    binding.scanned.serverVersion = max(binding.scanned.serverVersion, batch.scannedTo.serverVersion)
    // Versions without changes are not worth a message. Nor is a server version without entries: with a server that
    // answers acknowledgements with a new version, this would never come to rest (protocol §5.2).
    let acknowledges =
      binding.owesAcknowledgement && binding.scanned.serverVersion > acknowledged
    if !batch.entries.isEmpty || acknowledges { sendUpload(batch.entries) }
    completeUploadWaits()
    pump()
  }

  private mutating func sendUpload(_ entries: [UploadEntry]) {
    binding.reported = binding.scanned
    if let last = entries.last { binding.lastSentEntry = last.clientVersion }
    if binding.reported.serverVersion >= progress.download.serverVersion {
      binding.owesAcknowledgement = false
    }
    let message = UploadMessage(
      session: session,
      progress: binding.scanned,
      lockedServerVersion: progress.download.serverVersion,
      entries: entries
    )
    effects.append(.send(.upload(message)))
  }

  /// Completes the waits for uploads once everything has been read and everything sent is integrated. Versions
  /// without changes count as uploaded (protocol §5.2).
  mutating func completeUploadWaits() {
    guard binding.lastSentEntry <= progress.upload.clientVersion else { return }
    let done = max(binding.scanned.clientVersion, progress.upload.clientVersion)
    for wait in uploadWaits where wait.version <= done { effects.append(.completed(wait.token)) }
    uploadWaits.removeAll { $0.version <= done }
  }

  mutating func addPendingSet(_ set: PendingSubscriptionSet) {
    insert(set)
    pump()
  }

  private mutating func insert(_ set: PendingSubscriptionSet) {
    localVersion = max(localVersion, set.snapshotVersion)
    guard set.version > activeSet.version, !pendingSets.contains(where: { $0.version == set.version }) else {
      return
    }
    pendingSets.append(set)
    pendingSets.sort { $0.version < $1.version }
  }
}
