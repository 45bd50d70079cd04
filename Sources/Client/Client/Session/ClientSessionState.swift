// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// A subscription set that awaits its bootstrap.
struct PendingSubscriptionSet: Hashable, Sendable {
  var version: QueryVersion
  /// The client version at which the set was committed. Changes up to it are uploaded before the QUERY, later ones
  /// after it (protocol §3.2).
  var snapshotVersion: ClientVersion
  /// See `QuerySet`.
  var body: [UInt8]
}

/// The newest bootstrapped subscription set, which IDENT presents.
struct ActiveSubscriptionSet: Hashable, Sendable {
  var version: QueryVersion
  /// See `QuerySet`.
  var body: [UInt8]
  /// `pending` only for version 0 of a new file; otherwise `awaitingMark` or `complete`.
  var state: SubscriptionSetState

  /// Version 0 of a new file: no subscriptions, not bootstrapped (protocol §4.3).
  static let initial = ActiveSubscriptionSet(version: 0, body: QuerySet.empty.body, state: .pending)
}

/// The session state that a client's file stores.
struct StoredSessionState: Hashable, Sendable {
  /// Nil until a server has allocated a client file ident.
  var file: SaltedFileIdent?
  var progress = SyncProgress.start
  /// The newest client version.
  var localVersion: ClientVersion
  var activeSet = ActiveSubscriptionSet.initial
  /// The sets newer than the active one that are pending or bootstrapping, in ascending order; not those in error.
  var pendingSets: [PendingSubscriptionSet] = []
  /// The set for which batches of an incomplete bootstrap are stored. They are discarded, because the server sends
  /// them again (protocol §4.3).
  var partialBootstrap: QueryVersion?
}

/// The fixed settings of a session.
struct ClientSessionConfiguration: Hashable, Sendable {
  /// Positive, and unique among the sessions of a connection.
  var session: SessionIdent
  var bindOptions = BindOptions()
  /// Whether the session never sends an UPLOAD. Another file will continue with this file's ident, and that file's
  /// history must not count as uploaded (protocol §9.3).
  var isDownloadOnly = false
  /// See `ConnectionTimeouts.fastReconnect`.
  var fastReconnectMilliseconds = ConnectionTimeouts().fastReconnect
  /// The seed for the jitter of delays.
  var seed: UInt64
}
