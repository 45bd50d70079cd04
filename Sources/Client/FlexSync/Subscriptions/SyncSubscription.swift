// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// A snapshot of one subscription of a set.
public struct SyncSubscription {
  let identifier: flx_object_id_t
  let handle: _RealmHandle
  /// The name; nil for an unnamed subscription.
  public let name: String?
  /// The class to which it subscribes.
  public let objectType: String
  /// The text of the query.
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

  /// Changes the condition of the subscription. Call it within an update block.
  ///
  /// The update fails if the subscription is no longer in the set, or is for another class.
  public func updateQuery<ObjectType: Object>(
    toType type: ObjectType.Type,
    where condition: ((Query<ObjectType>) -> Query<Bool>)? = nil
  ) {
    let all = Realm(handle).objects(type)
    update(to: condition.map { all.where($0) } ?? all)
  }

  /// Changes the query of the subscription, in Realm Query Language. Call it within an update block.
  public func updateQuery<ObjectType: Object>(
    toType type: ObjectType.Type,
    where query: String,
    _ arguments: Any...
  ) {
    let rendered = RenderedQuery(text: query, anyArguments: arguments)
    guard let results = handle.resultsInUpdate(type, rendered) else { return }
    update(to: results)
  }

  /// Changes the query of the subscription to another one on its class, in Realm Query Language. Call it within an
  /// update block.
  public func updateQuery(to query: String, _ arguments: Any...) {
    let rendered = RenderedQuery(text: query, anyArguments: arguments)
    let update = handle.requireUpdate()
    do {
      let all = try handle.allObjects(ofClass: objectType)
      setQuery(try all.filtered(rendered))
    } catch {
      update.fail(error)
    }
  }

  private func update<ObjectType: Object>(to results: Results<ObjectType>) { setQuery(results.box) }

  private func setQuery(_ results: ResultsBox) {
    var identifier = identifier
    let update = handle.requireUpdate()
    update.perform { flx_subscription_update_set_query(update.pointer, &identifier, results.pointer, $0) }
  }
}

extension _RealmHandle {
  fileprivate func allObjects(ofClass name: String) throws -> ResultsBox {
    var info = flx_class_info_t()
    try name.withFlexString { name in try check { flx_realm_find_class(pointer, name, &info, $0) } }
    return ResultsBox(takingOver: try make { flx_results_create(pointer, info.key, &$0, $1) })
  }
}
