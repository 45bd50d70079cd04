// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension RealmCollection where Self: _PersistedCollection {
  /// Observes the collection until the token is invalidated or released. The first call is made during the next
  /// refresh.
  public func observe(_ block: @escaping (RealmCollectionChange<Self>) -> Void) -> NotificationToken {
    let managed = observable
    return NotificationToken.make(on: managed.realm, { self }, block) {
      managed.kind.observe(managed.pointer, $0, $1, $2, $3)
    }
  }
}

extension Map {
  /// Observes the map until the token is invalidated or released. The first call is made during the next refresh.
  public func observe(_ block: @escaping (RealmMapChange<Map>) -> Void) -> NotificationToken {
    let managed = observable
    return NotificationToken.make(on: managed.realm) { box, token, error in
      flx_dictionary_observe(
        managed.pointer,
        { callDictionaryObserver($0, $1) },
        box,
        freeCallbackBox,
        token,
        error
      )
    } callback: { (changes: flx_dictionary_changes_t) in
      block(RealmMapChange(self, changes))
    }
  }
}

/// A collection of values by key.
public protocol RealmKeyedCollection {
  associatedtype Key: _MapKey
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

  init(_ collection: Collection, _ changes: flx_dictionary_changes_t) {
    guard !changes.is_initial else {
      self = .initial(collection)
      return
    }
    func keys(_ start: UnsafePointer<flx_string_t>?, _ count: Int) -> [Collection.Key] {
      [flx_string_t](start: start, count: count).map { Collection.Key(_mapKey: String($0)) }
    }
    self = .update(
      collection,
      deletions: keys(changes.deletions, changes.deletion_count),
      insertions: keys(changes.insertions, changes.insertion_count),
      modifications: keys(changes.modifications, changes.modification_count)
    )
  }
}

/// The C callback for a boxed observer of a dictionary.
private func callDictionaryObserver(
  _ userdata: UnsafeMutableRawPointer?,
  _ changes: UnsafePointer<flx_dictionary_changes_t>
) {
  CallbackBox<(flx_dictionary_changes_t) -> Void>.callback(in: userdata)(changes.pointee)
}
