// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// The owner of a realm file.
public enum RealmOwner: Hashable, Sendable {
  /// No owner: the file is never synced and keeps no history.
  case local
  /// The file of one user of one app.
  case synced(appID: String, userID: String)
}

/// The client file ident that the server assigned, with its salt; neither number is 0.
public struct RealmFileIdent: Hashable, Sendable {
  /// The number of the file.
  public var ident: UInt64
  /// A random number that keeps idents from being guessed.
  public var salt: Int64

  /// Creates an ident.
  public init(ident: UInt64, salt: Int64) {
    self.ident = ident
    self.salt = salt
  }
}

/// The three cursors of a synced file (protocol §5.1).
public struct RealmProgress: Hashable, Sendable {
  /// The version up to which the server's stream is integrated in full.
  public var downloadServerVersion: UInt64 = 0
  /// The newest client version that the server had integrated at that point.
  public var downloadClientVersion: UInt64 = 0
  /// The newest client version that the server has acknowledged.
  public var uploadClientVersion: UInt64 = 0
  /// The server version that was integrated as of that client version.
  public var uploadServerVersion: UInt64 = 0
  /// The end of the server's history.
  public var latestServerVersion: UInt64 = 0
  /// The salt by which the server notices that it was restored from a backup.
  public var latestServerSalt: Int64 = 0

  /// The progress of a new file.
  public init() {}
}

/// A changeset from the server's stream, as received.
public struct IncomingChangeset: Hashable, Sendable {
  /// The position in the stream.
  public var serverVersion: UInt64
  /// The newest client version that the server had integrated before; newer local changes are merged with the
  /// changeset.
  public var clientVersion: UInt64
  /// The origin and the time of the change.
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

/// A local changeset for the server, exactly as committed.
public struct OutgoingChangeset: Hashable, Sendable {
  /// The client version that the changeset produced.
  public let clientVersion: UInt64
  /// The server version that was integrated when the changeset was committed.
  public let serverVersion: UInt64
  /// Milliseconds since 2015-01-01T00:00:00Z.
  public let timestamp: UInt64
  /// The encoded changeset.
  public let bytes: [UInt8]
}

/// A portion of the local history.
public struct OutgoingBatch: Hashable, Sendable {
  /// The changesets, oldest first.
  public let changesets: [OutgoingChangeset]
  /// The client version up to which the history has been scanned.
  public let scannedClientVersion: UInt64
  /// The server version that was integrated as of that client version.
  public let scannedServerVersion: UInt64
}

/// The state of a subscription set (protocol §4.2).
public enum SubscriptionSetState: Int64, Hashable, Sendable {
  /// Not yet answered by the server.
  case pending = 1
  /// Some of its objects have arrived.
  case bootstrapping = 2
  /// In force, and everything due has arrived.
  case complete = 3
  /// Refused by the server.
  case error = 4
  /// Replaced by a newer set; such sets are not stored.
  case superseded = 5
  /// In force; changes made during the bootstrap may still be on their way.
  case awaitingMark = 6
}

/// A subscription as stored.
public struct StoredSubscription: Hashable, Sendable {
  /// The identity of the subscription across sets.
  public var id: ObjectId
  /// The name given by the app.
  public var name: String?
  /// The class of the objects.
  public var className: String
  /// The query, in canonical text.
  public var query: String
  /// The time at which the subscription was created.
  public var createdAt: Timestamp
  /// The time of its last change.
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

/// A subscription set as stored.
public struct StoredSubscriptionSet: Hashable, Sendable {
  /// The number of the set; 0 is the empty set of a new file.
  public var version: Int64
  /// The server's progress in answering the set.
  public var state: SubscriptionSetState
  /// The client version at which the set was made: changes up to it are uploaded before the set is sent.
  public var snapshotVersion: UInt64
  /// The server's reason for refusing the set.
  public var errorText: String?
  /// The subscriptions in order of creation.
  public var subscriptions: [StoredSubscription]
}

/// A change from the server that cannot be integrated. The file is left unchanged.
public struct IntegrationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The position in the stream of the first entry in the merged group.
  public let serverVersion: UInt64
  /// A description of the fault.
  public let reason: String

  /// The position and the reason.
  public var description: String {
    "The change at server version \(serverVersion) cannot be integrated: \(reason)"
  }
}
