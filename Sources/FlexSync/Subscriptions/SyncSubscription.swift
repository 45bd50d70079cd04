// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// One subscription of a set, as it was when it was read.
public struct SyncSubscription {
  let identifier: flx_object_id_t
  let handle: _RealmHandle
  /// Nil for an unnamed subscription.
  public let name: String?
  /// The class that it is about.
  public let objectType: String
  /// The query as text.
  public let queryString: String
  public let createdAt: Date
  public let updatedAt: Date

  /// Copies a subscription whose text is borrowed.
  init(_ subscription: flx_subscription_t, _ handle: _RealmHandle) {
    self.handle = handle
    identifier = subscription.id
    name = subscription.has_name ? String(subscription.name) : nil
    objectType = String(subscription.class_name)
    queryString = String(subscription.query)
    createdAt = Date(subscription.created_at)
    updatedAt = Date(subscription.updated_at)
  }

  /// Gives the subscription another condition; within an update block.
  ///
  /// The update fails if the subscription is not in the set any more, or is about another class.
  public func updateQuery<ObjectType: Object>(
    toType type: ObjectType.Type,
    where condition: ((Query<ObjectType>) -> Query<Bool>)? = nil
  ) {
    let all = Realm(handle).objects(type)
    update(to: condition.map { all.where($0) } ?? all)
  }

  /// Gives the subscription another query in Realm Query Language; within an update block.
  public func updateQuery<ObjectType: Object>(
    toType type: ObjectType.Type,
    where query: String,
    _ arguments: Any...
  ) {
    let rendered = RenderedQuery(text: query, anyArguments: arguments, handle)
    guard let results = handle.resultsInUpdate(type, rendered) else { return }
    update(to: results)
  }

  private func update<ObjectType: Object>(to results: Results<ObjectType>) {
    var identifier = identifier
    let update = handle.requireUpdate()
    update.perform { flx_subscription_update_set_query(update.pointer, &identifier, results.pointer, $0) }
  }
}

extension Date {
  init(_ timestamp: flx_timestamp_t) {
    self.init(
      timeIntervalSince1970: TimeInterval(timestamp.seconds) + TimeInterval(timestamp.nanoseconds)
        / 1_000_000_000
    )
  }
}
