// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

@_cdecl("flx_object_set_embedded") @implementation
public func flx_object_set_embedded(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ out_embedded: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedObject.call(object, making: out_embedded, "out_embedded", error) { try $0.setEmbedded(property) }
}

@_cdecl("flx_list_insert_embedded") @implementation
public func flx_list_insert_embedded(
  _ list: OpaquePointer,
  _ index: Int,
  _ out_embedded: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedList.call(list, making: out_embedded, "out_embedded", error) { try $0.insertEmbedded(at: index) }
}

@_cdecl("flx_list_set_embedded") @implementation
public func flx_list_set_embedded(
  _ list: OpaquePointer,
  _ index: Int,
  _ out_embedded: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedList.call(list, making: out_embedded, "out_embedded", error) { try $0.setEmbedded(at: index) }
}

@_cdecl("flx_dictionary_set_embedded") @implementation
public func flx_dictionary_set_embedded(
  _ dictionary: OpaquePointer,
  _ key: flx_string_t,
  _ out_embedded: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedDictionary.call(dictionary, making: out_embedded, "out_embedded", error) { try $0.setEmbedded(key) }
}

@_cdecl("flx_object_get_backlinks") @implementation
public func flx_object_get_backlinks(
  _ object: OpaquePointer,
  _ origin_class: flx_class_key_t,
  _ origin_property: flx_property_key_t,
  _ out_results: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedObject.call(object, making: out_results, "out_results", error) {
    try Backlinks.results(to: $0, from: origin_class, origin_property)
  }
}
