// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A snapshot of one subscription of a set.
public struct SyncSubscription {
  let identifier: ObjectId
  let handle: _RealmHandle
  /// The name; nil for an unnamed subscription.
  public let name: String?
  /// The class to which it subscribes.
  public let objectType: String
  /// The text of the query.
  public let queryString: String
  public let createdAt: Date
  public let updatedAt: Date

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

  /// Changes the condition of the subscription. Call it within an update block.
  ///
  /// The update fails if the subscription is no longer in the set, or is for another class.
  public func updateQuery<ObjectType: Object>(
    toType type: ObjectType.Type,
    where condition: (Query<ObjectType>) -> Query<Bool>
  ) {
    update(to: Realm(handle).objects(type).where(condition))
  }

  /// Changes the query of the subscription, in Realm Query Language. Call it within an update block.
  public func updateQuery<ObjectType: Object>(
    toType type: ObjectType.Type,
    where query: String,
    _ arguments: Any...
  ) {
    let query = RenderedQuery(text: query, anyArguments: arguments)
    if let results = handle.resultsInUpdate(type, query) { update(to: results) }
  }

  /// Changes the query of the subscription to another one on its class, in Realm Query Language. Call it within an
  /// update block.
  public func updateQuery(to query: String, _ arguments: Any...) {
    updateQuery(to: RenderedQuery(text: query, anyArguments: arguments))
  }

  /// Changes the query of the subscription to a predicate on its class. Call it within an update block.
  public func updateQuery(to predicate: NSPredicate) { updateQuery(to: RenderedQuery(predicate)) }

  private func updateQuery(to query: RenderedQuery) {
    let update = handle.requireUpdate()
    do {
      let all = try handle.allObjects(ofClass: objectType)
      setQuery(try all.filtered(query, in: handle))
    } catch {
      update.fail(error)
    }
  }

  private func update<ObjectType: Object>(to results: Results<ObjectType>) { setQuery(results.box) }

  private func setQuery(_ results: ResultsBox) {
    handle.requireUpdate().setQuery(of: identifier, to: results)
  }
}
