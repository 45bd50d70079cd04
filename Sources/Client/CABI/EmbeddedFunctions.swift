// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

@_cdecl("flx_object_set_embedded") @implementation
public func flx_object_set_embedded(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ out_embedded: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: object, ManagedObject.self, Needed(out_embedded, "out_embedded")) { object in
    let embedded = try object.setEmbedded(property)
    out_embedded.pointee = Handle.retained(embedded)
  }
}

@_cdecl("flx_list_insert_embedded") @implementation
public func flx_list_insert_embedded(
  _ list: OpaquePointer,
  _ index: Int,
  _ out_embedded: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self, Needed(out_embedded, "out_embedded")) { list in
    let embedded = try list.insertEmbedded(at: index)
    out_embedded.pointee = Handle.retained(embedded)
  }
}

@_cdecl("flx_list_set_embedded") @implementation
public func flx_list_set_embedded(
  _ list: OpaquePointer,
  _ index: Int,
  _ out_embedded: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self, Needed(out_embedded, "out_embedded")) { list in
    let embedded = try list.setEmbedded(at: index)
    out_embedded.pointee = Handle.retained(embedded)
  }
}

@_cdecl("flx_dictionary_set_embedded") @implementation
public func flx_dictionary_set_embedded(
  _ dictionary: OpaquePointer,
  _ key: flx_string_t,
  _ out_embedded: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: dictionary, ManagedDictionary.self, Needed(out_embedded, "out_embedded")) {
    dictionary in
    let embedded = try dictionary.setEmbedded(key)
    out_embedded.pointee = Handle.retained(embedded)
  }
}

@_cdecl("flx_object_get_backlinks") @implementation
public func flx_object_get_backlinks(
  _ object: OpaquePointer,
  _ origin_class: flx_class_key_t,
  _ origin_property: flx_property_key_t,
  _ out_results: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: object, ManagedObject.self, Needed(out_results, "out_results")) { object in
    let results = try Backlinks.results(to: object, from: origin_class, origin_property)
    out_results.pointee = Handle.retained(results)
  }
}
