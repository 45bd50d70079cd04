// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The owner of a realm file.
public enum RealmOwner: Hashable, Sendable {
  /// No owner: the file is never synced and keeps no history.
  case local
  /// The file of one user of one app.
  case synced(appID: String, userID: String)
}

/// The state of a subscription set. The raw values are those persisted (protocol §4.2).
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

  /// Creates a subscription that has not been changed since its creation.
  public init(id: ObjectId, name: String?, className: String, query: String, createdAt: Timestamp) {
    self.id = id
    self.name = name
    self.className = className
    self.query = query
    self.createdAt = createdAt
    updatedAt = createdAt
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
