// SPDX-License-Identifier: Apache-2.0

extension ThreadConfined where Self: ObjectBase {
  /// Adds to an integer, such that what several devices add without knowing of each other adds up. Setting the property to
  /// the sum lets one device's sum win over the other's. It wraps around on overflow.
  ///
  /// ```swift
  /// try realm.write { task.increment(\.progressMinutes, by: 5) }
  /// ```
  ///
  /// Call it where the object may be changed. Outside of a write transaction, it stops the program, and so does a key path
  /// through a link: increment the object there. A computed property of an object in a realm stops it as well: increment
  /// what it is computed from.
  public func increment(_ keyPath: ReferenceWritableKeyPath<Self, Int>, by amount: Int = 1) {
    guard let managed = _managed else { return self[keyPath: keyPath] &+= amount }
    managed.add(amount, managed.incrementable(keyPath) { ($0 as? Self)?[keyPath: keyPath] = $1 })
  }

  /// Adds to an integer, like `increment(_:by:)` for one that cannot be nil. Nil stays nil.
  public func increment(_ keyPath: ReferenceWritableKeyPath<Self, Int?>, by amount: Int = 1) {
    guard let managed = _managed else {
      self[keyPath: keyPath] = self[keyPath: keyPath].map { $0 &+ amount }
      return
    }
    managed.add(amount, managed.incrementable(keyPath) { ($0 as? Self)?[keyPath: keyPath] = $1 })
  }
}

extension _ManagedObject {
  /// The property of this object at a key path.
  ///
  /// - Parameter set: sets an integer at the key path.
  fileprivate func incrementable(_ keyPath: AnyKeyPath, _ set: (ObjectBase, Int) -> Void) -> _PropertyKey {
    let discovered = binding.discovered
    Misuse.require(
      discovered.steps(of: keyPath).count <= 1,
      "Cannot increment '\(discovered.path(of: keyPath))' of '\(discovered.name)': it is a property of another object. "
        + "Increment that object."
    )
    let ordinal = discovered.ordinal(of: keyPath)
    Misuse.require(
      discovered.isStored(keyPath, ordinal, set),
      "Cannot increment a computed property of '\(discovered.name)'. Increment the @Persisted properties that it is "
        + "computed from, such as '\(discovered.properties[ordinal].name)'."
    )
    return binding.propertyKeys[ordinal]
  }
}
