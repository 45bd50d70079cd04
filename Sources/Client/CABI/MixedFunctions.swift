// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncModel

// MARK: - Reading

@_cdecl("flx_list_get_list") @implementation
public func flx_list_get_list(
  _ list: OpaquePointer,
  _ index: Int,
  _ out_list: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self, Needed(out_list, "out_list")) { list in
    let place = try list.place(at: index)
    out_list.pointee = Handle.retained(try place.list() as ManagedList)
  }
}

@_cdecl("flx_list_get_dictionary") @implementation
public func flx_list_get_dictionary(
  _ list: OpaquePointer,
  _ index: Int,
  _ out_dictionary: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self, Needed(out_dictionary, "out_dictionary")) { list in
    let place = try list.place(at: index)
    out_dictionary.pointee = Handle.retained(try place.dictionary() as ManagedDictionary)
  }
}

@_cdecl("flx_dictionary_get_list") @implementation
public func flx_dictionary_get_list(
  _ dictionary: OpaquePointer,
  _ key: flx_string_t,
  _ out_list: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: dictionary, ManagedDictionary.self, Needed(out_list, "out_list")) {
    dictionary in
    let place = try dictionary.place(of: key)
    out_list.pointee = Handle.retained(try place.list() as ManagedList)
  }
}

@_cdecl("flx_dictionary_get_dictionary") @implementation
public func flx_dictionary_get_dictionary(
  _ dictionary: OpaquePointer,
  _ key: flx_string_t,
  _ out_dictionary: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: dictionary, ManagedDictionary.self, Needed(out_dictionary, "out_dictionary")) {
    dictionary in
    let place = try dictionary.place(of: key)
    out_dictionary.pointee = Handle.retained(try place.dictionary() as ManagedDictionary)
  }
}

// MARK: - Creating

@_cdecl("flx_object_set_list") @implementation
public func flx_object_set_list(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: object, ManagedObject.self) { try $0.putCollection(.list([]), property) }
}

@_cdecl("flx_object_set_dictionary") @implementation
public func flx_object_set_dictionary(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: object, ManagedObject.self) { object in
    try object.putCollection(.dictionary([]), property)
  }
}

@_cdecl("flx_list_set_list") @implementation
public func flx_list_set_list(
  _ list: OpaquePointer,
  _ index: Int,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self) { try $0.putCollection(.list([]), at: index) }
}

@_cdecl("flx_list_set_dictionary") @implementation
public func flx_list_set_dictionary(
  _ list: OpaquePointer,
  _ index: Int,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self) { list in
    try list.putCollection(.dictionary([]), at: index)
  }
}

@_cdecl("flx_list_insert_list") @implementation
public func flx_list_insert_list(
  _ list: OpaquePointer,
  _ index: Int,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self) { try $0.insertCollection(.list([]), at: index) }
}

@_cdecl("flx_list_insert_dictionary") @implementation
public func flx_list_insert_dictionary(
  _ list: OpaquePointer,
  _ index: Int,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self) { list in
    try list.insertCollection(.dictionary([]), at: index)
  }
}

@_cdecl("flx_dictionary_set_list") @implementation
public func flx_dictionary_set_list(
  _ dictionary: OpaquePointer,
  _ key: flx_string_t,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: dictionary, ManagedDictionary.self) { dictionary in
    try dictionary.putCollection(.list([]), of: key)
  }
}

@_cdecl("flx_dictionary_set_dictionary") @implementation
public func flx_dictionary_set_dictionary(
  _ dictionary: OpaquePointer,
  _ key: flx_string_t,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: dictionary, ManagedDictionary.self) { dictionary in
    try dictionary.putCollection(.dictionary([]), of: key)
  }
}
