// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

extension _RealmHandle {
  /// Creates an object from values by property name.
  func create<ObjectType: Object>(
    _ type: ObjectType.Type,
    _ values: [String: Any],
    update: Realm.UpdatePolicy
  ) -> ObjectType {
    let object = Construction.build(type)
    let binding = binding(of: type)
    let properties = persistedProperties(of: object)
    for name in values.keys where !properties.contains(where: { $0.name == name }) {
      preconditionFailure("class \(binding.discovered.name) has no property '\(name)'")
    }
    guard let keyOrdinal = binding.discovered.primaryKeyOrdinal else {
      preconditionFailure("class \(binding.discovered.name) has no primary key")
    }
    let row = createRow(binding, properties[keyOrdinal], values, update)
    guard let row else { return object }
    let managed = _ManagedObject(takingOver: row, self, binding)
    object._managed = managed
    for (ordinal, property) in properties.enumerated() where ordinal != keyOrdinal {
      let key = binding.propertyKeys[ordinal]
      guard let value = values[property.name] else {
        property.persisted.copyUnmanaged(to: managed, key)
        continue
      }
      guard property.persisted.assign(value, to: managed, key) else {
        preconditionFailure("'\(value)' cannot be the value of \(binding.discovered.name).\(property.name)")
      }
    }
    return object
  }

  private func createRow(
    _ binding: _ClassBinding,
    _ key: (name: String, persisted: any AnyPersisted),
    _ values: [String: Any],
    _ update: Realm.UpdatePolicy
  ) -> OpaquePointer? {
    var row: OpaquePointer?
    let create: (UnsafePointer<flx_value_t>) -> Void = { [self] keyValue in
      if update != .error { row = find(binding, keyValue) }
      if row == nil { perform { flx_object_create(pointer, binding.classKey, keyValue, &row, $0) } }
    }
    if let value = values[key.name] {
      guard let given = key.persisted.convert(value) else {
        preconditionFailure("'\(value)' cannot be the primary key of \(binding.discovered.name)")
      }
      given._withFlex(self, create)
    } else {
      _ = key.persisted.withUnmanagedKey(create)
    }
    return row
  }
}

extension AnyPersisted {
  /// The value as the type of the property; nil if it cannot be.
  func convert(_ value: Any) -> (any RealmCollectionValue)? { convertAny(value) as? any RealmCollectionValue }
}
