// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

@_cdecl("flx_object_observe") @implementation
public func flx_object_observe(
  _ object: OpaquePointer,
  _ callback: @escaping flx_object_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedObject.observe(object, callback, userdata, free_userdata, out_token, error) {
    try $0.observe([], callback, $1)
  }
}

@_cdecl("flx_object_observe_key_paths") @implementation
public func flx_object_observe_key_paths(
  _ object: OpaquePointer,
  _ key_paths: In<flx_string_t>?,
  _ key_path_count: Int,
  _ callback: @escaping flx_object_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedObject.observe(object, callback, userdata, free_userdata, out_token, error) {
    try $0.observe(try keyPaths(key_paths, key_path_count), callback, $1)
  }
}

@_cdecl("flx_list_observe") @implementation
public func flx_list_observe(
  _ list: OpaquePointer,
  _ callback: @escaping flx_collection_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedList.observe(list, callback, userdata, free_userdata, out_token, error) {
    try $0.observe([], callback, $1)
  }
}

@_cdecl("flx_list_observe_key_paths") @implementation
public func flx_list_observe_key_paths(
  _ list: OpaquePointer,
  _ key_paths: In<flx_string_t>?,
  _ key_path_count: Int,
  _ callback: @escaping flx_collection_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedList.observe(list, callback, userdata, free_userdata, out_token, error) {
    try $0.observe(try keyPaths(key_paths, key_path_count), callback, $1)
  }
}

@_cdecl("flx_set_observe") @implementation
public func flx_set_observe(
  _ set: OpaquePointer,
  _ callback: @escaping flx_collection_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedSet.observe(set, callback, userdata, free_userdata, out_token, error) {
    try $0.observe([], callback, $1)
  }
}

@_cdecl("flx_set_observe_key_paths") @implementation
public func flx_set_observe_key_paths(
  _ set: OpaquePointer,
  _ key_paths: In<flx_string_t>?,
  _ key_path_count: Int,
  _ callback: @escaping flx_collection_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedSet.observe(set, callback, userdata, free_userdata, out_token, error) {
    try $0.observe(try keyPaths(key_paths, key_path_count), callback, $1)
  }
}

@_cdecl("flx_dictionary_observe") @implementation
public func flx_dictionary_observe(
  _ dictionary: OpaquePointer,
  _ callback: @escaping flx_dictionary_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedDictionary.observe(dictionary, callback, userdata, free_userdata, out_token, error) {
    try $0.observe([], callback, $1)
  }
}

@_cdecl("flx_dictionary_observe_key_paths") @implementation
public func flx_dictionary_observe_key_paths(
  _ dictionary: OpaquePointer,
  _ key_paths: In<flx_string_t>?,
  _ key_path_count: Int,
  _ callback: @escaping flx_dictionary_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  ManagedDictionary.observe(dictionary, callback, userdata, free_userdata, out_token, error) {
    try $0.observe(try keyPaths(key_paths, key_path_count), callback, $1)
  }
}

@_cdecl("flx_results_observe") @implementation
public func flx_results_observe(
  _ results: OpaquePointer,
  _ callback: @escaping flx_collection_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Results.observe(results, callback, userdata, free_userdata, out_token, error) {
    try $0.observe([], callback, $1)
  }
}

@_cdecl("flx_results_observe_key_paths") @implementation
public func flx_results_observe_key_paths(
  _ results: OpaquePointer,
  _ key_paths: In<flx_string_t>?,
  _ key_path_count: Int,
  _ callback: @escaping flx_collection_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Results.observe(results, callback, userdata, free_userdata, out_token, error) {
    try $0.observe(try keyPaths(key_paths, key_path_count), callback, $1)
  }
}

private func keyPaths(_ paths: In<flx_string_t>?, _ count: Int) throws -> [String] {
  try CArray.view(paths, count: count, "key paths").map { try $0.text("A key path") }
}

extension ManagedObject {
  fileprivate func observe(
    _ keyPaths: [String],
    _ callback: @escaping flx_object_observer_t,
    _ userdata: Userdata
  ) throws -> NotificationToken {
    try info.requireKept()
    _ = try currentValues()
    let realm = realm
    return try realm.addObserver(ObjectObserver(self, keyPaths) { $0.report(realm, to: callback, userdata) })
  }
}

extension ManagedList {
  fileprivate func observe(
    _ keyPaths: [String],
    _ callback: @escaping flx_collection_observer_t,
    _ userdata: Userdata
  ) throws -> NotificationToken {
    try watch().observeElements(keyPaths) { $0.report(to: callback, userdata) }
  }
}

