// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Whose file a realm is.
public enum RealmOwner: Hashable, Sendable {
  /// Nobody's: the file is never synced and keeps no history.
  case local
  /// The file of one user of one app.
  case synced(appID: String, userID: String)
}

/// The identity that the server gave to the file; both numbers are not 0.
public struct RealmFileIdent: Hashable, Sendable {
  /// The number of the file.
  public var ident: UInt64
  /// A random number, so that an ident cannot be guessed.
  public var salt: Int64

  /// Creates an identity.
  public init(ident: UInt64, salt: Int64) {
    self.ident = ident
    self.salt = salt
  }
}

/// The three cursors of a synced file (protocol §5.1).
public struct RealmProgress: Hashable, Sendable {
  /// Everything in the server's stream up to this version is integrated.
  public var downloadServerVersion: UInt64 = 0
  /// The newest client version that the server had integrated before that point.
  public var downloadClientVersion: UInt64 = 0
  /// The newest client version that the server has acknowledged.
  public var uploadClientVersion: UInt64 = 0
  /// The server version that was integrated at that client version.
  public var uploadServerVersion: UInt64 = 0
  /// The end of the server's history.
  public var latestServerVersion: UInt64 = 0
  /// Lets the server notice that it was restored from a backup.
  public var latestServerSalt: Int64 = 0

  /// The progress of a new file.
  public init() {}
}

/// A changeset from the server's stream, as it came.
public struct IncomingChangeset: Hashable, Sendable {
  /// The place in the stream.
  public var serverVersion: UInt64
  /// The newest client version that the server had integrated before; the changeset is merged over newer ones.
  public var clientVersion: UInt64
  /// Who made the change, and when.
  public var stamp: OriginStamp
  /// The encoded changeset.
  public var bytes: [UInt8]

  /// Creates an entry.
  public init(serverVersion: UInt64, clientVersion: UInt64, stamp: OriginStamp, bytes: [UInt8]) {
    self.serverVersion = serverVersion
    self.clientVersion = clientVersion
    self.stamp = stamp
    self.bytes = bytes
  }
}

/// A local changeset for the server, exactly as it was committed.
public struct OutgoingChangeset: Hashable, Sendable {
  /// The version that the changeset made.
  public let clientVersion: UInt64
  /// The server version that was integrated before.
  public let serverVersion: UInt64
  /// Milliseconds since 2015-01-01T00:00:00Z.
  public let timestamp: UInt64
  /// The encoded changeset.
  public let bytes: [UInt8]
}

/// A part of the local history.
public struct OutgoingBatch: Hashable, Sendable {
  /// The changesets, oldest first.
  public let changesets: [OutgoingChangeset]
  /// The history has been looked through up to this version.
  public let scannedClientVersion: UInt64
  /// The server version that was integrated at that client version.
  public let scannedServerVersion: UInt64
}

/// The state of a subscription set (protocol §4.2).
public enum SubscriptionSetState: Int64, Hashable, Sendable {
  /// Not yet answered by the server.
  case pending = 1
  /// A part of its objects has come.
  case bootstrapping = 2
  /// In force, and everything that was due has come.
  case complete = 3
  /// Refused by the server.
  case error = 4
  /// Replaced by a newer set; such sets are not stored.
  case superseded = 5
  /// In force; changes that were made meanwhile may still be on their way.
  case awaitingMark = 6
}

/// A subscription as it is stored.
public struct StoredSubscription: Hashable, Sendable {
  /// Identifies the subscription from set to set.
  public var id: ObjectId
  /// The name that the app gave.
  public var name: String?
  /// The class of the objects.
  public var className: String
  /// The query, in canonical text.
  public var query: String
  /// When the subscription was made.
  public var createdAt: Timestamp
  /// When it was last changed.
  public var updatedAt: Timestamp

  /// Creates a record.
  public init(
    id: ObjectId,
    name: String?,
    className: String,
    query: String,
    createdAt: Timestamp,
    updatedAt: Timestamp
  ) {
    self.id = id
    self.name = name
    self.className = className
    self.query = query
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}

/// A subscription set as it is stored.
public struct StoredSubscriptionSet: Hashable, Sendable {
  /// The number of the set; 0 is the empty set of a new file.
  public var version: Int64
  /// How far the server has answered it.
  public var state: SubscriptionSetState
  /// The client version at which the set was made: older changes are uploaded before the set is sent.
  public var snapshotVersion: UInt64
  /// Why the server refused it.
  public var errorText: String?
  /// The subscriptions in the order in which they were made.
  public var subscriptions: [StoredSubscription]
}

/// A change from the server that cannot be integrated. The file is as it was before.
public struct IntegrationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place in the stream of the first entry that was merged together.
  public let serverVersion: UInt64
  /// What is wrong with it.
  public let reason: String

  /// The place and the reason.
  public var description: String {
    "The change at server version \(serverVersion) cannot be integrated: \(reason)"
  }
}
