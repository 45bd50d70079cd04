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
  let userdata = Userdata(userdata, free_userdata)
  return ManagedObject.observe(object, callback, out_token, error) { object in
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
  let userdata = Userdata(userdata, free_userdata)
  return ManagedList.observe(list, callback, out_token, error) {
    try $0.watch().observe(as: ElementsObserver.init) { $0.report(to: callback, userdata) }
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
  let userdata = Userdata(userdata, free_userdata)
  return ManagedSet.observe(set, callback, out_token, error) {
    try $0.watch().observe(as: ElementsObserver.init) { $0.report(to: callback, userdata) }
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
  let userdata = Userdata(userdata, free_userdata)
  return ManagedDictionary.observe(dictionary, callback, out_token, error) {
    try $0.watch().observe(as: DictionaryObserver.init) { $0.report(to: callback, userdata) }
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
  let userdata = Userdata(userdata, free_userdata)
  return Results.observe(results, callback, out_token, error) { results in
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
  let userdata = Userdata(userdata, free_userdata)
  return Realm.observe(realm, callback, out_token, error) { realm in
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
  let userdata = Userdata(userdata, free_userdata)
  return Realm.observe(realm, callback, out_token, error) { realm in
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
  let userdata = Userdata(userdata, free_userdata)
  return SubscriptionSet.observe(set, callback, out_token, error) { set in
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
  let userdata = Userdata(userdata, free_userdata)
  return SyncSession.observe(session, callback, out_token, error) {
    $0.observeConnection {
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
  let userdata = Userdata(userdata, free_userdata)
  return SyncSession.observe(session, callback, out_token, error) {
    let direction = try SyncSession.Direction(direction)
    return $0.observeProgress(direction, onlyOutstanding: only_outstanding) { callback(userdata.pointer, $0) }
  }
}

extension CollectionWatch {
  /// Observes the collection through an observer that `make` creates.
  fileprivate func observe<Diff>(
    as make: (CollectionWatch, @escaping (Diff) -> Void) -> any Observer,
    _ report: @escaping (Diff) -> Void
  ) -> NotificationToken {
    object.realm.addReportingObserver(make(self, report))
  }
}
