// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Subscriptions as C structures, whose texts live as long as this object.
final class LentSubscriptions {
  private var texts = TextArena()
  private(set) var structures: [flx_subscription_t] = []

  init(_ subscriptions: [StoredSubscription]) {
    structures = subscriptions.map { subscription in
      var structure = flx_subscription_t()
      structure.id = flx_object_id_t(subscription.id)
      structure.has_name = subscription.name != nil
      structure.name = texts.keep(subscription.name ?? "")
      structure.class_name = texts.keep(subscription.className)
      structure.query = texts.keep(subscription.query)
      structure.created_at = flx_timestamp_t(subscription.createdAt)
      structure.updated_at = flx_timestamp_t(subscription.updatedAt)
      return structure
    }
  }

  /// - Throws: `CoreError` INDEX_OUT_OF_BOUNDS.
  func structure(at index: Int) throws -> flx_subscription_t {
    guard structures.indices.contains(index) else {
      throw CoreError.indexOutOfBounds(index, count: structures.count)
    }
    return structures[index]
  }
}

extension SubscriptionSet {
  /// The subscriptions for C, lent by the set.
  var lentSubscriptions: LentSubscriptions {
    if let lent = loan as? LentSubscriptions { return lent }
    let lent = LentSubscriptions(subscriptions)
    loan = lent
    return lent
  }
}

extension SubscriptionUpdate {
  /// The subscriptions for C, lent until the next change.
  var lentSubscriptions: LentSubscriptions {
    if let lent = loan as? LentSubscriptions { return lent }
    let lent = LentSubscriptions(draft.subscriptions)
    loan = lent
    return lent
  }
}
