// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The identity of a wait for completion, chosen by the driver.
typealias WaitToken = UInt64

/// Changesets of the history to upload; the answer to `fetchUploads`.
struct UploadBatch: Hashable, Sendable {
  /// The start of the requested range.
  var after: ClientVersion
  /// The app's changesets that are not empty, in the order of their versions, as they were committed (never as
  /// transformed); protocol §5.2.
  var entries: [UploadEntry]
  /// The position up to which the history was read, and the download cursor's server version at that client
  /// version. If nothing was left out, this is the last requested version.
  var scannedTo: UploadCursor
  /// The sets that the server has not answered, from the same snapshot of the file. The app may have committed a
  /// set of which the session has not been notified yet, followed by changes that the set allows.
  var pendingSets: [PendingSubscriptionSet]

  /// Returns the batch without anything after a version.
  func cut(through version: ClientVersion) -> UploadBatch {
    guard scannedTo.clientVersion > version else { return self }
    let entries = entries.prefix { $0.clientVersion <= version }
    return UploadBatch(
      after: after,
      entries: Array(entries),
      scannedTo: UploadCursor(clientVersion: version, serverVersion: entries.last?.serverVersion ?? 0),
      pendingSets: pendingSets
    )
  }
}

/// The state of the file after an integration; the answer to `integrate` and `applyBootstrap`.
struct IntegrationResult: Hashable, Sendable {
  /// The newest client version.
  var localVersion: ClientVersion
  /// The cursors as stored with the data.
  var progress: SyncProgress
}

extension ClientSession {
  /// An input of a session.
  enum Event: Hashable, Sendable {
    /// The first event, sent once: the state stored in the file.
    case start(StoredSessionState)
    /// A connection is open and uses a version that we offered.
    case connected(MonotonicTime)
    /// The connection was lost or closed.
    case disconnected(MonotonicTime)
    /// The connection cannot be restored: report this to the app and deactivate the session.
    case connectionFailed(SyncErrorReport)
    /// The server demands a client reset by means other than a session error (close code 1009).
    case clientResetDemanded(ClientResetDemand)
    /// A message for this session.
    case received(ServerMessage)

    /// The app committed; this is the newest client version. The event may also follow an integration.
    case localVersionAdvanced(ClientVersion)
    /// The app committed a subscription set.
    case subscriptionSetCommitted(PendingSubscriptionSet)

    /// The answer to `fetchUploads`.
    case uploadsFetched(UploadBatch)
    /// The answer to `integrate`.
    case integrated(IntegrationResult)
    /// The answer to `applyBootstrap`.
    case bootstrapApplied(IntegrationResult)
    /// The answer to `integrate` or `applyBootstrap` if the transaction failed and was rolled back: 212 for a
    /// changeset that cannot be parsed, merged or applied, 112 for one that is too large, 201 otherwise.
    case integrationFailed(ErrorCode, message: String)

    /// Requests `completed(token)` once everything that the server has now is integrated. The request survives
    /// reconnects.
    case downloadCompletionRequested(WaitToken)
    /// Requests `completed(token)` once the server has integrated all changes up to a client version.
    case uploadCompletionRequested(WaitToken, through: ClientVersion)

    /// The app pauses the session.
    case suspend
    /// The app resumes the session, which also works after a fatal error.
    case resume
    /// The timer started by `startTimer` fired.
    case timerFired
  }
}
