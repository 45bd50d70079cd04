// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

// MARK: - Making

@_cdecl("flx_object_make_reference") @implementation
public func flx_object_make_reference(_ object: OpaquePointer, _ out_reference: HandleOut, _ error: ErrorOut)
  -> flx_status_t
{
  ManagedObject.call(object, making: out_reference, "out_reference", error) { try $0.makeReference() }
}

@_cdecl("flx_list_make_reference") @implementation
public func flx_list_make_reference(_ list: OpaquePointer, _ out_reference: HandleOut, _ error: ErrorOut)
  -> flx_status_t
{
  ManagedList.call(list, making: out_reference, "out_reference", error) {
    try $0.watch().makeReference(.list)
  }
}

@_cdecl("flx_set_make_reference") @implementation
public func flx_set_make_reference(_ set: OpaquePointer, _ out_reference: HandleOut, _ error: ErrorOut)
  -> flx_status_t
{
  ManagedSet.call(set, making: out_reference, "out_reference", error) { try $0.watch().makeReference(.set) }
}

@_cdecl("flx_dictionary_make_reference") @implementation
public func flx_dictionary_make_reference(
  _ dictionary: OpaquePointer,
  _ out_reference: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedDictionary.call(dictionary, making: out_reference, "out_reference", error) {
    try $0.watch().makeReference(.dictionary)
  }
}

@_cdecl("flx_results_make_reference") @implementation
public func flx_results_make_reference(
  _ results: OpaquePointer,
  _ out_reference: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Results.call(results, making: out_reference, "out_reference", error) { try $0.makeReference() }
}

// MARK: - Resolving

@_cdecl("flx_realm_resolve_object") @implementation
public func flx_realm_resolve_object(
  _ realm: OpaquePointer,
  _ reference: OpaquePointer,
  _ out_object: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, resolving: reference, out_object, "out_object", error) { try $0.object($1) }
}

@_cdecl("flx_realm_resolve_list") @implementation
public func flx_realm_resolve_list(
  _ realm: OpaquePointer,
  _ reference: OpaquePointer,
  _ out_list: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, resolving: reference, out_list, "out_list", error) {
    try $0.holder($1, .list).map(ManagedList.init)
  }
}

@_cdecl("flx_realm_resolve_set") @implementation
public func flx_realm_resolve_set(
  _ realm: OpaquePointer,
  _ reference: OpaquePointer,
  _ out_set: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, resolving: reference, out_set, "out_set", error) {
    try $0.holder($1, .set).map(ManagedSet.init)
  }
}

@_cdecl("flx_realm_resolve_dictionary") @implementation
public func flx_realm_resolve_dictionary(
  _ realm: OpaquePointer,
  _ reference: OpaquePointer,
  _ out_dictionary: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, resolving: reference, out_dictionary, "out_dictionary", error) {
    try $0.holder($1, .dictionary).map(ManagedDictionary.init)
  }
}

@_cdecl("flx_realm_resolve_results") @implementation
public func flx_realm_resolve_results(
  _ realm: OpaquePointer,
  _ reference: OpaquePointer,
  _ out_results: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, resolving: reference, out_results, "out_results", error) { try $0.results($1) }
}

extension Realm {
  /// `call` for a function that gives the program what `body` finds by a reference; NULL for nil.
  fileprivate static func call<Found: HandleTarget>(
    _ realm: OpaquePointer,
    resolving reference: OpaquePointer,
    _ out: HandleOut,
    _ name: StaticString,
    _ error: ErrorOut,
    function: StaticString = #function,
    _ body: (Realm, Reference) throws -> Found?
  ) -> flx_status_t {
    call(realm, making: out, name, error, function: function) { realm in
      try body(realm, Handle.object(reference, function: function))
    }
  }
}

// MARK: - Lifetime

@_cdecl("flx_reference_retain") @implementation
public func flx_reference_retain(_ reference: OpaquePointer) -> OpaquePointer {
  Handle.retain(reference, as: Reference.self)
}

@_cdecl("flx_reference_release") @implementation
public func flx_reference_release(_ reference: OpaquePointer?) {
  Handle.release(reference, as: Reference.self)
}
