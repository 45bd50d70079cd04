// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Objects by the names of their classes.
extension Realm {
  /// Returns all objects of a class, whose properties are accessed by name.
  public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
    Results(handle.allObjects(handle.requiredBinding(named: typeName).classKey), handle)
  }

  /// Returns the object of a class with a primary key; nil if there is none, or if the class has no primary key.
  public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
    let binding = handle.requiredBinding(named: typeName)
    return handle.find(binding, key).map { handle.wrap(DynamicObject.self, binding, takingOver: $0) }
  }

  /// Creates an object of a class from values, like `create`. If the program uses a Swift class for it with this realm,
  /// values that are left out are that class's defaults; otherwise there must be a value for each property that is
  /// neither optional nor a collection.
  @discardableResult
  public func dynamicCreate(
    _ typeName: String,
    value: Any = [String: Any](),
    update: UpdatePolicy = .error
  ) -> DynamicObject {
    handle.requiredBinding(named: typeName).discovered.requirePrimaryKey(for: update)
    Misuse.require(!handle.isEmbedded(typeName), "Embedded objects cannot be created directly")
    return handle.createDynamic(typeName, value, update: update)
  }
}

extension _RealmHandle {
  /// The keys of a class for its dynamic objects. Stops the program if the realm does not have the class.
  fileprivate func requiredBinding(named name: String) -> _ClassBinding {
    guard let binding = dynamicBinding(named: name) ?? programBinding(named: name) else {
      stopForUnknownClass(name)
    }
    return binding
  }

  func stopForUnknownClass(_ name: String) -> Never {
    Misuse.stop(
      "Object type '\(name)' is not managed by the Realm. If using a custom `objectClasses` / `objectTypes` array "
        + "in your configuration, add `\(name)` to the list of `objectClasses` / `objectTypes`."
    )
  }

  /// The keys of a class of the program that the realm has not been used with; nil if there is none.
  private func programBinding(named name: String) -> _ClassBinding? {
    guard configuration.objectTypes == nil, let type = ProgramClasses.named(name) else { return nil }
    requireClasses([type])
    return dynamicBinding(named: name)
  }

  /// Returns a new handle of the object with a primary key; nil if there is none, or if the class has no primary key.
  func find(_ binding: _ClassBinding, _ key: Any) -> OpaquePointer? {
    guard let property = binding.primaryKey else { return nil }
    return withKey(key, of: property, in: binding.discovered) { find(binding, $0) }
  }

  /// Lends a primary key to `body`.
  private func withKey<Result>(
    _ key: Any,
    of property: DiscoveredProperty,
    in discovered: DiscoveredClass,
    _ body: (_Value) -> Result
  ) -> Result {
    // A mixed value can hold all types of primary keys.
    guard let value = AnyRealmValue._convert(plainValue(key) ?? NSNull()) else {
      discovered.refuse(key, for: property)
    }
    return value._withFlex(nil, body)
  }

  func createDynamic(_ name: String, _ value: Any, update: Realm.UpdatePolicy) -> DynamicObject {
    let binding = requiredBinding(named: name)
    if let declared = swiftClass(binding.classKey) {
      let object = create(declared.type, value, update: update)
      return object._managed.map(dynamicObject) ?? DynamicObject()
    }
    let isOutermost = live.copies == nil
    if isOutermost { live.copies = ObjectCopies() }
    defer { if isOutermost { live.copies = nil } }
    let values = binding.discovered.values(in: value)
    guard let row = makeRow(binding, values, update) else { return DynamicObject() }
    if let source = value as? ObjectBase { live.copies?[source] = row.object }
    if row.isNew { binding.discovered.requireValues(values) }
    addingLinks(update) {
      assign(values, to: row.object, onlyIfDifferent: !row.isNew && update == .modified)
    }
    return dynamicObject(row.object)
  }

  private func makeRow(
    _ binding: _ClassBinding,
    _ values: [(ordinal: Int, value: Any)],
    _ update: Realm.UpdatePolicy
  ) -> (object: _ManagedObject, isNew: Bool)? {
    guard let property = binding.primaryKey else { return makeRow(binding, .null, .error) }
    let key = values.first { $0.ordinal == binding.primaryKeyOrdinal }?.value
    return withKey(key ?? NSNull(), of: property, in: binding.discovered) { makeRow(binding, $0, update) }
  }
}

extension DiscoveredClass {
  /// Stops the program if a value is missing that a new object must have.
  fileprivate func requireValues(_ values: [(ordinal: Int, value: Any)]) {
    let given = Set(values.map(\.ordinal))
    for (ordinal, property) in properties.enumerated() where !given.contains(ordinal) {
      Misuse.require(
        property.type.isNullable || property.type.collectionKind != nil,
        "Missing value for property '\(name).\(property.name)'"
      )
    }
  }
}
