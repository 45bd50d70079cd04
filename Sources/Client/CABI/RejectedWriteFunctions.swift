// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

@_cdecl("flx_rejected_writes_get") @implementation
public func flx_rejected_writes_get(_ realm: OpaquePointer, _ out_writes: HandleOut, _ error: ErrorOut)
  -> flx_status_t
{
  Realm.call(realm, making: out_writes, "out_writes", error) { RejectedWriteList(try $0.rejectedWrites()) }
}

@_cdecl("flx_rejected_writes_count") @implementation
public func flx_rejected_writes_count(_ writes: OpaquePointer) -> Int {
  Handle.object(writes, as: RejectedWriteList.self).writes.count
}

@_cdecl("flx_rejected_writes_at") @implementation
public func flx_rejected_writes_at(
  _ writes: OpaquePointer,
  _ index: Int,
  _ out_write: Out<flx_rejected_write_t>,
  _ error: ErrorOut
) -> flx_status_t {
  RejectedWriteList.call(writes, writing: out_write, "out_write", error) { try $0.writes.element(at: index) }
}

@_cdecl("flx_rejected_write_resubmit") @implementation
public func flx_rejected_write_resubmit(_ realm: OpaquePointer, _ id: Int64, _ error: ErrorOut)
  -> flx_status_t
{
  Realm.call(realm, error) { try $0.resubmitRejectedWrite(id) }
}

@_cdecl("flx_rejected_write_discard") @implementation
public func flx_rejected_write_discard(
  _ realm: OpaquePointer,
  _ id: Int64,
  _ out_discarded: Out<Bool>?,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, offering: out_discarded, error) { try $0.discardRejectedWrite(id) }
}
