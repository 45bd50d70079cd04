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
}

extension SubscriptionSet {
  /// The subscriptions for C, lent by the set.
  var lentSubscriptions: LentSubscriptions { LentSubscriptions.lent(&loan, subscriptions) }
}

extension SubscriptionUpdate {
  /// The subscriptions for C, lent until the next change.
  var lentSubscriptions: LentSubscriptions { LentSubscriptions.lent(&loan, draft.subscriptions) }
}

extension LentSubscriptions {
  /// Returns the present loan; if there is none, lends the subscriptions.
  fileprivate static func lent(
    _ loan: inout AnyObject?,
    _ subscriptions: @autoclosure () -> [StoredSubscription]
  ) -> LentSubscriptions {
    if let lent = loan as? LentSubscriptions { return lent }
    let lent = LentSubscriptions(subscriptions())
    loan = lent
    return lent
  }
}
