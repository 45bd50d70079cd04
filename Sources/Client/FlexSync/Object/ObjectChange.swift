// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A change of an observed object.
public enum ObjectChange<ObjectType> {
  case error(any Error)
  /// Properties have new values.
  case change(ObjectType, [PropertyChange])
  case deleted
}

/// A property of an observed object that changed.
public struct PropertyChange {
  /// The name of the property, or "@links.Class.property" if a key path with it has objects that link to the object.
  public let name: String
  /// The value before the change: nil for null, for a collection, and for a change by a write transaction of the
  /// observer's own realm.
  public let oldValue: Any?
  /// The new value; nil for null.
  public let newValue: Any?
}

/// A protocol that all objects conform to, so `observe` can refer to `Self`.
public protocol _ObservableObject: ObjectBase {}

extension ObjectBase: _ObservableObject {}

extension _ObservableObject {
  /// Observes the object until the token is invalidated or released.
  ///
  /// - Parameters:
  ///   - keyPaths: the properties to observe, or paths through links such as "owner.name"; nil for all of the object's
  ///     own. A path that ends with a link means the link, not what is in the object it leads to. "@links.Dog.owner"
  ///     stands for the dogs that link to the object as their owner, and "@links.Dog.owner.name" for their names. An unknown
  ///     property stops the program.
  ///   - queue: the serial queue on which to observe the object, in a realm of the queue; nil for the realm of the object.
  public func observe(
    keyPaths: [String]? = nil,
    on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(as: Self.self, keyPaths, on: queue, block)
  }

  /// Observes the object, like `observe(keyPaths:on:_:)`, at key paths such as `\\.owner?.name`.
  public func observe(
    keyPaths: [PartialKeyPath<Self>],
    on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(as: Self.self, keyPaths.map { _name(for: $0) }, on: queue, block)
  }

  /// Observes the object on an actor, in a realm of the actor, until the token is invalidated or released. If the task is
  /// canceled before the observation has begun, the token is invalid.
  public func observe<ActorType: Actor>(
    keyPaths: [String]? = nil,
    on actor: ActorType,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated ActorType, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(as: Self.self, keyPaths, on: actor, _isolation, block)
  }

  /// Observes the object on an actor at key paths such as `\\.owner?.name`.
  public func observe<ActorType: Actor>(
    keyPaths: [PartialKeyPath<Self>],
    on actor: ActorType,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated ActorType, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(as: Self.self, keyPaths.map { _name(for: $0) }, on: actor, _isolation, block)
  }
}

extension _ObservableObject {
  fileprivate static func makeObservation(
    of object: ObjectBase,
    _ register: @escaping (ObjectBase) -> NotificationToken
  ) -> RemoteObservation {
    RemoteObservation(of: unsafeDowncast(object, to: self)) { register($0) }
  }
}

/// For blocks that receive the object as one of a superclass.
extension ObjectBase {
  /// Observes the object until the token is invalidated or released.
  @_disfavoredOverload
  public func observe<ObjectType: ObjectBase>(
    keyPaths: [String]? = nil,
    on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<ObjectType>) -> Void
  ) -> NotificationToken {
    observe(as: ObjectType.self, keyPaths, on: queue, block)
  }
}

extension ObjectBase {
  fileprivate func observe<ObjectType: ObjectBase>(
    as type: ObjectType.Type,
    _ keyPaths: [String]?,
    on queue: DispatchQueue?,
    _ block: @escaping (ObjectChange<ObjectType>) -> Void
  ) -> NotificationToken {
    guard let queue else { return observeHere(keyPaths ?? [], block) }
    return observation { $0.observeHere(keyPaths ?? [], block) }.start(on: queue)
  }

  fileprivate func observe<ActorType: Actor, ObjectType: ObjectBase>(
    as type: ObjectType.Type,
    _ keyPaths: [String]?,
    on actor: ActorType,
    _ isolation: isolated (any Actor)?,
    _ block: @escaping @Sendable (isolated ActorType, ObjectChange<ObjectType>) -> Void
  ) async -> NotificationToken {
    let observation = observation { object in
      object.observeHere(keyPaths ?? []) { (change: ObjectChange<ObjectType>) in
        actor.assumed(block, change)
      }
    }
    return await observation.start(on: actor)
  }

  /// Returns the observation of the object elsewhere.
  private func observation(_ register: @escaping (ObjectBase) -> NotificationToken) -> RemoteObservation {
    _ = observable
    // The class itself, so that the object has the same class elsewhere.
    let type: any _ObservableObject.Type = Swift.type(of: self)
    return type.makeObservation(of: self, register)
  }

  /// The observed value. Stops the program if the object is in no realm.
  final var observable: _ManagedObject {
    guard let _managed else {
      Misuse.stop("Only objects which are managed by a Realm support change notifications")
    }
    return _managed
  }

  private func observeHere<ObjectType: ObjectBase>(
    _ keyPaths: [String],
    _ block: @escaping (ObjectChange<ObjectType>) -> Void
  ) -> NotificationToken {
    let managed = observable
    guard let object = self as? ObjectType else {
      Misuse.stop("\(Swift.type(of: self)) is not a \(ObjectType.self)")
    }
    let paths = keyPaths.map { managed.binding.discovered.columnPath($0, in: managed.realm) }
    return managed.observe(paths) { changed in
      block(changed.map { .change(object, object.propertyChanges($0, keyPaths)) } ?? .deleted)
    }
  }

  fileprivate func propertyChanges(_ changed: ChangedProperties, _ keyPaths: [String]) -> [PropertyChange] {
    guard let managed = _managed else { return [] }
    let discovered = managed.binding.discovered
    // The positions of linking objects follow the keys of the properties.
    let known = managed.binding.propertyKeys.prefix(discovered.properties.count)
    let properties = changed.properties.compactMap { key, oldValue -> PropertyChange? in
      guard let ordinal = known.firstIndex(of: key) else { return nil }
      let property = discovered.properties[ordinal]
      return PropertyChange(
        name: property.name,
        oldValue: oldValue.flatMap { property.storage.converted($0, managed.realm) }.flatMap(plain),
        newValue: value(of: ordinal, in: discovered).flatMap(plain)
      )
    }
    let changedPaths = changed.keyPaths.map { keyPaths[$0].split(separator: ".") }
    let names = Set(changedPaths.compactMap(\.first))
    let backlinks = discovered.backlinks.filter { names.contains($0.name[...]) }.map {
      PropertyChange(name: $0.name, oldValue: nil, newValue: storedValue(named: $0.name))
    }
    // `@links.Class.property` is no property of the object, and has no value.
    let origins = Set(
      changedPaths.filter { $0.first == "@links" }.map { $0.prefix(3).joined(separator: ".") }
    )
    return properties + backlinks
      + origins.sorted().map { PropertyChange(name: $0, oldValue: nil, newValue: nil) }
  }
}
