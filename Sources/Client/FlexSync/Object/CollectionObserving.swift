// SPDX-License-Identifier: Apache-2.0

extension RealmCollection where Self: _PersistedCollection {
  /// Observes the collection until the token is invalidated or released. The first call is made during the next
  /// refresh.
  public func observe(_ block: @escaping (RealmCollectionChange<Self>) -> Void) -> NotificationToken {
    observable.observe({ self }, block)
  }
}

extension Map {
  /// Observes the map until the token is invalidated or released. The first call is made during the next refresh.
  public func observe(_ block: @escaping (RealmMapChange<Map>) -> Void) -> NotificationToken {
    observable.observeKeys({ self }, block)
  }
}

/// A collection of values by key.
public protocol RealmKeyedCollection {
  associatedtype Key: _MapKey

  /// The value of a key; nil if there is none, or if it is nil.
  func value(forKey key: String) -> AnyObject?

  /// The value at the end of a path of names that begins with a key.
  func value(forKeyPath keyPath: String) -> AnyObject?

  /// Sets the value of a key. Nil removes the entry.
  func setValue(_ value: Any?, forKey key: String)
}

extension Map: RealmKeyedCollection {}

/// A change of an observed map.
public enum RealmMapChange<Collection: RealmKeyedCollection> {
  /// The first call.
  case initial(Collection)
  /// The keys of entries that were removed, were added, or have a new value.
  case update(
    Collection,
    deletions: [Collection.Key],
    insertions: [Collection.Key],
    modifications: [Collection.Key]
  )
  case error(any Error)
}
