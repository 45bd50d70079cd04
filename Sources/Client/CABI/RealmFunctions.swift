// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

// MARK: - Opening and closing

@_cdecl("flx_realm_open") @implementation
public func flx_realm_open(_ config: In<flx_realm_config_t>, _ out_realm: HandleOut, _ error: ErrorOut)
  -> flx_status_t
{
  RealmConfiguration.giveBackUserdata(of: config, ifNull: Needed(out_realm, "out_realm"))
  return withStatus(error, Needed(config, "config"), Needed(out_realm, "out_realm")) {
    out_realm.pointee = Handle.retained(try Realm.open(RealmConfiguration(config)))
  }
}

@_cdecl("flx_realm_retain") @implementation
public func flx_realm_retain(_ realm: OpaquePointer) -> OpaquePointer {
  guard !ForkGuard.isChild else { return realm }
  Handle.object(realm, as: Realm.self).owners.add()
  return Handle.retain(realm, as: Realm.self)
}

@_cdecl("flx_realm_close") @implementation
public func flx_realm_close(_ realm: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  withStatus(error) {
    let object = Handle.object(realm, as: Realm.self, function: "flx_realm_close")
    guard !object.isShared else {
      throw CoreError.unsupported("A frozen realm is closed when it is released for the last time.")
    }
    guard object.migration == nil else {
      throw CoreError.unsupported("The realm of a migration is closed when its callback has returned.")
    }
    guard object.claim.enterToClose() else { throw ThreadClaim.refusal }
    defer { object.claim.leave() }
    guard object.openUpdate?.isLent != true else {
      throw CoreError.unsupported(
        "A realm whose initial subscriptions are being added cannot be closed. Return an error from the callback: opening "
          + "then fails."
      )
    }
    object.close()
  }
}

@_cdecl("flx_realm_is_closed") @implementation
public func flx_realm_is_closed(_ realm: OpaquePointer) -> Bool {
  Handle.confined(realm, as: Realm.self) { $0.isClosed }
}

@_cdecl("flx_realm_check_thread") @implementation
public func flx_realm_check_thread(_ realm: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  Realm.call(realm, error) { _ in }
}

@_cdecl("flx_realm_release") @implementation
public func flx_realm_release(_ realm: OpaquePointer?) {
  guard let realm, !ForkGuard.isChild else { return }
  let object = Handle.object(realm, as: Realm.self)
  // Other threads may be using the same frozen realm. It closes with the last reference to it.
  guard !object.isShared, object.owners.remove() else { return Handle.release(realm, as: Realm.self) }
  guard object.claim.enterToClose() else { Handle.refuseThread(.realm, #function) }
  object.close()
  object.claim.leave()
  Handle.release(realm, as: Realm.self)
}

@_cdecl("flx_realm_delete_files") @implementation
public func flx_realm_delete_files(
  _ config: In<flx_realm_config_t>,
  _ out_deleted: Out<Bool>,
  _ error: ErrorOut
) -> flx_status_t {
  withStatus(error, Needed(config, "config"), Needed(out_deleted, "out_deleted")) {
    out_deleted.pointee = try RealmFiles.delete(try RealmConfiguration.location(config))
  }
}

@_cdecl("flx_realm_file_exists") @implementation
public func flx_realm_file_exists(
  _ config: In<flx_realm_config_t>,
  _ out_exists: Out<Bool>,
  _ error: ErrorOut
) -> flx_status_t {
  withStatus(error, Needed(config, "config"), Needed(out_exists, "out_exists")) {
    out_exists.pointee = RealmFiles.exist(try RealmConfiguration.location(config))
  }
}

@_cdecl("flx_realm_write_copy") @implementation
public func flx_realm_write_copy(
  _ realm: OpaquePointer,
  _ destination: In<flx_realm_config_t>,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, error, Needed(destination, "destination")) {
    try RealmCopy.write($0, to: try RealmConfiguration(placeIn: destination))
  }
}

// MARK: - Inspecting

@_cdecl("flx_realm_path") @implementation
public func flx_realm_path(_ realm: OpaquePointer) -> flx_string_t {
  Handle.object(realm, as: Realm.self).lentPath.string
}

@_cdecl("flx_realm_is_synced") @implementation
public func flx_realm_is_synced(_ realm: OpaquePointer) -> Bool {
  Handle.object(realm, as: Realm.self).isSynced
}

@_cdecl("flx_realm_version") @implementation
public func flx_realm_version(_ realm: OpaquePointer) -> UInt64 {
  Handle.confined(realm, as: Realm.self) { $0.stamp }
}

// MARK: - Transactions

@_cdecl("flx_realm_begin_write") @implementation
public func flx_realm_begin_write(_ realm: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  Realm.call(realm, error) { try $0.beginWrite() }
}

@_cdecl("flx_realm_commit_write") @implementation
public func flx_realm_commit_write(_ realm: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  Realm.call(realm, error) { try $0.commitWrite() }
}

@_cdecl("flx_realm_commit_write_silently") @implementation
public func flx_realm_commit_write_silently(
  _ realm: OpaquePointer,
  _ silenced: UnsafePointer<OpaquePointer>?,
  _ silenced_count: Int,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.call(realm, error) { realm in
    let tokens = try CArray.view(silenced, count: silenced_count, "tokens").map {
      Handle.object($0, as: NotificationToken.self)
    }
    try realm.commitWrite(silencing: tokens)
  }
}

@_cdecl("flx_realm_cancel_write") @implementation
public func flx_realm_cancel_write(_ realm: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  Realm.call(realm, error) { try $0.cancelWrite() }
}

@_cdecl("flx_realm_is_in_write") @implementation
public func flx_realm_is_in_write(_ realm: OpaquePointer) -> Bool {
  Handle.confined(realm, as: Realm.self) { $0.isInWrite }
}

// MARK: - Changes

@_cdecl("flx_realm_invalidate") @implementation
public func flx_realm_invalidate(_ realm: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  Realm.call(realm, error) { try $0.invalidate() }
}

@_cdecl("flx_realm_refresh") @implementation
public func flx_realm_refresh(_ realm: OpaquePointer, _ out_changed: Out<Bool>?, _ error: ErrorOut)
  -> flx_status_t
{
  Realm.call(realm, offering: out_changed, error) { try $0.refresh() }
}

@_cdecl("flx_realm_notify") @implementation
public func flx_realm_notify(_ realm: OpaquePointer, _ out_is_outdated: Out<Bool>?, _ error: ErrorOut)
  -> flx_status_t
{
  Realm.call(realm, offering: out_is_outdated, error) { try $0.notify() }
}

@_cdecl("flx_realm_wait_for_change") @implementation
public func flx_realm_wait_for_change(
  _ realm: OpaquePointer,
  _ timeout_ms: UInt64,
  _ out_changed: Out<Bool>,
  _ error: ErrorOut
) -> flx_status_t {
  withStatus(error, Needed(out_changed, "out_changed")) {
    out_changed.pointee = try Handle.object(realm, as: Realm.self).waitForChange(milliseconds: timeout_ms)
  }
}
