// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncModel

// MARK: - Reading

@_cdecl("flx_list_get_list") @implementation
public func flx_list_get_list(_ list: OpaquePointer, _ index: Int, _ out_list: HandleOut, _ error: ErrorOut)
  -> flx_status_t
{
  ManagedList.call(list, making: out_list, "out_list", error) {
    try $0.place(at: index).list()
  }
}

@_cdecl("flx_list_get_dictionary") @implementation
public func flx_list_get_dictionary(
  _ list: OpaquePointer,
  _ index: Int,
  _ out_dictionary: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedList.call(list, making: out_dictionary, "out_dictionary", error) {
    try $0.place(at: index).dictionary()
  }
}

@_cdecl("flx_dictionary_get_list") @implementation
public func flx_dictionary_get_list(
  _ dictionary: OpaquePointer,
  _ key: flx_string_t,
  _ out_list: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedDictionary.call(dictionary, making: out_list, "out_list", error) {
    try $0.place(of: key).list()
  }
}

@_cdecl("flx_dictionary_get_dictionary") @implementation
public func flx_dictionary_get_dictionary(
  _ dictionary: OpaquePointer,
  _ key: flx_string_t,
  _ out_dictionary: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedDictionary.call(dictionary, making: out_dictionary, "out_dictionary", error) {
    try $0.place(of: key).dictionary()
  }
}

// MARK: - Creating

@_cdecl("flx_object_set_list") @implementation
public func flx_object_set_list(_ object: OpaquePointer, _ property: flx_property_key_t, _ error: ErrorOut)
  -> flx_status_t
{
  ManagedObject.call(object, error) { try $0.putCollection(.list([]), property) }
}

@_cdecl("flx_object_set_dictionary") @implementation
public func flx_object_set_dictionary(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedObject.call(object, error) { try $0.putCollection(.dictionary([]), property) }
}

@_cdecl("flx_list_set_list") @implementation
public func flx_list_set_list(_ list: OpaquePointer, _ index: Int, _ error: ErrorOut) -> flx_status_t {
  ManagedList.call(list, error) { try $0.putCollection(.list([]), at: index) }
}

@_cdecl("flx_list_set_dictionary") @implementation
public func flx_list_set_dictionary(_ list: OpaquePointer, _ index: Int, _ error: ErrorOut) -> flx_status_t {
  ManagedList.call(list, error) { try $0.putCollection(.dictionary([]), at: index) }
}

@_cdecl("flx_list_insert_list") @implementation
public func flx_list_insert_list(_ list: OpaquePointer, _ index: Int, _ error: ErrorOut) -> flx_status_t {
  ManagedList.call(list, error) { try $0.insertCollection(.list([]), at: index) }
}

@_cdecl("flx_list_insert_dictionary") @implementation
public func flx_list_insert_dictionary(_ list: OpaquePointer, _ index: Int, _ error: ErrorOut)
  -> flx_status_t
{
  ManagedList.call(list, error) { try $0.insertCollection(.dictionary([]), at: index) }
}

@_cdecl("flx_dictionary_set_list") @implementation
public func flx_dictionary_set_list(_ dictionary: OpaquePointer, _ key: flx_string_t, _ error: ErrorOut)
  -> flx_status_t
{
  ManagedDictionary.call(dictionary, error) { try $0.putCollection(.list([]), of: key) }
}

@_cdecl("flx_dictionary_set_dictionary") @implementation
public func flx_dictionary_set_dictionary(_ dictionary: OpaquePointer, _ key: flx_string_t, _ error: ErrorOut)
  -> flx_status_t
{
  ManagedDictionary.call(dictionary, error) { try $0.putCollection(.dictionary([]), of: key) }
}
