// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

// MARK: - Sets

@_cdecl("flx_subscription_set_get_latest") @implementation
public func flx_subscription_set_get_latest(
  _ realm: OpaquePointer,
  _ out_set: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: realm, Realm.self, Needed(out_set, "out_set")) { realm in
    let store = try realm.requireSubscriptions()
    out_set.pointee = Handle.retained(SubscriptionSet(try store.latest(), store, realm.coordinator))
  }
}

@_cdecl("flx_subscription_set_get_active") @implementation
public func flx_subscription_set_get_active(
  _ realm: OpaquePointer,
  _ out_set: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: realm, Realm.self, Needed(out_set, "out_set")) { realm in
    let store = try realm.requireSubscriptions()
    out_set.pointee = Handle.retained(SubscriptionSet(try store.active(), store, realm.coordinator))
  }
}

@_cdecl("flx_subscription_set_release") @implementation
public func flx_subscription_set_release(_ set: OpaquePointer?) {
  Handle.release(set, as: SubscriptionSet.self)
}

@_cdecl("flx_subscription_set_version") @implementation
public func flx_subscription_set_version(_ set: OpaquePointer) -> Int64 {
  Handle.object(set, as: SubscriptionSet.self).version
}

@_cdecl("flx_subscription_set_refresh") @implementation
public func flx_subscription_set_refresh(
  _ set: OpaquePointer,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: set, SubscriptionSet.self) { try $0.refresh() }
}

@_cdecl("flx_subscription_set_state") @implementation
public func flx_subscription_set_state(_ set: OpaquePointer) -> flx_subscription_state_t {
  Handle.confined(set, as: SubscriptionSet.self) { flx_subscription_state_t($0.state) }
}

@_cdecl("flx_subscription_set_error_message") @implementation
public func flx_subscription_set_error_message(_ set: OpaquePointer) -> flx_string_t {
  Handle.confined(set, as: SubscriptionSet.self) { $0.errorText }
}

@_cdecl("flx_subscription_set_count") @implementation
public func flx_subscription_set_count(_ set: OpaquePointer) -> Int {
  Handle.object(set, as: SubscriptionSet.self).subscriptions.count
}

@_cdecl("flx_subscription_set_at") @implementation
public func flx_subscription_set_at(
  _ set: OpaquePointer,
  _ index: Int,
  _ out_subscription: UnsafeMutablePointer<flx_subscription_t>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: set, SubscriptionSet.self, Needed(out_subscription, "out_subscription")) {
    set in
    out_subscription.pointee =
      try set.lentSubscriptions.structures.element(at: index)
  }
}

@_cdecl("flx_subscription_set_find_named") @implementation
public func flx_subscription_set_find_named(
  _ set: OpaquePointer,
  _ name: flx_string_t,
  _ out_subscription: UnsafeMutablePointer<flx_subscription_t>
) -> Bool {
  Needed.insist(Needed(out_subscription, "out_subscription"))
  return Handle.confined(set, as: SubscriptionSet.self) { set in
    // A name that is not UTF-8 matches no subscription.
    guard let name = try? name.text("The name"),
      let index = SubscriptionDraft(set.subscriptions).index(named: name)
    else { return false }
    out_subscription.pointee = set.lentSubscriptions.structures[index]
    return true
  }
}

@_cdecl("flx_subscription_set_find_results") @implementation
public func flx_subscription_set_find_results(
  _ set: OpaquePointer,
  _ results: OpaquePointer,
  _ out_subscription: UnsafeMutablePointer<flx_subscription_t>,
  _ out_found: UnsafeMutablePointer<Bool>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(
    error,
    confined: set,
    SubscriptionSet.self,
    Needed(out_subscription, "out_subscription"),
    Needed(out_found, "out_found")
  ) { set in
    let results = Handle.object(results, as: Results.self)
    let target = try results.claim.run { try results.subscriptionTarget() }
    let index = SubscriptionDraft(set.subscriptions).index(of: target)
    if let index { out_subscription.pointee = set.lentSubscriptions.structures[index] }
    out_found.pointee = index != nil
  }
}

// MARK: - Updates

@_cdecl("flx_subscription_update_begin") @implementation
public func flx_subscription_update_begin(
  _ realm: OpaquePointer,
  _ out_update: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: realm, Realm.self, Needed(out_update, "out_update")) { realm in
    out_update.pointee = Handle.retained(try SubscriptionUpdate(realm))
  }
}

@_cdecl("flx_subscription_update_add") @implementation
public func flx_subscription_update_add(
  _ update: OpaquePointer,
  _ results: OpaquePointer,
  _ name: UnsafePointer<flx_string_t>?,
  _ on_conflict: flx_name_conflict_t,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: update, SubscriptionUpdate.self) { update in
    let results = Handle.object(results, as: Results.self)
    let target = try results.claim.run { try results.subscriptionTarget() }
    try update.add(
      target,
      name: name?.pointee.text("The name of a subscription"),
      onConflict: SubscriptionDraft.NameConflict(on_conflict)
    )
  }
}

