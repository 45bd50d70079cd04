// SPDX-License-Identifier: Apache-2.0

extension _RealmHandle {
  /// Adds an unmanaged object to the realm, together with the objects that it links to.
  func add(_ object: Object, update: Realm.UpdatePolicy) {
    if let managed = object._managed { return requireOwn(managed) }
    let binding = binding(of: type(of: object))
    let key = binding.discovered.primaryKey
    var row: (object: _ManagedObject, isNew: Bool)?
    _ = key.property.storage.withUnmanagedKey(at: key.property.address(in: object)) {
      row = makeRow(binding, $0, update)
    }
    guard let row else { return }
    let managed = row.object
    // Before the properties are copied, because an object may be reachable from itself.
    object._managed = managed
    binding.discovered.number(object)
    let mode: CopyMode = row.isNew ? .newRow : update == .all ? .all : .modified
    addingLinks(update) {
      for (ordinal, property) in binding.discovered.properties.enumerated() where ordinal != key.ordinal {
        let address = property.address(in: object)
        property.storage.moveUnmanaged(at: address, to: managed, binding.propertyKeys[ordinal], mode)
      }
    }
  }

  /// Returns the row of an object that another one links to, creating it if there is none; nil if that failed.
  func linked(_ object: ObjectBase) -> _ManagedObject? {
    guard let managed = object._managed else {
      // An embedded object is added to the realm by the place that holds it.
      guard let object = object as? Object else { return nil }
      add(object, update: linkPolicy)
      return object._managed
    }
    guard managed.realm !== self, let copies, let object = object as? Object else {
      requireOwn(managed)
      return managed
    }
    return copies[ForeignRow(managed)] ?? create(type(of: object), object, update: linkPolicy)._managed
  }

  func requireOwn(_ managed: _ManagedObject) {
    precondition(
      managed.realm === self,
      "Object is already managed by another Realm. Use create instead to copy it into this Realm."
    )
  }

  /// Creates an object from values. See `DiscoveredClass.values`.
  @discardableResult
  func create<ObjectType: ObjectBase>(
    _ type: ObjectType.Type,
    _ value: Any,
    update: Realm.UpdatePolicy
  ) -> ObjectType {
    let isOutermost = copies == nil
    if isOutermost { copies = [:] }
    defer { if isOutermost { copies = nil } }
    let object = type.init()
    let binding = binding(of: type)
    let key = binding.discovered.primaryKey
    let values = binding.discovered.values(in: value)
    if let given = values.first(where: { $0.ordinal == key.ordinal })?.value {
      let address = key.property.address(in: object)
      guard key.property.storage.setUnmanagedValue(at: address, given) else {
        binding.discovered.refuse(given, for: key.property)
      }
    }
    var row: (object: _ManagedObject, isNew: Bool)?
    _ = key.property.storage.withUnmanagedKey(at: key.property.address(in: object)) {
      row = makeRow(binding, $0, update)
    }
    guard let row else { return object }
    let managed = row.object
    object._managed = managed
    binding.discovered.number(object)
    // Before the values are written, because an object may be reachable from itself.
    if let source = (value as? ObjectBase)?._managed { copies?[ForeignRow(source)] = managed }
    addingLinks(update) {
      if row.isNew { writeDefaults(of: object, except: values, to: managed) }
      assign(values, to: managed, onlyIfDifferent: !row.isNew && update == .modified)
    }
    return object
  }

  /// Writes the class's defaults to a new row for the values that were left out.
  private func writeDefaults(
    of object: ObjectBase,
    except values: [(ordinal: Int, value: Any)],
    to managed: _ManagedObject
  ) {
    let binding = managed.binding
    let isGiven = Set(values.map(\.ordinal) + [binding.discovered.primaryKey.ordinal])
    for (ordinal, property) in binding.discovered.properties.enumerated() where !isGiven.contains(ordinal) {
      let address = property.address(in: object)
      property.storage.moveUnmanaged(at: address, to: managed, binding.propertyKeys[ordinal], .newRow)
    }
  }

  func assign(
    _ values: [(ordinal: Int, value: Any)],
    to managed: _ManagedObject,
    onlyIfDifferent: Bool = false
  ) {
    let binding = managed.binding
    for (ordinal, value) in values where ordinal != binding.discovered.primaryKeyOrdinal {
      let property = binding.discovered.properties[ordinal]
      let key = binding.propertyKeys[ordinal]
      guard property.storage.write(value, managed, key, onlyIfDifferent: onlyIfDifferent) else {
        binding.discovered.refuse(value, for: property)
      }
    }
  }
}

/// An object of another realm.
struct ForeignRow: Hashable {
  let realm: ObjectIdentifier
  let className: String
  let row: Int64

  init(_ managed: _ManagedObject) {
    realm = ObjectIdentifier(managed.realm)
    className = managed.binding.discovered.name
    row = managed.row
  }
}

extension DiscoveredClass {
  /// The primary key and its position.
  var primaryKey: (ordinal: Int, property: DiscoveredProperty) {
    guard let ordinal = primaryKeyOrdinal else { preconditionFailure("class \(name) has no primary key") }
    return (ordinal, properties[ordinal])
  }
}
