// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// A change of one object that the server did not take: what a write transaction did to the object, and what was done to
/// it until the server took that back.
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
  /// What has become of a rejected write.
  public enum State: Sendable {
    /// It waits to be resubmitted or discarded.
    case kept
    /// It was resubmitted. When the server takes it, it is listed no more; when it rejects it again, it is `kept`.
    case resubmitted
  }

  /// Identifies the write in its file; never used twice.
  public let id: Int64
  /// The class of the object.
  public let objectType: String
  /// The primary key of the object.
  public var primaryKey: AnyRealmValue { key.value }
  /// Why it was rejected, in the server's words.
  public let reason: String
  /// What had become of it when the list was read.
  public let state: State
  /// When it was written, on the clock of this device.
  public let writtenAt: Date
  /// When it was taken back, on the clock of the server.
  public let rejectedAt: Date
  /// False if what was written was forgotten before the server rejected it; it cannot be resubmitted.
  public let hasChanges: Bool
  private let key: PrimaryKeyCopy
  private let handle: _RealmHandle

  init(_ write: flx_rejected_write_t, _ handle: _RealmHandle) {
    self.handle = handle
    id = write.id
    objectType = String(write.class_name)
    key = PrimaryKeyCopy(write.primary_key)
    reason = String(write.reason)
    state = write.state == .FLX_REJECTED_WRITE_RESUBMITTED ? .resubmitted : .kept
    writtenAt = Date(write.written_at)
    rejectedAt = Date(write.rejected_at)
    hasChanges = write.has_changes
  }

  /// Makes the write again, as a part of the open write transaction, on the object as it is now; an object that the
  /// write created is created again. What has no place any more is left out. A transaction that is canceled shows what was
  /// written without making it again.
  ///
  /// - Throws: `Realm.Error`: `noSubscriptionForWrite`, `objectInvalidated` if nothing of it has a place any more, and
  ///   `invalidInput` if the write was discarded or resubmitted meanwhile. Then nothing has been changed.
  /// - Precondition: the realm is in a write transaction.
  public func resubmit() throws {
    precondition(handle.isInWrite, "A rejected write can only be resubmitted in a write transaction.")
    try check { flx_rejected_write_resubmit(handle.pointer, id, $0) }
  }

  /// Forgets the write: with the open write transaction, or at once if there is none. One that is gone already is none of
  /// its business.
  public func discard() throws { try check { flx_rejected_write_discard(handle.pointer, id, nil, $0) } }
}

/// The writes of a realm that the server did not take, oldest first, as they were when `Realm.rejectedWrites` gave them.
public struct RejectedWrites: RandomAccessCollection {
  private let writes: [RejectedWrite]
  private let handle: _RealmHandle

  init(_ handle: _RealmHandle) {
    self.handle = handle
    var pointer: OpaquePointer?
    trapOnMisuse { flx_rejected_writes_get(handle.pointer, &pointer, $0) }
    guard let pointer else { preconditionFailure("a list that was made is missing") }
    defer { flx_rejected_writes_release(pointer) }
    writes = (0..<flx_rejected_writes_count(pointer)).map { index in
      var write = flx_rejected_write_t()
      mustSucceed { flx_rejected_writes_at(pointer, index, &write, $0) }
      return RejectedWrite(write, handle)
    }
  }

  public var startIndex: Int { writes.startIndex }
  public var endIndex: Int { writes.endIndex }
  public subscript(position: Int) -> RejectedWrite { writes[position] }

  /// Observes the rejected writes of the realm until the token is invalidated or released: those that came, also because
  /// the server rejected them, those that were discarded or that the server has taken, and, as modifications, those that
  /// were resubmitted or rejected again. The first call comes with the next refresh; each gets the list as it is then.
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
    NotificationToken.make(on: handle) { box, token, error in
      flx_rejected_writes_observe(
        handle.pointer,
        { callCollectionObserver($0, $1) },
        box,
        freeCallbackBox,
        token,
        error
      )
    } callback: { [handle] (changes: flx_collection_changes_t) in
      block(RealmCollectionChange(RejectedWrites(handle), changes))
    }
  }
}

extension Realm {
  /// The writes of this synced realm that the server did not take, oldest first, until they are resubmitted or discarded.
  /// The error handler of the sync manager tells when there are more, and observers of the list when it changes.
  public var rejectedWrites: RejectedWrites {
    precondition(flx_realm_is_synced(handle.pointer), "This Realm was not configured with flexible sync")
    return RejectedWrites(handle)
  }
}
