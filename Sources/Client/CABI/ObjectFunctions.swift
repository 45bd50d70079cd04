// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

// MARK: - Finding objects

@_cdecl("flx_object_create") @implementation
public func flx_object_create(
  _ realm: OpaquePointer,
  _ class_key: flx_class_key_t,
  _ primary_key: UnsafePointer<flx_value_t>,
  _ out_object: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(
    error,
    confined: realm,
    Realm.self,
    Needed(primary_key, "primary_key"),
    Needed(out_object, "out_object")
  ) { realm in
    let object = try realm.create(realm.schema.requireClass(class_key), primary_key.pointee)
    out_object.pointee = Handle.retained(object)
  }
}

@_cdecl("flx_object_find") @implementation
public func flx_object_find(
  _ realm: OpaquePointer,
  _ class_key: flx_class_key_t,
  _ primary_key: UnsafePointer<flx_value_t>,
  _ out_object: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, Needed(primary_key, "primary_key"), Needed(out_object, "out_object")) {
    try Handle.with(realm, as: Realm.self) { realm in
      try realm.claim.run {
        let object = try realm.find(realm.schema.requireClass(class_key), primary_key.pointee)
        out_object.pointee = object.map { Handle.retained($0) }
      }
    }
  }
}

@_cdecl("flx_object_get_linked") @implementation
public func flx_object_get_linked(
  _ realm: OpaquePointer,
  _ link: flx_link_t,
  _ out_object: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: realm, Realm.self, Needed(out_object, "out_object")) { realm in
    let object = try realm.object(link)
    out_object.pointee = object.map { Handle.retained($0) }
  }
}

@_cdecl("flx_object_retain") @implementation
public func flx_object_retain(_ object: OpaquePointer) -> OpaquePointer {
  Handle.retain(object, as: ManagedObject.self)
}

@_cdecl("flx_object_release") @implementation
public func flx_object_release(_ object: OpaquePointer?) { Handle.release(object, as: ManagedObject.self) }

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
  _ out_value: UnsafeMutablePointer<flx_value_t>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, often: object, ManagedObject.self, Needed(out_value, "out_value")) { object in
    guard let value = object.cachedValue(of: property) else { return false }
    out_value.pointee = value.pointee
    return true
  } otherwise: {
    out_value.pointee = try $0.value(of: property)
  }
}

@_cdecl("flx_object_set") @implementation
public func flx_object_set(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ value: UnsafePointer<flx_value_t>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: object, ManagedObject.self, Needed(value, "value")) {
    try $0.set(property, value.pointee)
  }
}

@_cdecl("flx_object_add_integer") @implementation
public func flx_object_add_integer(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ delta: Int64,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: object, ManagedObject.self) { try $0.add(delta, to: property) }
}

@_cdecl("flx_object_delete") @implementation
public func flx_object_delete(
  _ object: OpaquePointer,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: object, ManagedObject.self) { try $0.delete() }
}

@_cdecl("flx_object_observe") @implementation
public func flx_object_observe(
  _ object: OpaquePointer,
  _ callback: @escaping flx_object_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  observing(
    object,
    as: ManagedObject.self,
    Needed(callback: callback, "callback"),
    Userdata(userdata, free: free_userdata),
    token: out_token,
    error
  ) { object, userdata in
    try object.info.requireKept()
    _ = try object.currentValues()
    return object.realm.addObserver(ObjectObserver(object) { $0.report(to: callback, userdata) })
  }
}

// MARK: - Lists

@_cdecl("flx_object_get_list") @implementation
public func flx_object_get_list(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ out_list: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: object, ManagedObject.self, Needed(out_list, "out_list")) { object in
    let list = try ManagedList.list(of: object, property)
    out_list.pointee = Handle.retained(list)
  }
}

@_cdecl("flx_list_release") @implementation
public func flx_list_release(_ list: OpaquePointer?) { Handle.release(list, as: ManagedList.self) }

@_cdecl("flx_list_count") @implementation
public func flx_list_count(
  _ list: OpaquePointer,
  _ out_count: UnsafeMutablePointer<Int>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self, Needed(out_count, "out_count")) {
    out_count.pointee = try $0.count()
  }
}

@_cdecl("flx_list_get") @implementation
public func flx_list_get(
  _ list: OpaquePointer,
  _ index: Int,
  _ out_value: UnsafeMutablePointer<flx_value_t>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self, Needed(out_value, "out_value")) {
    out_value.pointee = try $0.value(at: index)
  }
}

@_cdecl("flx_list_set") @implementation
public func flx_list_set(
  _ list: OpaquePointer,
  _ index: Int,
  _ value: UnsafePointer<flx_value_t>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self, Needed(value, "value")) {
    try $0.set(value.pointee, at: index)
  }
}

@_cdecl("flx_list_insert") @implementation
public func flx_list_insert(
  _ list: OpaquePointer,
  _ index: Int,
  _ value: UnsafePointer<flx_value_t>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self, Needed(value, "value")) {
    try $0.insert(value.pointee, at: index)
  }
}

@_cdecl("flx_list_erase") @implementation
public func flx_list_erase(
  _ list: OpaquePointer,
  _ index: Int,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self) { try $0.erase(at: index) }
}

@_cdecl("flx_list_move") @implementation
public func flx_list_move(
  _ list: OpaquePointer,
  _ from: Int,
  _ to: Int,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self) { try $0.move(from: from, to: to) }
}

@_cdecl("flx_list_clear") @implementation
public func flx_list_clear(
  _ list: OpaquePointer,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self) { try $0.clear() }
}
