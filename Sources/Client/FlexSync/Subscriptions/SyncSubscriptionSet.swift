// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The subscriptions of a realm, which determine the objects in its file.
///
/// A set shows what was committed when `Realm.subscriptions` returned it, or by its own last update. Within an update
/// block it shows the set as it is being changed.
public struct SyncSubscriptionSet {
  let handle: _RealmHandle
  let snapshot: SubscriptionSnapshot

  init(_ handle: _RealmHandle) {
    self.handle = handle
    snapshot = SubscriptionSnapshot(handle)
  }

  public var count: Int {
    handle.live.openUpdate?.count ?? snapshot.count
  }

  /// The version: 0 for the empty set of a new file, and one more for each update.
  public var version: Int { Int(snapshot.version) }

  /// The current state. A set that has been followed by another update becomes superseded.
  public var state: SyncSubscriptionState {
    snapshot.refreshedState()
  }

  public var first: SyncSubscription? { count > 0 ? self[0] : nil }

  public var last: SyncSubscription? { count > 0 ? self[count - 1] : nil }

  /// The subscription at a position, in the order of insertion.
  public subscript(position: Int) -> SyncSubscription? {
    let count = count
    Misuse.require(
      position >= 0 && position < count,
      "Index \(position) is out of bounds (must be less than \(count))."
    )
    return handle.live.openUpdate?.subscription(at: position, handle) ?? snapshot.subscription(at: position)
  }

  /// Returns the subscription with the given name.
  public func first(named name: String) -> SyncSubscription? { first { $0.name == name } }

  /// Returns the first subscription with the given class and condition, whatever its name.
  public func first<ObjectType: Object>(
    ofType type: ObjectType.Type,
    where condition: (Query<ObjectType>) -> Query<Bool>
  ) -> SyncSubscription? {
    first(matching: Realm(handle).objects(type).where(condition))
  }

  /// Returns the first subscription with the given class and query in Realm Query Language, whatever its name.
  public func first<ObjectType: Object>(
    ofType type: ObjectType.Type,
    where query: String,
    _ arguments: Any...
  ) -> SyncSubscription? {
    first(of: type, RenderedQuery(text: query, anyArguments: arguments))
  }

  /// Returns the first subscription with the given class and predicate, whatever its name.
  public func first<ObjectType: Object>(ofType type: ObjectType.Type, where predicate: NSPredicate)
    -> SyncSubscription?
  {
    first(of: type, RenderedQuery(predicate))
  }

  private func first<ObjectType: Object>(of type: ObjectType.Type, _ query: RenderedQuery)
    -> SyncSubscription?
  {
    first(matching: Realm(handle).objects(type).matching(query))
  }

  private func first<ObjectType: Object>(matching results: Results<ObjectType>) -> SyncSubscription? {
    let className = handle.binding(of: ObjectType.self).discovered.name
    let query = results.predicateText
    return first { $0.objectType == className && $0.queryString == query }
  }
}

extension SyncSubscriptionSet: Sequence {
  public func makeIterator() -> AnyIterator<SyncSubscription> {
    var position = 0
    let count = count
    return AnyIterator {
      guard position < count else { return nil }
      defer { position += 1 }
      return self[position]
    }
  }
}

extension Realm {
  /// The subscriptions of a synced realm.
  public var subscriptions: SyncSubscriptionSet {
    Misuse.require(handle.isSynced, "This Realm was not configured with flexible sync")
    let set = SyncSubscriptionSet(handle)
    _ = set.snapshot.pointer
    return set
  }
}
