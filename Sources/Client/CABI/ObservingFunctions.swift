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
  ManagedObject.observe(object, callback, userdata, free_userdata, out_token, error) { object, userdata in
    try object.info.requireKept()
    _ = try object.currentValues()
    return object.realm.addObserver(ObjectObserver(object) { $0.report(to: callback, userdata) })
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
  ManagedList.observe(list, callback, userdata, free_userdata, out_token, error) { list, userdata in
    try list.watch().observeElements { $0.report(to: callback, userdata) }
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
  ManagedSet.observe(set, callback, userdata, free_userdata, out_token, error) { set, userdata in
    try set.watch().observeElements { $0.report(to: callback, userdata) }
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
    dictionary,
    userdata in
    try dictionary.watch().observeEntries { $0.report(to: callback, userdata) }
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
  Results.observe(results, callback, userdata, free_userdata, out_token, error) { results, userdata in
    try results.realm.requireOpen()
    return results.realm.addReportingObserver(ResultsObserver(results) { $0.report(to: callback, userdata) })
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
      Handle.lend(realm, to: "flx_realm_observer_t") { callback(userdata.pointer, $0) }
    }
    return realm.addObserver(observer)
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
    try set.requireSession().observeSubscriptionState(version: set.version) {
      callback(userdata.pointer, flx_subscription_state_t($0))
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
    session.observeConnection {
      callback(userdata.pointer, flx_connection_state_t($0), flx_connection_state_t($1))
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

extension TransferProgress {
  func report(to callback: flx_progress_callback_t, _ userdata: Userdata) {
    var progress = flx_progress_t(
      estimate: estimate,
      transferred_bytes: transferredBytes,
      transferrable_bytes: transferrableBytes
    )
    callback(userdata.pointer, &progress)
  }
}
