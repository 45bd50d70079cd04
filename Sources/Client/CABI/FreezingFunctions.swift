// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

@_cdecl("flx_realm_freeze") @implementation
public func flx_realm_freeze(_ realm: OpaquePointer, _ out_frozen: HandleOut, _ error: ErrorOut)
  -> flx_status_t
{
  Realm.call(realm, making: out_frozen, "out_frozen", error) { try $0.frozen() }
}

@_cdecl("flx_realm_is_frozen") @implementation
public func flx_realm_is_frozen(_ realm: OpaquePointer) -> Bool {
  Handle.object(realm, as: Realm.self).isFrozen
}

@_cdecl("flx_realm_lock") @implementation
public func flx_realm_lock(_ realm: OpaquePointer) {
  let realm = Handle.object(realm, as: Realm.self)
  if realm.isShared { _ = realm.claim.enter() }
}

@_cdecl("flx_realm_unlock") @implementation
public func flx_realm_unlock(_ realm: OpaquePointer) {
  let realm = Handle.object(realm, as: Realm.self)
  if realm.isShared { realm.claim.leave() }
}

@_cdecl("flx_results_is_valid") @implementation
public func flx_results_is_valid(_ results: OpaquePointer) -> Bool {
  Handle.confined(results, as: Results.self) { $0.isValid }
}
