// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

@_cdecl("flx_list_observe") @implementation
public func flx_list_observe(
  _ list: OpaquePointer,
  _ callback: @escaping flx_collection_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  observing(
    list,
    as: ManagedList.self,
    Needed(callback: callback, "callback"),
    Userdata(userdata, free: free_userdata),
    token: out_token,
    error
  ) { list, userdata in
    let watch = try list.watch()
    return watch.observe(ElementsObserver(watch) { $0.report(to: callback, userdata) })
  }
}

@_cdecl("flx_set_observe") @implementation
public func flx_set_observe(
  _ set: OpaquePointer,
  _ callback: @escaping flx_collection_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  observing(
    set,
    as: ManagedSet.self,
    Needed(callback: callback, "callback"),
    Userdata(userdata, free: free_userdata),
    token: out_token,
    error
  ) { set, userdata in
    let watch = try set.watch()
    return watch.observe(ElementsObserver(watch) { $0.report(to: callback, userdata) })
  }
}

@_cdecl("flx_dictionary_observe") @implementation
public func flx_dictionary_observe(
  _ dictionary: OpaquePointer,
  _ callback: @escaping flx_dictionary_observer_t,
  _ userdata: UnsafeMutableRawPointer?,
  _ free_userdata: flx_free_userdata_t?,
  _ out_token: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  observing(
    dictionary,
    as: ManagedDictionary.self,
    Needed(callback: callback, "callback"),
    Userdata(userdata, free: free_userdata),
    token: out_token,
    error
  ) { dictionary, userdata in
    let watch = try dictionary.watch()
    return watch.observe(DictionaryObserver(watch) { $0.report(to: callback, userdata) })
  }
}

@_cdecl("flx_list_get_results") @implementation
public func flx_list_get_results(
  _ list: OpaquePointer,
  _ out_results: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: list, ManagedList.self, Needed(out_results, "out_results")) { list in
    let watch = try list.watch()
    out_results.pointee = Handle.retained(try Members.results(of: watch))
  }
}

@_cdecl("flx_set_get_results") @implementation
public func flx_set_get_results(
  _ set: OpaquePointer,
  _ out_results: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: set, ManagedSet.self, Needed(out_results, "out_results")) { set in
    let watch = try set.watch()
    out_results.pointee = Handle.retained(try Members.results(of: watch))
  }
}

extension CollectionWatch {
  fileprivate func observe(_ observer: any Observer) -> NotificationToken {
    object.realm.addReportingObserver(observer)
  }
}
