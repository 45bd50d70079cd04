// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

@_cdecl("flx_realm_class_count") @implementation
public func flx_realm_class_count(_ realm: OpaquePointer) -> Int {
  Handle.confined(realm, as: Realm.self) { $0.schema.classes.count }
}

@_cdecl("flx_realm_class_at") @implementation
public func flx_realm_class_at(
  _ realm: OpaquePointer,
  _ index: Int,
  _ out_info: Out<flx_class_info_t>,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, writing: out_info, "out_info", error) {
    try $0.schema.classes.element(at: index).lentDescription.info
  }
}

@_cdecl("flx_realm_find_class") @implementation
public func flx_realm_find_class(
  _ realm: OpaquePointer,
  _ name: flx_string_t,
  _ out_info: Out<flx_class_info_t>,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, writing: out_info, "out_info", error) {
    try $0.schema.requireClass(named: name.text("The name of a class")).lentDescription.info
  }
}

@_cdecl("flx_realm_add_classes") @implementation
public func flx_realm_add_classes(
  _ realm: OpaquePointer,
  _ classes: In<flx_class_info_t>,
  _ class_count: Int,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, error) { realm in
    let classes = try CArray.view(classes, count: class_count, "classes")
    try realm.requireOpen()
    try realm.addClasses(classes.map(DeclaredClass.init))
  }
}

@_cdecl("flx_realm_adopt_class") @implementation
public func flx_realm_adopt_class(
  _ realm: OpaquePointer,
  _ name: flx_string_t,
  _ out_info: Out<flx_class_info_t>,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, writing: out_info, "out_info", error) { realm in
    let name = try name.text("The name of a class")
    try realm.requireOpen()
    return try realm.adoptClass(named: name).lentDescription.info
  }
}

@_cdecl("flx_realm_find_property") @implementation
public func flx_realm_find_property(
  _ realm: OpaquePointer,
  _ class_key: flx_class_key_t,
  _ name: flx_string_t,
  _ out_info: Out<flx_property_info_t>,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, writing: out_info, "out_info", error) { realm in
    let info = try realm.schema.requireClass(class_key)
    let name = try name.text("The name of a property")
    guard let column = info.table.column(named: name),
      let property = info.lentDescription.property(of: column)
    else {
      throw CoreError(.noSuchProperty, "The class '\(info.name)' has no property '\(name)'.")
    }
    return property
  }
}
