// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

// MARK: - Sets

@_cdecl("flx_object_get_set") @implementation
public func flx_object_get_set(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ out_set: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: object, ManagedObject.self, Needed(out_set, "out_set")) { object in
    let set = try ManagedSet(object, property)
    out_set.pointee = Handle.retained(set)
  }
}

@_cdecl("flx_set_release") @implementation
public func flx_set_release(_ set: OpaquePointer?) { Handle.release(set, as: ManagedSet.self) }

@_cdecl("flx_set_count") @implementation
public func flx_set_count(
  _ set: OpaquePointer,
  _ out_count: UnsafeMutablePointer<Int>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: set, ManagedSet.self, Needed(out_count, "out_count")) { set in
    out_count.pointee = try set.count()
  }
}

@_cdecl("flx_set_get") @implementation
public func flx_set_get(
  _ set: OpaquePointer,
  _ index: Int,
  _ out_value: UnsafeMutablePointer<flx_value_t>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: set, ManagedSet.self, Needed(out_value, "out_value")) { set in
    out_value.pointee = try set.value(at: index)
  }
}

@_cdecl("flx_set_find") @implementation
public func flx_set_find(
  _ set: OpaquePointer,
  _ value: UnsafePointer<flx_value_t>,
  _ out_index: UnsafeMutablePointer<Int>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: set, ManagedSet.self, Needed(value, "value"), Needed(out_index, "out_index")) {
    set in
    let index = try set.index(of: value.pointee)
    // SIZE_MAX in C.
    out_index.pointee = index ?? -1
  }
}

@_cdecl("flx_set_insert") @implementation
public func flx_set_insert(
  _ set: OpaquePointer,
  _ value: UnsafePointer<flx_value_t>,
  _ out_is_new: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: set, ManagedSet.self, Needed(value, "value")) { set in
    let isNew = try set.insert(value.pointee)
    out_is_new?.pointee = isNew
  }
}

@_cdecl("flx_set_erase") @implementation
public func flx_set_erase(
  _ set: OpaquePointer,
  _ value: UnsafePointer<flx_value_t>,
  _ out_was_there: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: set, ManagedSet.self, Needed(value, "value")) { set in
    let wasThere = try set.erase(value.pointee)
    out_was_there?.pointee = wasThere
  }
}

@_cdecl("flx_set_clear") @implementation
public func flx_set_clear(
  _ set: OpaquePointer,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: set, ManagedSet.self) { set in
    try set.clear()
  }
}

// MARK: - Dictionaries

@_cdecl("flx_object_get_dictionary") @implementation
public func flx_object_get_dictionary(
  _ object: OpaquePointer,
  _ property: flx_property_key_t,
  _ out_dictionary: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: object, ManagedObject.self, Needed(out_dictionary, "out_dictionary")) {
    object in
    let dictionary = try ManagedDictionary.dictionary(
      of: object,
      property
    )
    out_dictionary.pointee = Handle.retained(dictionary)
  }
}

@_cdecl("flx_dictionary_release") @implementation
public func flx_dictionary_release(_ dictionary: OpaquePointer?) {
  Handle.release(dictionary, as: ManagedDictionary.self)
}

@_cdecl("flx_dictionary_count") @implementation
public func flx_dictionary_count(
  _ dictionary: OpaquePointer,
  _ out_count: UnsafeMutablePointer<Int>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: dictionary, ManagedDictionary.self, Needed(out_count, "out_count")) {
    dictionary in
    out_count.pointee = try dictionary.count()
  }
}

@_cdecl("flx_dictionary_get_at") @implementation
public func flx_dictionary_get_at(
  _ dictionary: OpaquePointer,
  _ index: Int,
  _ out_key: UnsafeMutablePointer<flx_string_t>?,
  _ out_value: UnsafeMutablePointer<flx_value_t>?,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: dictionary, ManagedDictionary.self) { dictionary in
    let entry = try dictionary.entry(at: index)
    out_key?.pointee = entry.key
    out_value?.pointee = entry.value
  }
}

@_cdecl("flx_dictionary_get") @implementation
public func flx_dictionary_get(
  _ dictionary: OpaquePointer,
  _ key: flx_string_t,
  _ out_value: UnsafeMutablePointer<flx_value_t>,
  _ out_is_there: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: dictionary, ManagedDictionary.self, Needed(out_value, "out_value")) {
    dictionary in
    let (value, isThere) = try dictionary.value(of: key)
    out_value.pointee = value
    out_is_there?.pointee = isThere
  }
}

@_cdecl("flx_dictionary_set") @implementation
public func flx_dictionary_set(
  _ dictionary: OpaquePointer,
  _ key: flx_string_t,
  _ value: UnsafePointer<flx_value_t>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: dictionary, ManagedDictionary.self, Needed(value, "value")) { dictionary in
    try dictionary.set(value.pointee, of: key)
  }
}

@_cdecl("flx_dictionary_erase") @implementation
public func flx_dictionary_erase(
  _ dictionary: OpaquePointer,
  _ key: flx_string_t,
  _ out_was_there: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: dictionary, ManagedDictionary.self) { dictionary in
    let wasThere = try dictionary.erase(key)
    out_was_there?.pointee = wasThere
  }
}

@_cdecl("flx_dictionary_clear") @implementation
public func flx_dictionary_clear(
  _ dictionary: OpaquePointer,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: dictionary, ManagedDictionary.self) { dictionary in
    try dictionary.clear()
  }
}