@_cdecl("flx_subscription_update_set_query") @implementation
public func flx_subscription_update_set_query(
  _ update: OpaquePointer,
  _ id: UnsafePointer<flx_object_id_t>,
  _ results: OpaquePointer,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: update, SubscriptionUpdate.self, Needed(id, "id")) { update in
    let results = Handle.object(results, as: Results.self)
    let target = try results.claim.run { try results.subscriptionTarget() }
    try update.setQuery(of: id.pointee.model, to: target)
  }
}

@_cdecl("flx_subscription_update_remove") @implementation
public func flx_subscription_update_remove(
  _ update: OpaquePointer,
  _ id: UnsafePointer<flx_object_id_t>
) -> Bool {
  Needed.insist(Needed(id, "id"))
  return Handle.confined(update, as: SubscriptionUpdate.self) { $0.remove(id.pointee.model) }
}

@_cdecl("flx_subscription_update_remove_named") @implementation
public func flx_subscription_update_remove_named(_ update: OpaquePointer, _ name: flx_string_t) -> Bool {
  // A name that is not UTF-8 matches no subscription.
  guard let name = try? name.text("The name") else { return false }
  return Handle.confined(update, as: SubscriptionUpdate.self) { $0.remove(named: name) }
}

@_cdecl("flx_subscription_update_remove_results") @implementation
public func flx_subscription_update_remove_results(
  _ update: OpaquePointer,
  _ results: OpaquePointer,
  _ out_removed: UnsafeMutablePointer<Bool>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: update, SubscriptionUpdate.self, Needed(out_removed, "out_removed")) { update in
    let results = Handle.object(results, as: Results.self)
    let target = try results.claim.run { try results.subscriptionTarget() }
    out_removed.pointee = update.remove(target)
  }
}

@_cdecl("flx_subscription_update_remove_class") @implementation
public func flx_subscription_update_remove_class(_ update: OpaquePointer, _ class_name: flx_string_t) -> Int {
  // A name that is not UTF-8 matches no class.
  guard let className = try? class_name.text("The name of a class") else { return 0 }
  return Handle.confined(update, as: SubscriptionUpdate.self) { $0.removeAll(of: className) }
}

@_cdecl("flx_subscription_update_remove_all") @implementation
public func flx_subscription_update_remove_all(_ update: OpaquePointer, _ unnamed_only: Bool) -> Int {
  Handle.confined(update, as: SubscriptionUpdate.self) { $0.removeAll(unnamedOnly: unnamed_only) }
}

@_cdecl("flx_subscription_update_count") @implementation
public func flx_subscription_update_count(_ update: OpaquePointer) -> Int {
  Handle.confined(update, as: SubscriptionUpdate.self) { $0.draft.subscriptions.count }
}

@_cdecl("flx_subscription_update_at") @implementation
public func flx_subscription_update_at(
  _ update: OpaquePointer,
  _ index: Int,
  _ out_subscription: UnsafeMutablePointer<flx_subscription_t>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: update, SubscriptionUpdate.self, Needed(out_subscription, "out_subscription")) {
    update in
    out_subscription.pointee =
      try update.lentSubscriptions.structures.element(at: index)
  }
}

@_cdecl("flx_subscription_update_commit") @implementation
public func flx_subscription_update_commit(
  _ update: OpaquePointer,
  _ out_set: UnsafeMutablePointer<OpaquePointer?>?,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: update, SubscriptionUpdate.self) { object in
    defer { flx_subscription_update_cancel(update) }
    guard !object.isLent else {
      throw CoreError.invalidArgument(
        "The update of the initial subscriptions is committed when the callback returns."
      )
    }
    let set = try object.commit()
    out_set?.pointee = Handle.retained(set)
  }
}

@_cdecl("flx_subscription_update_cancel") @implementation
public func flx_subscription_update_cancel(_ update: OpaquePointer?) {
  guard let update, !ForkGuard.isChild else { return }
  // The realm notices by itself that its update is gone. Nothing of the realm is touched here, so this is safe on any
  // thread.
  guard !Handle.object(update, as: SubscriptionUpdate.self).isLent else { return }
  Handle.release(update, as: SubscriptionUpdate.self)
}

extension SubscriptionDraft.NameConflict {
  fileprivate init(_ conflict: flx_name_conflict_t) throws {
    switch conflict {
    case .FLX_NAME_CONFLICT_FAIL: self = .fail
    case .FLX_NAME_CONFLICT_REPLACE: self = .replace
    default: throw CoreError.invalidArgument("on_conflict has an unknown value (\(conflict.rawValue)).")
    }
  }
}
