// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncStore

/// Subscription sets, numbered in ascending order (protocol §4.2). The caller decides what a set may contain.
extension RealmFile {
  /// Returns the newest set, which the app reads and changes.
  public func latestSubscriptionSet() throws -> StoredSubscriptionSet {
    guard let set = try subscriptionSets(condition: "1 ORDER BY version DESC LIMIT 1").first else {
      throw StorageError.misuse("'\(database.path)' is a local realm, which has no subscriptions.")
    }
    return set
  }

  /// Returns the newest set in force; nil before the first bootstrap.
  public func activeSubscriptionSet() throws -> StoredSubscriptionSet? {
    let states = [SubscriptionSetState.complete, .awaitingMark].map { String($0.rawValue) }.joined(
      separator: ", "
    )
    return try subscriptionSets(condition: "state IN (\(states)) ORDER BY version DESC LIMIT 1").first
  }

  /// Returns the sets after a version that are still pending or bootstrapping, oldest first.
  public func pendingSubscriptionSets(after version: Int64) throws -> [StoredSubscriptionSet] {
    let states = [SubscriptionSetState.pending, .bootstrapping].map { String($0.rawValue) }.joined(
      separator: ", "
    )
    return try subscriptionSets(condition: "version > \(version) AND state IN (\(states)) ORDER BY version")
  }

  /// Returns the set with a version; nil if it never existed or was superseded.
  public func subscriptionSet(version: Int64) throws -> StoredSubscriptionSet? {
    try subscriptionSets(condition: "version = \(version)").first
  }

  /// Adds a set in state `pending` under the next version.
  public func addSubscriptionSet(_ subscriptions: [StoredSubscription]) throws -> StoredSubscriptionSet {
    try database.write {
      let version = try latestSubscriptionSet().version + 1
      let set = StoredSubscriptionSet(
        version: version,
        state: .pending,
        snapshotVersion: try clientVersion(),
        errorText: nil,
        subscriptions: subscriptions
      )
      try insert(set)
      return set
    }
  }

  /// Records that the server refused a set.
  public func failSubscriptionSet(version: Int64, errorText: String) throws {
    try database.write {
      try database.run(
        "UPDATE flx_subscription_sets SET state = ?1, error = ?2 WHERE version = ?3",
        [SubscriptionSetState.error.rawValue, errorText, version]
      )
    }
  }

  /// Returns a bootstrapping set to `pending`, because its bootstrap starts over; leaves other states alone.
  public func restartSubscriptionSet(version: Int64) throws {
    try database.write { _ = try changeState(of: version, from: .bootstrapping, to: .pending) }
  }

  /// Completes a set that awaits the answer to a MARK; leaves other states alone.
  ///
  /// - Returns: whether the set was awaiting the answer.
  @discardableResult
  public func completeSubscriptionSet(version: Int64) throws -> Bool {
    try database.write { try changeState(of: version, from: .awaitingMark, to: .complete) }
  }

  @discardableResult
  func changeState(of version: Int64, from old: SubscriptionSetState, to new: SubscriptionSetState) throws
    -> Bool
  {
    CrashPoint.reached(.clientBeforeSetState)
    defer { CrashPoint.reached(.clientAfterSetState) }
    return try database.withStatement(
      "UPDATE flx_subscription_sets SET state = ?1 WHERE version = ?2 AND state = ?3"
    ) {
      $0.bind(new.rawValue, at: 1)
      $0.bind(version, at: 2)
      $0.bind(old.rawValue, at: 3)
      try $0.run()
      return database.changedRowCount > 0
    }
  }

  /// Deletes the sets before a version.
  func supersede(before version: Int64) throws {
    try database.execute(
      """
      DELETE FROM flx_subscription_sets WHERE version < \(version);
      DELETE FROM flx_subscriptions WHERE set_version < \(version);
      """
    )
  }

  // MARK: Rows

  private func subscriptionSets(condition: String) throws -> [StoredSubscriptionSet] {
    let sql = "SELECT version, state, snapshot_version, error FROM flx_subscription_sets WHERE \(condition)"
    return try database.read {
      var sets = try database.withStatement(sql) { statement in
        var sets: [StoredSubscriptionSet] = []
        while try statement.step() {
          guard let state = SubscriptionSetState(rawValue: statement.int(1)) else {
            throw StorageError(
              kind: .corrupt,
              message: "A subscription set of '\(database.path)' has an invalid state. Delete the file."
            )
          }
          sets.append(
            StoredSubscriptionSet(
              version: statement.int(0),
              state: state,
              snapshotVersion: statement.unsigned(2),
              errorText: statement.optionalText(3),
              subscriptions: []
            )
          )
        }
        return sets
      }
      for index in sets.indices { sets[index].subscriptions = try subscriptions(of: sets[index].version) }
      return sets
    }
  }

  private func subscriptions(of version: Int64) throws -> [StoredSubscription] {
    let sql = """
      SELECT id, name, class, query, created, created_ns, updated, updated_ns FROM flx_subscriptions
      WHERE set_version = ?1 ORDER BY position
      """
    return try database.rows(sql, [version]) { row in
      var subscription = StoredSubscription(
        id: row.objectId(0),
        name: row.optionalText(1),
        className: row.text(2),
        query: row.text(3),
        createdAt: row.timestamp(4)
      )
      subscription.updatedAt = row.timestamp(6)
      return subscription
    }
  }

  func insert(_ set: StoredSubscriptionSet) throws {
    try database.run(
      "INSERT INTO flx_subscription_sets (version, state, snapshot_version, error) VALUES (?1, ?2, ?3, ?4)",
      [set.version, set.state.rawValue, set.snapshotVersion, set.errorText]
    )
    for (position, subscription) in set.subscriptions.enumerated() {
      try insert(subscription, version: set.version, position: Int64(position))
    }
  }

  private func insert(_ subscription: StoredSubscription, version: Int64, position: Int64) throws {
    let sql = """
      INSERT INTO flx_subscriptions
        (set_version, position, id, name, class, query, created, created_ns, updated, updated_ns)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """
    try database.run(
      sql,
      [
        version, position, subscription.id, subscription.name, subscription.className, subscription.query,
        subscription.createdAt.seconds, Int64(subscription.createdAt.nanoseconds),
        subscription.updatedAt.seconds, Int64(subscription.updatedAt.nanoseconds),
      ]
    )
  }
}
