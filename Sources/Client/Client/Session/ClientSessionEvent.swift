// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Names a wait for completion; chosen by the driver.
public typealias WaitToken = UInt64

/// Changesets of the history that are to be uploaded; the answer to `fetchUploads`.
public struct UploadBatch: Hashable, Sendable {
  /// As asked.
  public var after: ClientVersion
  /// The app's changesets that are not empty, in the order of their versions, as they were committed (never as
  /// transformed); protocol §5.2.
  public var entries: [UploadEntry]
  /// How far the history was read, and the download cursor's server version at that client version. If nothing was
  /// left out, this is the last version that was asked for.
  public var scannedTo: UploadCursor
  /// The sets that the server has not answered, as of the same snapshot of the file: the app may have committed one
  /// that the session has not been told of, and then changes that it allows.
  public var pendingSets: [PendingSubscriptionSet]

  public init(
    after: ClientVersion,
    entries: [UploadEntry],
    scannedTo: UploadCursor,
    pendingSets: [PendingSubscriptionSet]
  ) {
    self.after = after
    self.entries = entries
    self.scannedTo = scannedTo
    self.pendingSets = pendingSets
  }

  /// The batch without what comes after a version.
  public func cut(through version: ClientVersion) -> UploadBatch {
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

/// What the file holds after an integration; the answer to `integrate` and `applyBootstrap`.
public struct IntegrationResult: Hashable, Sendable {
  /// The newest client version.
  public var localVersion: ClientVersion
  /// The cursors as stored, together with the data.
  public var progress: SyncProgress

  public init(localVersion: ClientVersion, progress: SyncProgress) {
    self.localVersion = localVersion
    self.progress = progress
  }
}

extension ClientSession {
  /// What happens to a session.
  public enum Event: Hashable, Sendable {
    /// Once, first: what the file remembers.
    case start(StoredSessionState)
    /// A connection is open, with the version that we offered.
    case connected(MonotonicTime)
    /// The connection is lost or was closed.
    case disconnected(MonotonicTime)
    /// The connection cannot be had again: tells the app and deactivates the session.
    case connectionFailed(SyncErrorReport)
    /// The server wants a client reset by other means than an error of the session (close code 1009).
    case clientResetDemanded(ClientResetDemand)
    /// A message for this session.
    case received(ServerMessage)

    /// The app committed; the newest client version. It may also be told after an integration.
    case localVersionAdvanced(ClientVersion)
    /// The app committed a subscription set.
    case subscriptionSetCommitted(PendingSubscriptionSet)

    /// Answers `fetchUploads`.
    case uploadsFetched(UploadBatch)
    /// Answers `integrate`.
    case integrated(IntegrationResult)
    /// Answers `applyBootstrap`.
    case bootstrapApplied(IntegrationResult)
    /// Answers `integrate` or `applyBootstrap` if the transaction failed and was rolled back: 212 for a changeset that
    /// cannot be parsed, merged or applied, 112 for one that is too large, 201 otherwise.
    case integrationFailed(ErrorCode, message: String)

    /// Asks for `completed(token)` once everything that the server has now is integrated. It survives connections.
    case downloadCompletionRequested(WaitToken)
    /// Asks for `completed(token)` once the server has integrated all changes up to that client version.
    case uploadCompletionRequested(WaitToken, through: ClientVersion)

    /// The app pauses the session.
    case suspend
    /// The app lets the session go on, also after a fatal error.
    case resume
    /// The timer of `startTimer` fired.
    case timerFired
  }
}
