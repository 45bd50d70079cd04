// SPDX-License-Identifier: Apache-2.0

extension Map {
  /// Observes the map until the token is invalidated or released. The first call is made during the next refresh.
  public func observe(_ block: @escaping (RealmMapChange<Map>) -> Void) -> NotificationToken {
    observable.observeKeys({ self }, block)
  }
}

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
