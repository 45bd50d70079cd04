// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

@_cdecl("flx_rejected_writes_get") @implementation
public func flx_rejected_writes_get(
  _ realm: OpaquePointer,
  _ out_writes: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: realm, Realm.self, Needed(out_writes, "out_writes")) { realm in
    out_writes.pointee = Handle.retained(RejectedWriteList(try realm.rejectedWrites()))
  }
}

@_cdecl("flx_rejected_writes_release") @implementation
public func flx_rejected_writes_release(_ writes: OpaquePointer?) {
  Handle.release(writes, as: RejectedWriteList.self)
}

@_cdecl("flx_rejected_writes_count") @implementation
public func flx_rejected_writes_count(_ writes: OpaquePointer) -> Int {
  Handle.object(writes, as: RejectedWriteList.self).structures.count
}

@_cdecl("flx_rejected_writes_at") @implementation
public func flx_rejected_writes_at(
  _ writes: OpaquePointer,
  _ index: Int,
  _ out_write: UnsafeMutablePointer<flx_rejected_write_t>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, Needed(out_write, "out_write")) {
    out_write.pointee = try Handle.object(writes, as: RejectedWriteList.self).structures.element(at: index)
  }
}

@_cdecl("flx_rejected_writes_observe") @implementation
public func flx_rejected_writes_observe(
  _ realm: OpaquePointer,
  _ callback: @escaping flx_collection_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  observing(
    realm,
    as: Realm.self,
    Needed(callback: callback, "callback"),
    Userdata(userdata, free: free_userdata),
    token: out_token,
    error
  ) { realm, userdata in
    try realm.observeRejectedWrites { $0.report(to: callback, userdata) }
  }
}

@_cdecl("flx_rejected_write_resubmit") @implementation
public func flx_rejected_write_resubmit(
  _ realm: OpaquePointer,
  _ id: Int64,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: realm, Realm.self) { try $0.resubmitRejectedWrite(id) }
}

@_cdecl("flx_rejected_write_discard") @implementation
public func flx_rejected_write_discard(
  _ realm: OpaquePointer,
  _ id: Int64,
  _ out_discarded: UnsafeMutablePointer<Bool>?,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: realm, Realm.self) { realm in
    let isDiscarded = try realm.discardRejectedWrite(id)
    out_discarded?.pointee = isDiscarded
  }
}
