// SPDX-License-Identifier: Apache-2.0

extension _RealmHandle {
  /// Adds an unmanaged object to the realm, together with the objects that it links to.
  func add(_ object: Object, update: Realm.UpdatePolicy) {
    if let managed = object._managed { return requireOwn(managed) }
    let binding = binding(of: type(of: object))
    guard let row = makeRow(of: object, binding, update) else { return }
    let managed = row.object
    // Before the properties are copied, because an object may be reachable from itself.
    object._managed = managed
    binding.discovered.number(object)
    let mode: CopyMode = row.isNew ? .newRow : update == .all ? .all : .modified
    addingLinks(update) {
      for (ordinal, property) in binding.discovered.properties.enumerated()
      where ordinal != binding.primaryKeyOrdinal {
        let address = property.address(in: object)
        property.storage.moveUnmanaged(at: address, to: managed, binding.propertyKeys[ordinal], mode)
      }
    }
  }

  /// Returns the row for an unmanaged object, which is new unless `update` allows an existing one with the same primary
  /// key; nil if that failed.
  private func makeRow(of object: ObjectBase, _ binding: _ClassBinding, _ update: Realm.UpdatePolicy)
    -> (object: _ManagedObject, isNew: Bool)?
  {
    guard let key = binding.primaryKey else { return makeRow(binding, .null, .error) }
    var row: (object: _ManagedObject, isNew: Bool)?
    _ = key.storage.withUnmanagedKey(at: key.address(in: object)) { row = makeRow(binding, $0, update) }
    return row
  }

  /// Returns the row of an object that another one links to, creating it if there is none; nil if that failed.
  func linked(_ object: ObjectBase) -> _ManagedObject? {
    guard let managed = object._managed else {
      // An embedded object is added to the realm by the place that holds it.
      guard let object = object as? Object else { return nil }
      add(object, update: live.linkPolicy)
      return object._managed
    }
    guard !managed.realm.isSame(as: self), let copies = live.copies, let object = object as? Object else {
      requireOwn(managed)
      return managed
    }
    if let copy = copies[ForeignRow(managed)] { return copy }
    guard object is DynamicObject else {
      return create(type(of: object), object, update: live.linkPolicy)._managed
    }
    return createDynamic(object.discovered.name, object, update: live.linkPolicy)._managed
  }

  func requireOwn(_ managed: _ManagedObject) {
    precondition(
      managed.realm.isSame(as: self),
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
    let isOutermost = live.copies == nil
    if isOutermost { live.copies = [:] }
    defer { if isOutermost { live.copies = nil } }
    let object = type.init()
    let binding = binding(of: type)
    let values = binding.discovered.values(in: value)
    if let key = binding.primaryKey,
      let given = values.first(where: { $0.ordinal == binding.primaryKeyOrdinal })?.value,
      !key.storage.setUnmanagedValue(at: key.address(in: object), given)
    {
      binding.discovered.refuse(given, for: key)
    }
    guard let row = makeRow(of: object, binding, update) else { return object }
    let managed = row.object
    object._managed = managed
    binding.discovered.number(object)
    // Before the values are written, because an object may be reachable from itself.
    if let source = (value as? ObjectBase)?._managed { live.copies?[ForeignRow(source)] = managed }
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
    let isGiven = Set(values.map(\.ordinal) + [binding.primaryKeyOrdinal].compactMap(\.self))
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
    for (ordinal, value) in values where ordinal != binding.primaryKeyOrdinal {
      let property = binding.discovered.properties[ordinal]
      let key = binding.propertyKeys[ordinal]
      guard property.write(value, managed, key, onlyIfDifferent: onlyIfDifferent) else {
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
    realm = ObjectIdentifier(managed.realm.live)
    className = managed.binding.discovered.name
    row = managed.row
  }
}

extension DiscoveredClass {
  /// Stops the program if the class has no primary key by which an existing object could be found.
  func requirePrimaryKey(for update: Realm.UpdatePolicy) {
    precondition(
      update == .error || primaryKeyOrdinal != nil,
      "'\(name)' does not have a primary key and can not be updated"
    )
  }
}
