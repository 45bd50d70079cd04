// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

// MARK: - Lists

@_cdecl("flx_object_get_list") @implementation
public func flx_object_get_list(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ out_list: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedObject.call(object, making: out_list, "out_list", error) { try ManagedList.list(of: $0, property) }
}

@_cdecl("flx_list_count") @implementation
public func flx_list_count(_ list: OpaquePointer, _ out_count: Out<Int>, _ error: ErrorOut) -> flx_status_t {
  ManagedList.call(list, writing: out_count, "out_count", error) { try $0.count() }
}

@_cdecl("flx_list_get") @implementation
public func flx_list_get(
  _ list: OpaquePointer,
  _ index: Int,
  _ out_value: Out<flx_value_t>,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedList.call(list, writing: out_value, "out_value", error) { try $0.value(at: index) }
}

@_cdecl("flx_list_find") @implementation
public func flx_list_find(
  _ list: OpaquePointer,
  _ value: In<flx_value_t>,
  _ out_index: Out<Int>,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedList.call(list, writing: out_index, "out_index", error, Needed(value, "value")) {
    try $0.index(of: value.pointee) ?? notFound
  }
}

@_cdecl("flx_list_set") @implementation
public func flx_list_set(_ list: OpaquePointer, _ index: Int, _ value: In<flx_value_t>, _ error: ErrorOut)
  -> flx_status_t
{
  ManagedList.call(list, error, Needed(value, "value")) { try $0.set(value.pointee, at: index) }
}

@_cdecl("flx_list_insert") @implementation
public func flx_list_insert(_ list: OpaquePointer, _ index: Int, _ value: In<flx_value_t>, _ error: ErrorOut)
  -> flx_status_t
{
  ManagedList.call(list, error, Needed(value, "value")) { try $0.insert(value.pointee, at: index) }
}

@_cdecl("flx_list_erase") @implementation
public func flx_list_erase(_ list: OpaquePointer, _ index: Int, _ error: ErrorOut) -> flx_status_t {
  ManagedList.call(list, error) { try $0.erase(at: index) }
}

@_cdecl("flx_list_move") @implementation
public func flx_list_move(_ list: OpaquePointer, _ from: Int, _ to: Int, _ error: ErrorOut) -> flx_status_t {
  ManagedList.call(list, error) { try $0.move(from: from, to: to) }
}

@_cdecl("flx_list_clear") @implementation
public func flx_list_clear(_ list: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  ManagedList.call(list, error) { try $0.clear() }
}

// MARK: - Sets

@_cdecl("flx_object_get_set") @implementation
public func flx_object_get_set(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ out_set: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedObject.call(object, making: out_set, "out_set", error) { try ManagedSet($0, property) }
}

@_cdecl("flx_set_count") @implementation
public func flx_set_count(_ set: OpaquePointer, _ out_count: Out<Int>, _ error: ErrorOut) -> flx_status_t {
  ManagedSet.call(set, writing: out_count, "out_count", error) { try $0.count() }
}

@_cdecl("flx_set_get") @implementation
public func flx_set_get(_ set: OpaquePointer, _ index: Int, _ out_value: Out<flx_value_t>, _ error: ErrorOut)
  -> flx_status_t
{
  ManagedSet.call(set, writing: out_value, "out_value", error) { try $0.value(at: index) }
}

@_cdecl("flx_set_find") @implementation
public func flx_set_find(
  _ set: OpaquePointer,
  _ value: In<flx_value_t>,
  _ out_index: Out<Int>,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedSet.call(set, writing: out_index, "out_index", error, Needed(value, "value")) {
    try $0.index(of: value.pointee) ?? notFound
  }
}

@_cdecl("flx_set_insert") @implementation
public func flx_set_insert(
  _ set: OpaquePointer,
  _ value: In<flx_value_t>,
  _ out_is_new: Out<Bool>?,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedSet.call(set, offering: out_is_new, error, Needed(value, "value")) { try $0.insert(value.pointee) }
}

