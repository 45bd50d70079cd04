// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

// Setting the one callback of its kind, which the next call replaces. Callbacks that come with a token are in
// ObservingFunctions.swift.

extension HandleTarget {
  /// Runs the body of a function that sets a callback. It takes over the userdata in any case, but sets nothing in the
  /// child of a fork.
  fileprivate static func setCallback(
    _ handle: OpaquePointer,
    _ userdata: UnsafeMutableRawPointer?,
    _ freeUserdata: flx_free_userdata_t?,
    function: StaticString = #function,
    _ set: (Self, Userdata) -> Void
  ) {
    let userdata = Userdata(userdata, freeUserdata)
    if !ForkGuard.isChild { set(Handle.object(handle, as: Self.self, function: function), userdata) }
  }
}

@_cdecl("flx_realm_set_changed_callback") @implementation
public func flx_realm_set_changed_callback(
  _ realm: OpaquePointer,
  _ callback: flx_realm_changed_t?,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  Realm.setCallback(realm, userdata, free_userdata) { realm, userdata in
    guard let callback else { return realm.notifyOfChanges(nil) }
    realm.notifyOfChanges { callback(userdata.pointer) }
  }
}

@_cdecl("flx_app_set_error_handler") @implementation
public func flx_app_set_error_handler(
  _ app: OpaquePointer,
  _ callback: flx_sync_error_callback_t?,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  App.setCallback(app, userdata, free_userdata) { app, userdata in
    guard let callback else { return app.syncErrors.set(nil) }
    app.syncErrors.set { session, error in error.report(session, to: callback, userdata) }
  }
}

@_cdecl("flx_app_set_http_transport") @implementation
public func flx_app_set_http_transport(
  _ app: OpaquePointer,
  _ transport: flx_http_transport_t?,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  App.setCallback(app, userdata, free_userdata) { app, userdata in
    let replacement = transport.map { ProgramTransport(app, callback: $0, userdata: userdata) }
    app.updateSettings { $0.transport = replacement }
  }
}

@_cdecl("flx_set_logger") @implementation
public func flx_set_logger(
  _ threshold: flx_log_level_t,
  _ callback: flx_log_callback_t?,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?
) {
  let userdata = Userdata(userdata, free_userdata)
  guard !ForkGuard.isChild else { return }
  var sink: Log.Sink?
  if let callback {
    sink = { level, text in
      // Both enumerations have the same cases.
      let level = flx_log_level_t(rawValue: level.rawValue).unsafelyUnwrapped
      text.withCText { callback(userdata.pointer, level, $0) }
    }
  }
  Log.configure(threshold: LogLevel(rawValue: threshold.rawValue) ?? .off, sink: sink)
}
