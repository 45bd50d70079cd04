// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// A complete bootstrap to be applied.
struct BootstrapApplication: Hashable, Sendable {
  /// The last message. Its entries follow those of the stored batches, and its cursors are the ones to save.
  var lastBatch: DownloadMessage
  /// The state of the set `lastBatch.queryVersion` once the bootstrap is applied.
  var newState: SubscriptionSetState
  /// The errors whose changes the bootstrap reverts.
  var rejections: [ErrorInfo] = []

  var queryVersion: QueryVersion { lastBatch.queryVersion }
}

extension ClientSession {
  /// An action for the driver, to be carried out in order and before the next event.
  ///
  /// An effect that requires an answer (`fetchUploads`, `integrate`, `applyBootstrap`) is the last of its list. The
  /// driver passes the answer to `handle` before any other event of this session, except `localVersionAdvanced`.
  /// Only `fetchUploads` may be answered later, for instance when the connection can take more; a new one replaces
  /// it.
  enum Effect: Hashable, Sendable {
    /// Send a message.
    case send(ClientMessage)

    /// Store the client file ident that the server allocated.
    case saveFileIdent(SaltedFileIdent)
    /// Read the history after one client version and through another, until the changesets exceed a number of
    /// bytes; at least one changeset if there is any. Answer: `uploadsFetched`.
    case fetchUploads(after: ClientVersion, through: ClientVersion, byteLimit: Int)
    /// Merge and apply the entries and save the cursors, in one transaction; without entries, only save the
    /// cursors. The rejections, whose changes the entries revert, may be kept in the same transaction; each is
    /// reported afterwards. Answer: `integrated` or `integrationFailed`.
    case integrate(DownloadMessage, rejections: [ErrorInfo])
    /// Store a batch of a bootstrap; delete stored batches of other versions.
    case storeBootstrapBatch(DownloadMessage)
    /// In one transaction, apply the stored batches and the last one, set the state of the set, delete all older
    /// sets and the batches, and save the cursors. The bootstrap may have no entries at all. Answer:
    /// `bootstrapApplied` or `integrationFailed`.
    case applyBootstrap(BootstrapApplication)
    /// Delete the stored batches.
    case discardBootstrapBatches
    /// Store the state of a set; for `error`, the message is the server's.
    case setSubscriptionState(QueryVersion, SubscriptionSetState, message: String?)

    /// Deliver `timerFired` after that many milliseconds. A session has one timer.
    case startTimer(milliseconds: UInt64)
    case cancelTimer

    /// Report an error to the app.
    case report(SyncErrorReport)
    /// Start over with a fresh copy of the file. The session is inactive.
    case resetClient(ClientResetDemand)
    /// Log the user out. The session is inactive.
    case logOutUser
    /// Close the connection, refresh the access token, and reconnect.
    case refreshUser
    /// Close the connection, refresh the location and the access token, and reconnect.
    case refreshLocation
    /// The server violated the protocol: close the connection for all its sessions and do not reconnect.
    case violation(ProtocolError)

    /// A wait for completion has ended.
    case completed(WaitToken)
    /// The server has integrated the changes up to that client version.
    case uploadAcknowledged(ClientVersion)
    /// The portion of the current download or bootstrap that has arrived, from 0 to 1.
    case downloadProgress(QueryVersion, estimate: Double, byteCount: Int)
    /// A line from the server for the log.
    case log(LogMessage)
  }
}
