// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension _RealmHandle {
  /// The keys of a class, for its objects as dynamic objects; nil if neither the realm nor its file has the class.
  func dynamicBinding(named name: String) -> _ClassBinding? { reading { adoptedBinding(named: name) } }

  private func adoptedBinding(named name: String) -> _ClassBinding? {
    var info = flx_class_info_t()
    if find(name, &info) { return dynamicBinding(info) }
    live.prepareForChange()
    let failure = failure { error in
      name.withFlexString { flx_realm_adopt_class(pointer, $0, &info, error) }
    }
    return failure == nil ? dynamicBinding(info) : nil
  }

  /// Adds the classes that another realm of the file has been used with, as far as the data of this one have them.
  func adoptClasses(of other: _RealmHandle) {
    for index in 0..<flx_realm_class_count(other.pointer) {
      var info = flx_class_info_t()
      mustSucceed { flx_realm_class_at(other.pointer, index, &info, $0) }
      _ = dynamicBinding(named: String(info.name))
    }
  }

  private func find(_ className: String, _ info: inout flx_class_info_t) -> Bool {
    className.withFlexString { flx_realm_find_class(pointer, $0, &info, nil) } == .FLX_STATUS_OK
  }

  /// The keys of a class that the realm has, for dynamic objects.
  func dynamicBinding(_ key: flx_class_key_t) -> _ClassBinding { reading { knownBinding(key) } }

  private func knownBinding(_ key: flx_class_key_t) -> _ClassBinding {
    if let known = live.dynamicBindings[key] { return known }
    for index in 0..<flx_realm_class_count(pointer) {
      var info = flx_class_info_t()
      mustSucceed { flx_realm_class_at(pointer, index, &info, $0) }
      if info.key == key { return dynamicBinding(info) }
    }
    fatalError("the realm has no class with the key \(key)")
  }

  /// Whether a class that the realm has is embedded.
  func isEmbedded(_ className: String) -> Bool {
    var info = flx_class_info_t()
    trapOnFailure { error in
      className.withFlexString { flx_realm_find_class(pointer, $0, &info, error) }
    }
    return info.kind == .FLX_CLASS_EMBEDDED
  }

  func dynamicBinding(_ info: flx_class_info_t) -> _ClassBinding {
    if let known = live.dynamicBindings[info.key] { return known }
    let declared = swiftClass(info.key)
    let infos = UnsafeBufferPointer(start: info.properties, count: info.property_count)
    let properties = infos.map { ($0.key, DiscoveredProperty($0, in: declared)) }
      .sorted { declared?.position(of: $0.1) ?? 0 < declared?.position(of: $1.1) ?? 0 }
    let discovered = DiscoveredClass(dynamic: String(info.name), properties.map(\.1))
    let binding = _ClassBinding(
      classKey: info.key,
      propertyKeys: properties.map { _PropertyKey($0.0) },
      discovered: discovered,
      primaryKeyOrdinal: discovered.primaryKeyOrdinal
    )
    live.dynamicBindings[info.key] = binding
    return binding
  }

  /// Returns an object as a dynamic object, with a handle of its own.
  func dynamicObject(_ managed: _ManagedObject) -> DynamicObject {
    wrap(
      DynamicObject.self,
      dynamicBinding(managed.binding.classKey),
      takingOver: flx_object_retain(managed.pointer)
    )
  }

  /// Returns an object as one of the Swift class that the program uses with this realm; as a dynamic one if there is
  /// none, and in a migration.
  func specificObject(_ managed: _ManagedObject) -> ObjectBase {
    guard live.isOwned, let known = swiftClass(managed.binding.classKey) else {
      return dynamicObject(managed)
    }
    return typed(known.type, managed)
  }

  /// Returns a found object, which is dynamic if its type says so.
  func wrapFound<ObjectType: ObjectBase>(_ type: ObjectType.Type, takingOver object: OpaquePointer)
    -> ObjectType
  {
    guard type == DynamicObject.self else { return wrap(type, takingOver: object) }
    return wrap(type, dynamicBinding(flx_object_link(object).target_class), takingOver: object)
  }

  /// Returns an object as one of a Swift class of the same name, with a handle of its own.
  func typed<ObjectType: ObjectBase>(_ type: ObjectType.Type, _ managed: _ManagedObject) -> ObjectType {
    wrap(type, takingOver: flx_object_retain(managed.pointer))
  }
}

extension DiscoveredProperty {
  /// A property of dynamic objects, with the Swift name that it has in a class of the program.
  fileprivate init(_ info: flx_property_info_t, in declared: DiscoveredClass?) {
    let column = String(info.name)
    self.init(
      name: declared?.properties.first { $0.columnName == column }?.name ?? column,
      columnName: column,
      type: _PropertyType(info),
      isPrimaryKey: info.is_primary_key,
      isIndexed: info.is_indexed,
      storage: _PropertyType(info).dynamicStorage,
      offset: 0
    )
  }
}

extension DiscoveredClass {
  /// The position of a property in the class; properties that only the file has come last.
  fileprivate func position(of property: DiscoveredProperty) -> Int {
    ordinal(named: property.name) ?? properties.count
  }
}
