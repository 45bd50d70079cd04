// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A subscription set that is being edited: `flx_subscription_update_t`.
///
/// Changes are applied to a draft and recorded. If another handle commits a set in the meantime, they are applied
/// again to that one.
final class SubscriptionUpdate {
  private typealias Change = (inout SubscriptionDraft) throws -> Void

  let realm: Realm
  private let store: SubscriptionStore
  private let baseVersion: Int64
  /// Whether the program only borrows the update and cannot end it.
  let isLent: Bool
  private(set) var draft: SubscriptionDraft
  private var changes: [Change] = []
  /// The copy of the draft that the C interface lends to the program; the next change drops it.
  var loan: AnyObject?

  /// - Throws: `CoreError` NOT_SYNCED, SUBSCRIPTION_UPDATE_OPEN, UNSUPPORTED for a frozen realm.
  init(_ realm: Realm, isLent: Bool = false) throws {
    self.isLent = isLent
    try realm.requireNotFrozen()
    store = try realm.requireSubscriptions()
    guard realm.openUpdate == nil else {
      throw CoreError(
        .subscriptionUpdateOpen,
        "Cannot initiate a write transaction on subscription set that is already being updated."
      )
    }
    self.realm = realm
    let latest = try store.latest()
    baseVersion = latest.version
    draft = SubscriptionDraft(latest.subscriptions)
    realm.openUpdate = self
  }

  // MARK: Changing

  func add(_ target: SubscriptionDraft.Target, name: String?, onConflict: SubscriptionDraft.NameConflict)
    throws
  {
    try realm.requireOpen()
    try requireSyncable(target)
    let id = ObjectIdGenerator.next()
    let now = Clock.now()
    try change { try $0.add(target, name: name, onConflict: onConflict, id: id, now: now) }
  }

  func setQuery(of id: ObjectId, to target: SubscriptionDraft.Target) throws {
    try realm.requireOpen()
    try requireSyncable(target)
    let now = Clock.now()
    try change { try $0.setQuery(of: id, to: target, now: now) }
  }

  /// Refuses what every server would refuse, and logs warnings about slow queries. Only the server knows which
  /// fields are queryable.
  ///
  /// - Throws: `CoreError` QUERY_INVALID.
  private func requireSyncable(_ target: SubscriptionDraft.Target) throws {
    let query = try PreparedQuery(
      target.query,
      className: target.className,
      schema: realm.schema.schema,
      arguments: [],
      allowsDiacritics: true
    )
    try query.validateForSync(queryableFields: nil)
    for warning in query.warnings {
      Log.write(.warn, "Subscription to \(target.className), \(target.query): \(warning)")
    }
  }

  func remove(_ id: ObjectId) -> Bool { change { $0.remove(at: $0.index(of: id)) } }

  func remove(named name: String) -> Bool { change { $0.remove(at: $0.index(named: name)) } }

  /// Removes the first subscription to a class and query.
  func remove(_ target: SubscriptionDraft.Target) -> Bool { change { $0.remove(at: $0.index(of: target)) } }

  func removeAll(of className: String) -> Int {
    change { $0.removeAll { $0.className == className } }
  }

  func removeAll(unnamedOnly: Bool) -> Int { change { $0.removeAll { !unnamedOnly || $0.name == nil } } }

  /// Makes a change and records it if it succeeds.
  private func change<Result>(_ change: @escaping (inout SubscriptionDraft) throws -> Result) rethrows
    -> Result
  {
    loan = nil
    let result = try change(&draft)
    changes.append { _ = try change(&$0) }
    return result
  }

  // MARK: Ending

  /// Commits the draft as a new version.
  ///
  /// - Throws: `CoreError` IN_WRITE_TRANSACTION, `StorageError`.
  func commit() throws -> SubscriptionSet {
    try realm.requireOpen()
    close()
    guard !realm.isInWrite else {
      throw CoreError(
        .inWriteTransaction,
        "A subscription set cannot be committed during a write transaction. Commit or cancel the transaction first."
      )
    }
    let set = try realm.inTurn { try store.commit(subscriptions(after:)) }
    realm.coordinator.session?.subscriptionSetCommitted()
    return SubscriptionSet(set, store, realm.coordinator)
  }

  /// Returns the draft, or the result of applying the changes to a newer set.
  private func subscriptions(after latest: StoredSubscriptionSet) throws -> [StoredSubscription] {
    guard latest.version != baseVersion else { return draft.subscriptions }
    var merged = SubscriptionDraft(latest.subscriptions)
    for change in changes { try change(&merged) }
    return merged.subscriptions
  }

  /// Ends the update without a commit.
  func close() {
    if realm.openUpdate === self { realm.openUpdate = nil }
  }
}
