// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

extension Results {
  /// Returns the version of the server's stream as of which everything that the class and query match is in the realm's
  /// data; nil if the subscription set in force does not cover them.
  ///
  /// Set, cursor and objects are of one snapshot. The stream is in order and a bootstrap is applied whole, so all that
  /// matched at the cursor is there, also while changes made during the bootstrap are on their way (protocol §5.1).
  ///
  /// - Throws: `CoreError` NOT_SYNCED, OBJECT_INVALIDATED, INVALID_ARGUMENT for a class that cannot be subscribed to;
  ///   `StorageError`.
  func completeVersion() throws -> UInt64? {
    try realm.requireOpen()
    guard realm.file.isSynced else { throw CoreError.notSynced }
    _ = try subscriptionTarget()
    guard let set = try realm.file.activeSubscriptionSet(), set.version > 0 else { return nil }
    guard try RoomyStack.run({ covers(query.predicate, in: set) }) else { return nil }
    return try realm.file.progress().download.serverVersion
  }

  private func covers(_ predicate: Predicate, in set: StoredSubscriptionSet) -> Bool {
    let subscribed = set.subscriptions.filter { $0.className == info.name }.compactMap(predicate(of:))
    return predicate.implies(.any(subscribed))
  }

  /// Returns nil if the program does not have all properties that the subscription, made by another version of it,
  /// names.
  private func predicate(of subscription: StoredSubscription) -> Predicate? {
    try? Query.parse(subscription.query).bind(to: realm.schema.schema, className: info.name).predicate
  }
}
