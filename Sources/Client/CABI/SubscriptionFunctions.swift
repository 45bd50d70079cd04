// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync

// MARK: - Sets

@_cdecl("flx_subscription_set_get_latest") @implementation
public func flx_subscription_set_get_latest(_ realm: OpaquePointer, _ out_set: HandleOut, _ error: ErrorOut)
  -> flx_status_t
{
  Realm.call(realm, making: out_set, "out_set", error) { try $0.subscriptionSet { try $0.latest() } }
}

@_cdecl("flx_subscription_set_get_active") @implementation
public func flx_subscription_set_get_active(_ realm: OpaquePointer, _ out_set: HandleOut, _ error: ErrorOut)
  -> flx_status_t
{
  Realm.call(realm, making: out_set, "out_set", error) { try $0.subscriptionSet { try $0.active() } }
}

@_cdecl("flx_subscription_set_version") @implementation
public func flx_subscription_set_version(_ set: OpaquePointer) -> Int64 {
  Handle.object(set, as: SubscriptionSet.self).version
}

@_cdecl("flx_subscription_set_refresh") @implementation
public func flx_subscription_set_refresh(_ set: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  SubscriptionSet.call(set, error) { try $0.refresh() }
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
  _ out_subscription: Out<flx_subscription_t>,
  _ error: ErrorOut
) -> flx_status_t {
  SubscriptionSet.call(set, writing: out_subscription, "out_subscription", error) {
    try $0.lentSubscriptions.structures.element(at: index)
  }
}

@_cdecl("flx_subscription_set_find_named") @implementation
public func flx_subscription_set_find_named(
  _ set: OpaquePointer,
  _ name: flx_string_t,
  _ out_subscription: Out<flx_subscription_t>
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
  _ out_subscription: Out<flx_subscription_t>,
  _ out_found: Out<Bool>,
  _ error: ErrorOut
) -> flx_status_t {
  SubscriptionSet.call(
    set,
    writing: out_found,
    "out_found",
    error,
    Needed(out_subscription, "out_subscription")
  ) { set in
    let index = SubscriptionDraft(set.subscriptions).index(of: try target(of: results))
    if let index { out_subscription.pointee = set.lentSubscriptions.structures[index] }
    return index != nil
  }
}

// MARK: - Updates

@_cdecl("flx_subscription_update_begin") @implementation
public func flx_subscription_update_begin(_ realm: OpaquePointer, _ out_update: HandleOut, _ error: ErrorOut)
  -> flx_status_t
{
  Realm.call(realm, making: out_update, "out_update", error) { try SubscriptionUpdate($0) }
}

@_cdecl("flx_subscription_update_add") @implementation
public func flx_subscription_update_add(
  _ update: OpaquePointer,
  _ results: OpaquePointer,
  _ name: In<flx_string_t>?,
  _ on_conflict: flx_name_conflict_t,
  _ error: ErrorOut
) -> flx_status_t {
  SubscriptionUpdate.call(update, error) {
    try $0.add(
      newTarget(of: results),
      name: name?.pointee.text("The name of a subscription"),
      onConflict: SubscriptionDraft.NameConflict(on_conflict)
    )
  }
}

@_cdecl("flx_subscription_update_set_query") @implementation
public func flx_subscription_update_set_query(
  _ update: OpaquePointer,
  _ id: In<flx_object_id_t>,
  _ results: OpaquePointer,
  _ error: ErrorOut
) -> flx_status_t {
  SubscriptionUpdate.call(update, error, Needed(id, "id")) {
    try $0.setQuery(of: id.pointee.model, to: newTarget(of: results))
  }
}

@_cdecl("flx_subscription_update_remove") @implementation
public func flx_subscription_update_remove(_ update: OpaquePointer, _ id: In<flx_object_id_t>)
  -> Bool
{
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
  _ out_removed: Out<Bool>,
  _ error: ErrorOut
) -> flx_status_t {
  SubscriptionUpdate.call(update, writing: out_removed, "out_removed", error) {
    $0.remove(try target(of: results))
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
  _ out_subscription: Out<flx_subscription_t>,
  _ error: ErrorOut
) -> flx_status_t {
  SubscriptionUpdate.call(update, writing: out_subscription, "out_subscription", error) {
    try $0.lentSubscriptions.structures.element(at: index)
  }
}

@_cdecl("flx_subscription_update_commit") @implementation
public func flx_subscription_update_commit(_ update: OpaquePointer, _ out_set: HandleOut?, _ error: ErrorOut)
  -> flx_status_t
{
  SubscriptionUpdate.call(update, error) { object in
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

@_cdecl("flx_results_unsubscribe") @implementation
public func flx_results_unsubscribe(_ results: OpaquePointer, _ error: ErrorOut) -> flx_status_t {
  Results.call(results, error) { try $0.unsubscribe() }
}

/// Returns what a new subscription to these results selects.
private func newTarget(of results: OpaquePointer, function: StaticString = #function) throws
  -> SubscriptionDraft.Target
{
  let results = Handle.object(results, as: Results.self, function: function)
  return try results.use { try results.newSubscriptionTarget() }
}

/// Returns what a subscription to these results selects.
private func target(of results: OpaquePointer, function: StaticString = #function) throws
  -> SubscriptionDraft.Target
{
  let results = Handle.object(results, as: Results.self, function: function)
  return try results.use { try results.subscriptionTarget() }
}

extension Realm {
  /// Reads one of the subscription sets of a synced realm.
  fileprivate func subscriptionSet(_ read: (SubscriptionStore) throws -> StoredSubscriptionSet) throws
    -> SubscriptionSet
  {
    let store = try requireSubscriptions()
    return SubscriptionSet(try read(store), store, coordinator)
  }
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
