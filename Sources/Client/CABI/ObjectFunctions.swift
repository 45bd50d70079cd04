// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

// MARK: - Finding objects

@_cdecl("flx_object_create") @implementation
public func flx_object_create(
  _ realm: OpaquePointer,
  _ class_key: flx_class_key_t,
  _ primary_key: In<flx_value_t>,
  _ out_object: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  withObject(of: realm, primary_key, out_object, error) {
    try $0.create($0.schema.requireClass(class_key), primary_key.pointee)
  }
}

@_cdecl("flx_object_find") @implementation
public func flx_object_find(
  _ realm: OpaquePointer,
  _ class_key: flx_class_key_t,
  _ primary_key: In<flx_value_t>,
  _ out_object: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  withObject(of: realm, primary_key, out_object, error) {
    try $0.find($0.schema.requireClass(class_key), primary_key.pointee)
  }
}

/// Gives the program a handle of the object that `body` creates or finds for a primary key; NULL for nil. It counts no
/// references to the realm, since programs call it for each of many objects.
@inline(__always)
@_cdecl("flx_object_find_or_create") @implementation
public func flx_object_find_or_create(
  _ realm: OpaquePointer,
  _ class_key: flx_class_key_t,
  _ primary_key: In<flx_value_t>,
  _ out_object: HandleOut,
  _ out_created: Out<Bool>?,
  _ error: ErrorOut
) -> flx_status_t {
  withObject(of: realm, primary_key, out_object, error) { realm in
    try realm.requireWrite()
    let info = try realm.schema.requireClass(class_key)
    let found = try realm.find(info, primary_key.pointee)
    let object = try found ?? realm.create(info, primary_key.pointee)
    out_created?.pointee = found == nil
    return object
  }
}

private func withObject(
  of realm: OpaquePointer,
  _ key: In<flx_value_t>,
  _ out: HandleOut,
  _ error: ErrorOut,
  function: StaticString = #function,
  _ body: (Realm) throws -> ManagedObject?
) -> flx_status_t {
  withStatus(error, Needed(key, "primary_key"), Needed(out, "out_object"), function: function) {
    try Handle.with(realm, as: Realm.self, function: function) { realm in
      try realm.claim.run { out.pointee = try body(realm).map { Handle.retained($0) } }
    }
  }
}

@_cdecl("flx_object_get_linked") @implementation
public func flx_object_get_linked(
  _ realm: OpaquePointer,
  _ link: flx_link_t,
  _ out_object: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, making: out_object, "out_object", error) { try $0.object(link) }
}

@_cdecl("flx_object_is_valid") @implementation
public func flx_object_is_valid(_ object: OpaquePointer) -> Bool {
  Handle.confined(object, as: ManagedObject.self) { $0.isValid }
}

@_cdecl("flx_object_link") @implementation
public func flx_object_link(_ object: OpaquePointer) -> flx_link_t {
  Handle.object(object, as: ManagedObject.self).link
}

// MARK: - Values

@_cdecl("flx_object_get") @implementation
public func flx_object_get(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ out_value: Out<flx_value_t>,
  _ error: ErrorOut
) -> flx_status_t {
  withStatus(error, often: object, ManagedObject.self, Needed(out_value, "out_value")) { object in
    guard let value = object.cachedValue(of: property) else { return false }
    out_value.pointee = value.pointee
    return true
  } otherwise: {
    out_value.pointee = try $0.value(of: property)
  }
}

@_cdecl("flx_object_get_values") @implementation
public func flx_object_get_values(
  _ object: OpaquePointer,
  _ properties: In<flx_property_key_t>?,
  _ count: Int,
  _ out_values: Out<flx_value_t>?,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedObject.call(object, error) { object in
    let properties = try CArray.view(properties, count: count, "properties")
    _ = try CArray.view(out_values.map { UnsafePointer($0) }, count: count, "values")
    if properties.isEmpty { _ = try object.currentValues() }
    // The texts of all properties are lent together, with the row.
    for (index, property) in properties.enumerated() { out_values?[index] = try object.value(of: property) }
  }
}

@_cdecl("flx_object_set_values") @implementation
public func flx_object_set_values(
  _ object: OpaquePointer,
  _ properties: In<flx_property_key_t>?,
  _ values: In<flx_value_t>?,
  _ count: Int,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedObject.call(object, error) { object in
    let properties = try CArray.view(properties, count: count, "properties")
    let values = try CArray.view(values, count: count, "values")
    if properties.isEmpty { try object.requireSettable() }
    for (property, value) in zip(properties, values) { try object.set(property, value) }
  }
}

@_cdecl("flx_object_get_link_state") @implementation
public func flx_object_get_link_state(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ out_state: Out<flx_link_state_t>,
  _ out_primary_key: Out<flx_value_t>?,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedObject.call(object, error, Needed(out_state, "out_state")) { object in
    let (state, key) = try object.linkState(of: property)
    out_state.pointee = flx_link_state_t(state)
    out_primary_key?.pointee = key
  }
}

@_cdecl("flx_object_set") @implementation
public func flx_object_set(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ value: In<flx_value_t>,
  _ error: ErrorOut
) -> flx_status_t {
  withStatus(error, often: object, ManagedObject.self, Needed(value, "value")) {
    try $0.setPlain(property, value.pointee)
  } otherwise: {
    try $0.set(property, value.pointee)
  }
}

@_cdecl("flx_object_add_integer") @implementation
public func flx_object_add_integer(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ delta: Int64,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedObject.call(object, error) { try $0.add(delta, to: property) }
}

@_cdecl("flx_object_delete") @implementation
public func flx_object_delete(_ object: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  ManagedObject.call(object, error) { try $0.delete() }
}
