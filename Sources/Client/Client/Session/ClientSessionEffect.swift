// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// A bootstrap that is complete.
public struct BootstrapApplication: Hashable, Sendable {
  /// The last message: its entries come after those of the stored batches, and its cursors are the ones to save.
  public var lastBatch: DownloadMessage
  /// The state of the set `lastBatch.queryVersion` afterwards.
  public var newState: SubscriptionState
  /// The errors whose changes are taken back herewith.
  public var rejections: [ErrorInfo]

  public init(lastBatch: DownloadMessage, newState: SubscriptionState, rejections: [ErrorInfo] = []) {
    self.lastBatch = lastBatch
    self.newState = newState
    self.rejections = rejections
  }

  public var queryVersion: QueryVersion { lastBatch.queryVersion }
}

extension ClientSession {
  /// What the driver must do, in this order and before the next event.
  ///
  /// An effect that has an answer (`fetchUploads`, `integrate`, `applyBootstrap`) is the last of its list. The driver
  /// gives the answer to `handle` before any other event of this session, except `localVersionAdvanced`. Only
  /// `fetchUploads` may be answered later, for instance when the connection can take more; a new one replaces it.
  public enum Effect: Hashable, Sendable {
    /// Send a message.
    case send(ClientMessage)

    /// Store the ident that the server allocated for the file.
    case saveFileIdent(SaltedFileIdent)
    /// Read the history after one client version, through another one, until the changesets exceed a count of bytes;
    /// at least one changeset if there is any. Answer: `uploadsFetched`.
    case fetchUploads(after: ClientVersion, through: ClientVersion, byteLimit: Int)
    /// Merge and apply the entries and save the cursors, in one transaction; without entries, only save the cursors.
    /// The rejections, whose changes the entries take back, may be kept with them; each is reported afterwards.
    /// Answer: `integrated` or `integrationFailed`.
    case integrate(DownloadMessage, rejections: [ErrorInfo])
    /// Store a batch of a bootstrap; delete stored batches of other versions.
    case storeBootstrapBatch(DownloadMessage)
    /// Apply the stored batches and the last one, set the state of the set, delete all older sets and the batches, and
    /// save the cursors, in one transaction. The bootstrap may have no entry at all. Answer: `bootstrapApplied` or
    /// `integrationFailed`.
    case applyBootstrap(BootstrapApplication)
    /// Delete the stored batches.
    case discardBootstrapBatches
    /// Store the state of a set; the message is the server's for `error`.
    case setSubscriptionState(QueryVersion, SubscriptionState, message: String?)

    /// Give `timerFired` after that many milliseconds. There is one timer for a session.
    case startTimer(milliseconds: UInt64)
    case cancelTimer

    /// Tell the app.
    case report(SyncErrorReport)
    /// Start over with a fresh copy of the file. The session is inactive.
    case resetClient(ClientResetDemand)
    /// Log the user out. The session is inactive.
    case logOutUser
    /// Close the connection, refresh the access token, connect again.
    case refreshUser
    /// Close the connection, refresh location and access token, connect again.
    case refreshLocation
    /// The server broke the protocol: close the connection for all its sessions and do not connect again.
    case violation(ProtocolError)

    /// A wait for completion has come to its end.
    case completed(WaitToken)
    /// The server has integrated the changes up to that client version.
    case uploadAcknowledged(ClientVersion)
    /// How much of the current download or bootstrap has arrived, 0 to 1.
    case downloadProgress(QueryVersion, estimate: Double)
    /// A line of the server for the log.
    case log(LogMessage)
  }
}