@_cdecl("flx_set_erase") @implementation
public func flx_set_erase(
  _ set: OpaquePointer,
  _ value: In<flx_value_t>,
  _ out_was_there: Out<Bool>?,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedSet.call(set, offering: out_was_there, error, Needed(value, "value")) { try $0.erase(value.pointee) }
}

@_cdecl("flx_set_clear") @implementation
public func flx_set_clear(_ set: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  ManagedSet.call(set, error) { try $0.clear() }
}

// MARK: - Dictionaries

@_cdecl("flx_object_get_dictionary") @implementation
public func flx_object_get_dictionary(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ out_dictionary: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedObject.call(object, making: out_dictionary, "out_dictionary", error) {
    try ManagedDictionary.dictionary(of: $0, property)
  }
}

@_cdecl("flx_dictionary_count") @implementation
public func flx_dictionary_count(_ dictionary: OpaquePointer, _ out_count: Out<Int>, _ error: ErrorOut)
  -> flx_status_t
{
  ManagedDictionary.call(dictionary, writing: out_count, "out_count", error) { try $0.count() }
}

@_cdecl("flx_dictionary_get_at") @implementation
public func flx_dictionary_get_at(
  _ dictionary: OpaquePointer,
  _ index: Int,
  _ out_key: Out<flx_string_t>?,
  _ out_value: Out<flx_value_t>?,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedDictionary.call(dictionary, error) { dictionary in
    let entry = try dictionary.entry(at: index)
    out_key?.pointee = entry.key
    out_value?.pointee = entry.value
  }
}

@_cdecl("flx_dictionary_get") @implementation
public func flx_dictionary_get(
  _ dictionary: OpaquePointer,
  _ key: flx_string_t,
  _ out_value: Out<flx_value_t>,
  _ out_is_there: Out<Bool>?,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedDictionary.call(dictionary, writing: out_value, "out_value", error) { dictionary in
    let (value, isThere) = try dictionary.value(of: key)
    out_is_there?.pointee = isThere
    return value
  }
}

@_cdecl("flx_dictionary_set") @implementation
public func flx_dictionary_set(
  _ dictionary: OpaquePointer,
  _ key: flx_string_t,
  _ value: In<flx_value_t>,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedDictionary.call(dictionary, error, Needed(value, "value")) { try $0.set(value.pointee, of: key) }
}

@_cdecl("flx_dictionary_erase") @implementation
public func flx_dictionary_erase(
  _ dictionary: OpaquePointer,
  _ key: flx_string_t,
  _ out_was_there: Out<Bool>?,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedDictionary.call(dictionary, offering: out_was_there, error) { try $0.erase(key) }
}

@_cdecl("flx_dictionary_clear") @implementation
public func flx_dictionary_clear(_ dictionary: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  ManagedDictionary.call(dictionary, error) { try $0.clear() }
}

// MARK: - Results

@_cdecl("flx_list_get_results") @implementation
public func flx_list_get_results(_ list: OpaquePointer, _ out_results: HandleOut, _ error: ErrorOut)
  -> flx_status_t
{
  ManagedList.call(list, making: out_results, "out_results", error) {
    try Members.results(of: $0.watch())
  }
}

@_cdecl("flx_set_get_results") @implementation
public func flx_set_get_results(_ set: OpaquePointer, _ out_results: HandleOut, _ error: ErrorOut)
  -> flx_status_t
{
  ManagedSet.call(set, making: out_results, "out_results", error) {
    try Members.results(of: $0.watch())
  }
}

@_cdecl("flx_dictionary_get_results") @implementation
public func flx_dictionary_get_results(
  _ dictionary: OpaquePointer,
  _ out_results: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedDictionary.call(dictionary, making: out_results, "out_results", error) {
    try Members.results(of: $0.watch())
  }
}
