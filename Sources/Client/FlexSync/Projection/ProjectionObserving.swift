// SPDX-License-Identifier: Apache-2.0

import Dispatch

extension ProjectionObservable {
  /// Observes the projected properties until the token is invalidated or released. A property of an object that the
  /// projected one links to is reported when it changes, and when the link does; so are the others behind the same link. A
  /// `ProjectedCollection` is reported when objects come into the collection or leave it.
  ///
  /// - Parameters:
  ///   - keyPaths: the projected properties to observe, as the paths that they have in the object: "owner.name" for
  ///     `@Projected(\\Dog.owner?.name)`. Nil for all. A path that is not projected stops the program.
  ///   - queue: the serial queue on which to observe the projection, in a realm of the queue; nil for the realm of the
  ///     object.
  public func observe(
    keyPaths: [String]? = nil,
    on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    let properties = projectedProperties(at: keyPaths ?? [])
    guard let queue else { return observeHere(properties, block) }
    return observation { $0.observeHere(properties, block) }.start(on: queue)
  }

  /// Observes the projection, like `observe(keyPaths:on:_:)`, at key paths such as `\\.ownerName`.
  public func observe(
    keyPaths: [PartialKeyPath<Self>],
    on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map(Self.name), on: queue, block)
  }

  /// Observes the projected properties on an actor, in a realm of the actor, until the token is invalidated or released. If
  /// the task is canceled before the observation has begun, the token is invalid.
  ///
  /// - Parameter keyPaths: the projected properties to observe; see `observe(keyPaths:on:_:)`.
  public func observe<ActorType: Actor>(
    keyPaths: [String]? = nil,
    on actor: ActorType,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated ActorType, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    let properties = projectedProperties(at: keyPaths ?? [])
    let observation = observation { projection in
      projection.observeHere(properties) { actor.assumed(block, $0) }
    }
    return await observation.start(on: actor)
  }

  /// Observes the projection on an actor at key paths such as `\\.ownerName`.
  public func observe<ActorType: Actor>(
    keyPaths: [PartialKeyPath<Self>],
    on actor: ActorType,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated ActorType, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(keyPaths: keyPaths.map(Self.name), on: actor, _isolation: _isolation, block)
  }

  private static func name(of keyPath: PartialKeyPath<Self>) -> String {
    steps(of: keyPath).map(\.name).joined(separator: ".")
  }

  /// The projected properties at paths of the object; all if there are no paths.
  private func projectedProperties(at paths: [String]) -> [ProjectedProperty] {
    let all = schema
    guard !paths.isEmpty else { return all }
    for path in paths {
      Misuse.require(
        all.contains { $0.path == path },
        "'\(path)' is not a @Projected property of \(Self.self)"
      )
    }
    return all.filter { paths.contains($0.path) }
  }

  /// Returns the observation of the projection elsewhere.
  private func observation(_ register: @escaping (Self) -> NotificationToken) -> RemoteObservation {
    _ = rootObject.observable
    return RemoteObservation(of: self, register)
  }

  private func observeHere(
    _ properties: [ProjectedProperty],
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    rootObject.observe(keyPaths: properties.map(\.path)) { change in
      switch change {
      case .change(_, let changes):
        let projected = self.projected(changes, properties)
        if !projected.isEmpty { block(.change(self, projected)) }
      case .deleted: block(.deleted)
      case .error(let error): block(.error(error))
      }
    }
  }

  /// The changes of projected properties that follow from those of the object's.
  private func projected(_ changes: [PropertyChange], _ properties: [ProjectedProperty]) -> [PropertyChange] {
    changes.flatMap { change in
      let old = change.oldValue.map { oldValue in
        let object = Root()
        object.setValue(oldValue, forKey: change.name)
        return object
      }
      return properties.filter { $0.property == change.name }.map { property in
        PropertyChange(
          name: property.label,
          oldValue: old?[keyPath: property.keyPath].flatMap(flattened),
          newValue: rootObject[keyPath: property.keyPath].flatMap(flattened)
        )
      }
    }
  }
}
