// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// A subscription set that awaits its bootstrap.
public struct PendingSubscriptionSet: Hashable, Sendable {
  public var version: QueryVersion
  /// The client version at which the set was committed. Changes up to it are uploaded before the QUERY, later ones
  /// after it (protocol §3.2).
  public var snapshotVersion: ClientVersion
  /// See `QuerySet`.
  public var body: [UInt8]

  public init(version: QueryVersion, snapshotVersion: ClientVersion, body: [UInt8]) {
    self.version = version
    self.snapshotVersion = snapshotVersion
    self.body = body
  }
}

/// The newest bootstrapped subscription set, which IDENT presents.
public struct ActiveSubscriptionSet: Hashable, Sendable {
  public var version: QueryVersion
  /// See `QuerySet`.
  public var body: [UInt8]
  /// `pending` only for version 0 of a new file; otherwise `awaitingMark` or `complete`.
  public var state: SubscriptionSetState

  public init(version: QueryVersion, body: [UInt8], state: SubscriptionSetState) {
    self.version = version
    self.body = body
    self.state = state
  }

  /// Version 0 of a new file: no subscriptions, not bootstrapped (protocol §4.3).
  public static let initial = ActiveSubscriptionSet(version: 0, body: QuerySet.empty.body, state: .pending)
}

/// The session state that a client's file stores.
public struct StoredSessionState: Hashable, Sendable {
  /// Nil until a server has allocated a client file ident.
  public var file: SaltedFileIdent?
  public var progress: SyncProgress
  /// The newest client version.
  public var localVersion: ClientVersion
  public var activeSet: ActiveSubscriptionSet
  /// The sets newer than the active one that are pending or bootstrapping, in ascending order; not those in error.
  public var pendingSets: [PendingSubscriptionSet]
  /// The set for which batches of an incomplete bootstrap are stored. They are discarded, because the server sends
  /// them again (protocol §4.3).
  public var partialBootstrap: QueryVersion?

  public init(
    file: SaltedFileIdent? = nil,
    progress: SyncProgress = .start,
    localVersion: ClientVersion,
    activeSet: ActiveSubscriptionSet = .initial,
    pendingSets: [PendingSubscriptionSet] = [],
    partialBootstrap: QueryVersion? = nil
  ) {
    self.file = file
    self.progress = progress
    self.localVersion = localVersion
    self.activeSet = activeSet
    self.pendingSets = pendingSets
    self.partialBootstrap = partialBootstrap
  }
}

/// The fixed settings of a session.
public struct ClientSessionConfiguration: Hashable, Sendable {
  /// Positive, and unique among the sessions of a connection.
  public var session: SessionIdent
  public var bindOptions: BindOptions
  /// Whether the session never sends an UPLOAD. Another file will continue with this file's ident, and that file's
  /// history must not count as uploaded (protocol §9.3).
  public var isDownloadOnly: Bool
  /// The seed for the jitter of delays.
  public var seed: UInt64

  public init(
    session: SessionIdent,
    bindOptions: BindOptions = BindOptions(),
    isDownloadOnly: Bool = false,
    seed: UInt64
  ) {
    self.session = session
    self.bindOptions = bindOptions
    self.isDownloadOnly = isDownloadOnly
    self.seed = seed
  }
}
