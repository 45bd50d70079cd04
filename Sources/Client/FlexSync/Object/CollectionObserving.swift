// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A collection or results in a realm, whose changes can be observed.
public protocol _ObservableCollection: ThreadConfined {
  /// What observers receive.
  associatedtype _Change
  /// The type of the elements of the collection, or of each of its sections.
  associatedtype _ObservedElement

  /// Observes the collection in its own realm.
  ///
  /// - Parameter keyPaths: what counts as a modification of an object; none for the default.
  func _observe(_ keyPaths: [String], _ block: @escaping (_Change) -> Void) -> NotificationToken
}

extension _ObservableCollection {
  /// Observes the collection until the token is invalidated or released. The first call is made soon after this, or during
  /// the next refresh if the realm does not refresh by itself.
  ///
  /// - Parameters:
  ///   - keyPaths: what counts as a modification of an object in the collection: the names of properties, or paths through
  ///     links such as "owner.name". A path that ends with a link means the link, not what is in the object it leads to.
  ///     "@links.Dog.owner.name" leads to the dogs that link to the object as their owner. Nil for all properties of the
  ///     object and of those that it links to, over up to four links. An unknown property stops the program. Insertions and
  ///     deletions are reported in any case.
  ///   - queue: the serial queue on which to observe the collection, in a realm of the queue; nil for the realm of the
  ///     collection.
  public func observe(
    keyPaths: [String]? = nil,
    on queue: DispatchQueue? = nil,
    _ block: @escaping (_Change) -> Void
  ) -> NotificationToken {
    guard let queue else { return _observe(keyPaths ?? [], block) }
    return RemoteObservation(of: requireObservable()) { $0._observe(keyPaths ?? [], block) }.start(on: queue)
  }

  /// Observes the collection on an actor, in a realm of the actor, until the token is invalidated or released. If the task
  /// is canceled before the observation has begun, the token is invalid.
  ///
  /// - Parameter keyPaths: what counts as a modification; see `observe(keyPaths:on:_:)`.
  public func observe<ActorType: Actor>(
    keyPaths: [String]? = nil,
    on actor: ActorType,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated ActorType, _Change) -> Void
  ) async -> NotificationToken {
    let observation = RemoteObservation(of: requireObservable()) { collection in
      collection._observe(keyPaths ?? []) { actor.assumed(block, $0) }
    }
    return await observation.start(on: actor)
  }

  private func requireObservable() -> Self {
    guard realm != nil else {
      Misuse.stop("Only collections which are managed by a Realm support change notifications")
    }
    return self
  }
}

extension _ObservableCollection where _ObservedElement: ObjectBase {
  /// Observes the collection, like `observe(keyPaths:on:_:)`, at key paths such as `\\.owner?.name`.
  public func observe(
    keyPaths: [PartialKeyPath<_ObservedElement>],
    on queue: DispatchQueue? = nil,
    _ block: @escaping (_Change) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// Observes the collection on an actor at key paths such as `\\.owner?.name`.
  public func observe<ActorType: Actor>(
    keyPaths: [PartialKeyPath<_ObservedElement>],
    on actor: ActorType,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated ActorType, _Change) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
  }
}

extension Map where Value: _OptionalObject {
  /// Observes the map, like `observe(keyPaths:on:_:)`, at key paths such as `\\.owner?.name`.
  public func observe(
    keyPaths: [PartialKeyPath<Value.Wrapped>],
    on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmMapChange<Map>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// Observes the map on an actor at key paths such as `\\.owner?.name`.
  public func observe<ActorType: Actor>(
    keyPaths: [PartialKeyPath<Value.Wrapped>],
    on actor: ActorType,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated ActorType, RealmMapChange<Map>) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, _isolation: _isolation, block)
  }
}

// MARK: - What can be observed

extension RealmCollection where Self: _PersistedCollection {
  public func _observe(
    _ keyPaths: [String],
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observable.observe(Element._columnPaths(keyPaths, observable.realm), { self }, block)
  }
}

extension List: _ObservableCollection { public typealias _ObservedElement = Element }
extension MutableSet: _ObservableCollection { public typealias _ObservedElement = Element }

extension Map: _ObservableCollection {
  public typealias _ObservedElement = Value

  public func _observe(
    _ keyPaths: [String],
    _ block: @escaping (RealmMapChange<Map<Key, Value>>) -> Void
  ) -> NotificationToken {
    observable.observeKeys(Value._columnPaths(keyPaths, observable.realm), { self }, block)
  }
}

extension Results: _ObservableCollection {
  public typealias _ObservedElement = Element

  public func _observe(
    _ keyPaths: [String],
    _ block: @escaping (RealmCollectionChange<Results<Element>>) -> Void
  ) -> NotificationToken {
    switch source {
    case .rows(let box, let binding):
      let paths = keyPaths.map { binding.discovered.columnPath($0, in: handle) }
      return box.observe(on: handle, paths, { self }, block)
    case .values(let values): return values.observe({ self }, block)
    }
  }
}

extension LinkingObjects: _ObservableCollection {
  public typealias _ObservedElement = Element

  public func _observe(
    _ keyPaths: [String],
    _ block: @escaping (RealmCollectionChange<LinkingObjects<Element>>) -> Void
  ) -> NotificationToken {
    let results = managed
    let paths = keyPaths.map { results.binding.discovered.columnPath($0, in: results.handle) }
    return results.box.observe(on: results.handle, paths, { self }, block)
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

extension _Persistable {
  /// The paths in the names of the schema of the class of objects that this is, or that it links to.
  fileprivate static func _columnPaths(_ keyPaths: [String], _ realm: _RealmHandle) -> [String] {
    guard let target = _propertyType.linkTarget else { return keyPaths }
    return keyPaths.map { DiscoveredClass.of(target).columnPath($0, in: realm) }
  }
}
