// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The subscriptions of a set that is being edited, and the rules for editing them.
struct SubscriptionDraft: Equatable {
  /// The handling of a name that is already taken.
  enum NameConflict: Sendable {
    case fail
    case replace
  }

  /// A class and the canonical text of a query on it.
  struct Target: Equatable, Sendable {
    let className: String
    let query: String
  }

  /// In order of creation.
  private(set) var subscriptions: [StoredSubscription]

  init(_ subscriptions: [StoredSubscription]) { self.subscriptions = subscriptions }

  // MARK: Finding

  func index(named name: String) -> Int? { subscriptions.firstIndex { $0.isNamed(name) } }

  /// Returns the index of the first subscription to a class and query, named or not.
  func index(of target: Target) -> Int? { subscriptions.firstIndex { $0.hasTarget(target) } }

  func index(of id: ObjectId) -> Int? { subscriptions.firstIndex { $0.id == id } }

  // MARK: Adding and changing

  /// Adds a subscription. An unnamed one is skipped if an unnamed one with the same query exists.
  ///
  /// - Parameters:
  ///   - id: the id of a new subscription.
  ///   - now: the time of creation or change.
  /// - Throws: `CoreError` SUBSCRIPTION_EXISTS.
  mutating func add(
    _ target: Target,
    name: String?,
    onConflict: NameConflict,
    id: ObjectId,
    now: Timestamp
  ) throws {
    if let name, let index = index(named: name) {
      guard onConflict == .replace else {
        throw CoreError(
          .subscriptionExists,
          "A subscription named '\(name)' already exists. To change its query, add it with FLX_NAME_CONFLICT_REPLACE, or "
            + "use flx_subscription_update_set_query."
        )
      }
      return change(index, to: target, now)
    }
    if name == nil, subscriptions.contains(where: { $0.name == nil && $0.hasTarget(target) }) { return }
    subscriptions.append(
      StoredSubscription(
        id: id,
        name: name,
        className: target.className,
        query: target.query,
        createdAt: now
      )
    )
  }

  /// Gives a subscription a new query.
  ///
  /// - Throws: `CoreError` SUBSCRIPTION_NOT_FOUND, SUBSCRIPTION_CLASS_MISMATCH.
  mutating func setQuery(of id: ObjectId, to target: Target, now: Timestamp) throws {
    guard let index = index(of: id) else {
      throw CoreError(.subscriptionNotFound, "Cannot update a non-existent subscription.")
    }
    guard subscriptions[index].className == target.className else {
      throw CoreError(
        .subscriptionClassMismatch,
        "Updating a subscription query of a different Object Type is not allowed."
      )
    }
    change(index, to: target, now)
  }

  private mutating func change(_ index: Int, to target: Target, _ now: Timestamp) {
    guard !subscriptions[index].hasTarget(target) else { return }
    subscriptions[index].className = target.className
    subscriptions[index].query = target.query
    subscriptions[index].updatedAt = now
  }

  // MARK: Removing

  /// Removes a subscription.
  ///
  /// - Returns: whether there was one to remove.
  mutating func remove(at index: Int?) -> Bool {
    guard let index else { return false }
    subscriptions.remove(at: index)
    return true
  }

  /// Removes the subscriptions for which the condition holds, and returns their number.
  mutating func removeAll(where condition: (StoredSubscription) -> Bool) -> Int {
    let count = subscriptions.count
    subscriptions.removeAll(where: condition)
    return count - subscriptions.count
  }
}

extension StoredSubscription {
  /// Whether the subscription has a name. Names are data, so they are compared bytewise.
  func isNamed(_ other: String) -> Bool { name.map { UTF8Order.areEqual($0, other) } ?? false }

  func hasTarget(_ target: SubscriptionDraft.Target) -> Bool {
    className == target.className && UTF8Order.areEqual(query, target.query)
  }
}
