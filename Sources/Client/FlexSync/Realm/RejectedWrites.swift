// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A change to one object that the server did not accept: the changes that a write transaction made to the object,
/// and those made to it until the server reverted them.
///
/// ```swift
/// for write in realm.rejectedWrites {
///   print(write.objectType, write.primaryKey, write.reason)
///   try realm.write {
///     try write.resubmit()
///     realm.object(ofType: Item.self, forPrimaryKey: id)?.complexity = 3
///   }
/// }
/// ```
public struct RejectedWrite: Identifiable {
  /// The state of a rejected write.
  public enum State: Sendable {
    /// Waiting to be resubmitted or discarded.
    case kept
    /// Resubmitted. Once the server accepts it, it is no longer listed; if the server rejects it again, it becomes
    /// `kept`.
    case resubmitted
  }

  /// Identifies the write in its file; never reused.
  public let id: Int64
  /// The class of the object.
  public let objectType: String
  /// The primary key of the object.
  public var primaryKey: AnyRealmValue { key.value }
  /// The reason given by the server.
  public let reason: String
  /// The state when the list was read.
  public let state: State
  /// The time of the write, by this device's clock.
  public let writtenAt: Date
  /// The time at which it was reverted, by the server's clock.
  public let rejectedAt: Date
  /// False if the history no longer had the changes when the server rejected them; the write cannot be resubmitted.
  public let hasChanges: Bool
  let key: PrimaryKeyCopy
  let handle: _RealmHandle

  /// Applies the write again, as part of the open write transaction, to the object in its present state; an object
  /// that the write created is created again. Changes that no longer have a place are left out. To look at what was
  /// written without writing it again, resubmit it and cancel the transaction.
  ///
  /// - Throws: `Realm.Error`: `noSubscriptionForWrite`, `objectInvalidated` if none of it has a place any longer, and
  ///   `invalidInput` if the write has been discarded or resubmitted in the meantime. Then nothing has been changed.
  /// - Precondition: the realm is in a write transaction.
  public func resubmit() throws {
    Misuse.require(handle.isInWrite, "A rejected write can only be resubmitted in a write transaction.")
    try handle.resubmitRejectedWrite(id)
  }

  /// Discards the write: as part of the open write transaction, or at once if there is none. Does nothing if the
  /// write no longer exists.
  public func discard() throws { try handle.discardRejectedWrite(id) }
}

/// A snapshot of the writes of a realm that the server did not accept, oldest first.
public struct RejectedWrites: RandomAccessCollection {
  private let writes: [RejectedWrite]
  private let handle: _RealmHandle

  init(_ handle: _RealmHandle) {
    self.handle = handle
    writes = handle.readRejectedWrites()
  }

  public var startIndex: Int { writes.startIndex }
  public var endIndex: Int { writes.endIndex }
  public subscript(position: Int) -> RejectedWrite { writes[position] }

  /// Observes the rejected writes of the realm until the token is invalidated or released. Insertions are new
  /// rejected writes; deletions are those that were discarded or that the server has accepted; modifications are
  /// those that were resubmitted or rejected again. The first call is made during the next refresh; each call receives
  /// the current list.
  ///
  /// ```swift
  /// token = realm.rejectedWrites.observe { change in
  ///   if case .update(let writes, _, let insertions, _) = change {
  ///     for index in insertions { show(writes[index].reason) }
  ///   }
  /// }
  /// ```
  public func observe(_ block: @escaping (RealmCollectionChange<RejectedWrites>) -> Void) -> NotificationToken
  {
    handle.observeRejectedWrites({ [handle] in RejectedWrites(handle) }, block)
  }
}

extension Realm {
  /// The writes of this synced realm that the server did not accept, oldest first, until they are resubmitted or
  /// discarded. The error handler of the sync manager reports new ones, and observers of the list are called when it
  /// changes.
  public var rejectedWrites: RejectedWrites {
    Misuse.require(handle.isSynced, "This Realm was not configured with flexible sync")
    return RejectedWrites(handle)
  }
}
