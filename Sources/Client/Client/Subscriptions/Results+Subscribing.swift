// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Results {
  /// Subscribes to the class and query of the results. An existing subscription with the same name gets this query;
  /// if an identical subscription already exists, nothing is committed.
  ///
  /// - Parameter name: nil for an unnamed subscription.
  /// - Returns: the newest set, and whether this call committed it.
  /// - Throws: `CoreError`, `StorageError`.
  func subscribe(name: String?) throws -> (set: SubscriptionSet, isCommitted: Bool) {
    let target = try newSubscriptionTarget()
    let store = try realm.requireSubscriptions()
    let latest = try store.latest()
    if let existing = latest.subscriptions.first(where: { $0.isSame(target, name: name) }) {
      ownSubscription = existing.id
      return (SubscriptionSet(latest, store, realm.coordinator), false)
    }
    let update = try SubscriptionUpdate(realm)
    defer { update.close() }
    try update.add(target, name: name, onConflict: .replace)
    let set = try update.commit()
    ownSubscription = set.subscriptions.first { $0.isSame(target, name: name) }?.id
    return (set, true)
  }

  /// Removes the subscription that these results created, or else an unnamed one with the same query, if any.
  ///
  /// - Returns: the set without the subscription; nil if there was none.
  @discardableResult
  func unsubscribe() throws -> SubscriptionSet? {
    let target = try subscriptionTarget()
    let subscriptions = try realm.requireSubscriptions().latest().subscriptions
    let own = ownSubscription.flatMap { id in subscriptions.first { $0.id == id } }
    guard let removed = own ?? subscriptions.first(where: { $0.isSame(target, name: nil) }) else {
      return nil
    }
    let update = try SubscriptionUpdate(realm)
    defer { update.close() }
    _ = update.remove(removed.id)
    let set = try update.commit()
    ownSubscription = nil
    return set
  }
}

extension StoredSubscription {
  fileprivate func isSame(_ target: SubscriptionDraft.Target, name: String?) -> Bool {
    guard hasTarget(target) else { return false }
    guard let name else { return self.name == nil }
    return isNamed(name)
  }
}