extension ManagedSet {
  fileprivate func observe(
    _ keyPaths: [String],
    _ callback: @escaping flx_collection_observer_t,
    _ userdata: Userdata
  ) throws -> NotificationToken {
    try watch().observeElements(keyPaths) { $0.report(to: callback, userdata) }
  }
}

extension ManagedDictionary {
  fileprivate func observe(
    _ keyPaths: [String],
    _ callback: @escaping flx_dictionary_observer_t,
    _ userdata: Userdata
  ) throws -> NotificationToken {
    try watch().observeEntries(keyPaths) { $0.report(to: callback, userdata) }
  }
}

extension Results {
  fileprivate func observe(
    _ keyPaths: [String],
    _ callback: @escaping flx_collection_observer_t,
    _ userdata: Userdata
  ) throws -> NotificationToken {
    try realm.requireOpen()
    return try realm.addReportingObserver(
      ResultsObserver(self, keyPaths) { $0.report(to: callback, userdata) }
    )
  }
}

@_cdecl("flx_realm_observe") @implementation
public func flx_realm_observe(
  _ realm: OpaquePointer,
  _ callback: @escaping flx_realm_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.observe(realm, callback, userdata, free_userdata, out_token, error) { realm, userdata in
    try realm.requireOpen()
    let observer = RealmObserver(realm) { realm in
      Handle.lend(realm, to: "flx_realm_observer_t") { realm in userdata.lend { callback($0, realm) } }
    }
    return try realm.addObserver(observer)
  }
}

@_cdecl("flx_realm_request_write") @implementation
public func flx_realm_request_write(
  _ realm: OpaquePointer,
  _ callback: @escaping flx_write_turn_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.observe(realm, callback, userdata, free_userdata, out_token, error) { realm, userdata in
    try realm.requestWrite { userdata.lend { callback($0) } }
  }
}

@_cdecl("flx_rejected_writes_observe") @implementation
public func flx_rejected_writes_observe(
  _ realm: OpaquePointer,
  _ callback: @escaping flx_collection_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  Realm.observe(realm, callback, userdata, free_userdata, out_token, error) { realm, userdata in
    try realm.observeRejectedWrites { $0.report(to: callback, userdata) }
  }
}

@_cdecl("flx_subscription_set_observe") @implementation
public func flx_subscription_set_observe(
  _ set: OpaquePointer,
  _ callback: flx_subscription_state_callback_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  SubscriptionSet.observe(set, callback, userdata, free_userdata, out_token, error) { set, userdata in
    try set.requireSession().observeSubscriptionState(version: set.version) { state in
      userdata.lend { callback($0, flx_subscription_state_t(state)) }
    }
  }
}

@_cdecl("flx_session_observe_connection") @implementation
public func flx_session_observe_connection(
  _ session: OpaquePointer,
  _ callback: flx_connection_state_callback_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  SyncSession.observe(session, callback, userdata, free_userdata, out_token, error) { session, userdata in
    session.observeConnection { old, new in
      userdata.lend { callback($0, flx_connection_state_t(old), flx_connection_state_t(new)) }
    }
  }
}

@_cdecl("flx_session_observe_progress") @implementation
public func flx_session_observe_progress(
  _ session: OpaquePointer,
  _ direction: flx_direction_t,
  _ only_outstanding: Bool,
  _ callback: flx_progress_callback_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  SyncSession.observe(session, callback, userdata, free_userdata, out_token, error) { session, userdata in
    let direction = try SyncSession.Direction(direction)
    return session.observeProgress(direction, onlyOutstanding: only_outstanding) {
      $0.report(to: callback, userdata)
    }
  }
}

@_cdecl("flx_session_observe_errors") @implementation
public func flx_session_observe_errors(
  _ session: OpaquePointer,
  _ callback: flx_sync_error_callback_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: HandleOut,
  _ error: ErrorOut
) -> flx_status_t {
  SyncSession.observe(session, callback, userdata, free_userdata, out_token, error) { session, userdata in
    session.observeErrors { [weak session] in
      guard let session else { return }
      $0.report(session, to: callback, userdata)
    }
  }
}

extension TransferProgress {
  func report(to callback: flx_progress_callback_t, _ userdata: Userdata) {
    var progress = flx_progress_t()
    progress.estimate = estimate
    progress.transferred_bytes = transferredBytes
    progress.transferrable_bytes = transferrableBytes
    withUnsafePointer(to: progress) { progress in userdata.lend { callback($0, progress) } }
  }
}
