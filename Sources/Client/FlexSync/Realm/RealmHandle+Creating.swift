// SPDX-License-Identifier: Apache-2.0

extension _RealmHandle {
  /// Adds an unmanaged object to the realm, together with the objects that it links to.
  func add(_ object: Object, update: Realm.UpdatePolicy) {
    if let managed = object._managed {
      if !managed.isValid {
        Misuse.stop("Adding a deleted or invalidated object to a Realm is not permitted")
      }
      return requireOwn(managed)
    }
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
    if let managed = object._managed, managed.realm.isSame(as: self) { return managed }
    guard let object = object as? Object else {
      // An embedded object is added to the realm by the place that holds it.
      object._managed.map(requireOwn)
      return nil
    }
    guard let copies = live.copies else {
      add(object, update: live.linkPolicy)
      return object._managed
    }
    if let copy = copies[object] { return copy }
    guard object is DynamicObject else {
      return create(type(of: object), object, update: live.linkPolicy)._managed
    }
    return createDynamic(object.discovered.name, object, update: live.linkPolicy)._managed
  }

  func requireOwn(_ managed: _ManagedObject) {
    if managed.realm.isSame(as: self) { return }
    Misuse.stop("Object is already managed by another Realm. Use create instead to copy it into this Realm.")
  }

  /// Creates an object from values. See `DiscoveredClass.values`.
  @discardableResult
  func create<ObjectType: ObjectBase>(
    _ type: ObjectType.Type,
    _ value: Any,
    update: Realm.UpdatePolicy
  ) -> ObjectType {
    let isOutermost = live.copies == nil
    if update != .error || !isOutermost, let own = ownObject(value, type) { return own }
    if isOutermost { live.copies = ObjectCopies() }
    defer { if isOutermost { live.copies = nil } }
    let object = type.init()
    let binding = binding(of: type)
    let values = binding.discovered.values(in: value)
    if let key = binding.primaryKey,
      let given = values.first(where: { $0.ordinal == binding.primaryKeyOrdinal })?.value,
      !key.setUnmanaged(given, in: object)
    {
      binding.discovered.refuse(given, for: key)
    }
    guard let row = makeRow(of: object, binding, update) else { return object }
    let managed = row.object
    object._managed = managed
    binding.discovered.number(object)
    // Before the values are written, because an object may be reachable from itself.
    if let source = value as? ObjectBase { live.copies?[source] = managed }
    addingLinks(update) {
      if row.isNew { writeDefaults(of: object, except: values, to: managed) }
      assign(values, to: managed, onlyIfDifferent: !row.isNew && update == .modified)
    }
    return object
  }

  /// The value, if it is an object that is in this realm already, which needs no copy.
  private func ownObject<ObjectType: ObjectBase>(_ value: Any, _ type: ObjectType.Type) -> ObjectType? {
    guard let object = value as? ObjectType, let managed = object._managed, managed.isValid else {
      return nil
    }
    return managed.realm.isSame(as: self) ? object : nil
  }

  /// Writes the class's defaults to a new row for the values that were left out.
  func writeDefaults(
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

/// The rows that are copies of other objects.
struct ObjectCopies {
  private enum Source: Hashable {
    /// An object of another realm.
    case row(realm: ObjectIdentifier, className: String, Int64)
    /// An object that is in no realm, which lives for as long as the rows are created.
    case object(ObjectIdentifier)

    init(_ object: ObjectBase) {
      guard let managed = object._managed else {
        self = .object(ObjectIdentifier(object))
        return
      }
      let className = managed.binding.discovered.name
      self = .row(realm: ObjectIdentifier(managed.realm.live), className: className, managed.row)
    }
  }

  private var rows: [Source: (object: ObjectBase, copy: _ManagedObject)] = [:]

  subscript(object: ObjectBase) -> _ManagedObject? {
    get { rows[Source(object)]?.copy }
    set { rows[Source(object)] = newValue.map { (object, $0) } }
  }
}

extension DiscoveredClass {
  /// Stops the program if the class has no primary key by which an existing object could be found.
  func requirePrimaryKey(for update: Realm.UpdatePolicy) {
    if update == .error || primaryKeyOrdinal != nil { return }
    Misuse.stop("'\(name)' does not have a primary key and can not be updated")
  }
}
