// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Realm {
  /// Returns the subscription sets of the file.
  ///
  /// - Throws: `CoreError` NOT_SYNCED.
  func requireSubscriptions() throws -> SubscriptionStore {
    try requireOpen()
    guard let store = coordinator.subscriptions else { throw CoreError.notSynced }
    return store
  }

  /// Requires that the newest set has a subscription to a synced class before its objects are written, because the
  /// server would otherwise revert the writes. Asymmetric objects need no subscription.
  ///
  /// - Throws: `CoreError` NO_SUBSCRIPTION_FOR_WRITE.
  @inline(__always)
  func requireSubscription(_ info: ClassInfo) throws {
    if isSynced { try checkSubscription(info) }
  }

  @inline(never)
  private func checkSubscription(_ info: ClassInfo) throws {
    if info.subscribedInWrite == writeLog.number { return }
    let isAsymmetric = info.schema.kind == .asymmetric
    guard try isAsymmetric || requireSubscriptions().hasSubscription(to: info.name) else {
      throw CoreError.noSubscription(info.name)
    }
    info.subscribedInWrite = writeLog.number
  }
}

extension CoreError {
  static let notSynced = CoreError(.notSynced, "This Realm was not configured with flexible sync")

  static func noSubscription(_ className: String) -> CoreError {
    CoreError(
      .noSubscriptionForWrite,
      "Cannot write to class \(className) when no flexible sync subscription has been created."
    )
  }
}

extension Results {
  /// Returns the class and query for a new subscription. Without a limit: the server has none, and would send the
  /// device everything that the condition matches.
  ///
  /// - Throws: `CoreError` QUERY_INVALID for results with a limit, INVALID_ARGUMENT for a class that cannot be
  ///   subscribed to.
  func newSubscriptionTarget() throws -> SubscriptionDraft.Target {
    let target = try subscriptionTarget()
    guard !query.options.hasLimit else {
      throw CoreError(
        .queryInvalid,
        "Invalid query: unsupported query for table \"\(info.name)\": LIMIT is not allowed in a subscription, because "
          + "the server sends everything that the condition matches. Subscribe without the limit"
      )
    }
    return target
  }

  /// Returns the class and query for a subscription; sort, distinct and limit are ignored.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT for a class that cannot be subscribed to.
  func subscriptionTarget() throws -> SubscriptionDraft.Target {
    guard info.schema.kind == .topLevel else {
      throw CoreError.invalidArgument(
        "The class '\(info.name)' is \(info.schema.kind); only classes of top-level objects can be subscribed to."
      )
    }
    guard !isRestricted else {
      throw CoreError.invalidArgument(
        "These results come from a list, a set or backlinks. Subscribe to a query on the class '\(info.name)'."
      )
    }
    let predicate = query.predicate
    return SubscriptionDraft.Target(
      className: info.name,
      query: try RoomyStack.run { predicate.canonicalText }
    )
  }
}
