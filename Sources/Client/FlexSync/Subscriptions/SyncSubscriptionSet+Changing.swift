// SPDX-License-Identifier: Apache-2.0

import Foundation

extension SyncSubscriptionSet {
  /// Updates the set: within `block`, call `append`, `remove`, `updateQuery` … Once this returns, the set is
  /// committed on the device.
  ///
  /// - Parameter onComplete: called once, with nil when the data of the new set is on the device, or with the error.
  ///   It is called on a background thread unless nothing could be committed. Without it, an error in the block stops
  ///   the program.
  public func update(_ block: () -> Void, onComplete: (@Sendable ((any Error)?) -> Void)? = nil) {
    do {
      try commit(block)
      guard let onComplete else { return }
      startOperation(onComplete, snapshot.startWaiting)
    } catch {
      guard let onComplete else { Misuse.stop("\(error)") }
      onComplete(error)
    }
  }

  /// Updates the set and waits until its data is on the device.
  ///
  /// - Throws: `Realm.Error` with code `subscriptionFailed` if the server rejected the set, or the first error in the
  ///   block.
  public func update(_ block: () -> Void, isolation: isolated (any Actor)? = #isolation) async throws {
    try commit(block)
    try await awaitCompletion(isolation: isolation, snapshot.startWaiting)
    Realm(handle).refresh()
  }

  private func commit(_ block: () -> Void) throws {
    snapshot.replace(takingOver: try SubscriptionUpdate.commit(on: handle, block))
  }

  /// Adds subscriptions. The update fails if a name is taken; an unnamed subscription that already exists is not
  /// added again.
  public func append<each ObjectType: Object>(_ subscriptions: repeat QuerySubscription<each ObjectType>) {
    repeat add(each subscriptions)
  }

  private func add<ObjectType: Object>(_ subscription: QuerySubscription<ObjectType>) {
    let update = handle.requireUpdate()
    guard let results = results(of: subscription) else { return }
    update.add(results.box, named: subscription.name)
  }

  /// Removes subscriptions; those that are not in the set are ignored.
  public func remove(_ subscriptions: SyncSubscription...) {
    let update = handle.requireUpdate()
    for subscription in subscriptions { update.remove(subscription.identifier) }
  }

  /// Removes the subscription with the given name, if there is one.
  public func remove(named name: String) {
    handle.requireUpdate().remove(named: name)
  }

  /// Removes the first subscription with the given class and condition, if there is one.
  public func remove<ObjectType: Object>(
    ofType type: ObjectType.Type,
    _ condition: (Query<ObjectType>) -> Query<Bool>
  ) {
    remove(Realm(handle).objects(type).where(condition))
  }

  /// Removes the first subscription with the given class and query in Realm Query Language, if there is one.
  public func remove<ObjectType: Object>(
    ofType type: ObjectType.Type,
    where query: String,
    _ arguments: Any...
  ) {
    remove(type, RenderedQuery(text: query, anyArguments: arguments))
  }

  /// Removes the first subscription with the given class and predicate, if there is one.
  public func remove<ObjectType: Object>(ofType type: ObjectType.Type, where predicate: NSPredicate) {
    remove(type, RenderedQuery(predicate))
  }

  private func remove<ObjectType: Object>(_ type: ObjectType.Type, _ query: RenderedQuery) {
    if let results = handle.resultsInUpdate(type, query) { remove(results) }
  }

  /// Removes the subscription with the same name or, if the given one has no name, the first with its class and
  /// condition.
  public func remove<ObjectType: Object>(_ subscription: () -> QuerySubscription<ObjectType>) {
    let subscription = subscription()
    if let name = subscription.name { return remove(named: name) }
    if let results = results(of: subscription) { remove(results) }
  }

  private func remove<ObjectType: Object>(_ results: Results<ObjectType>) {
    handle.requireUpdate().remove(results.box)
  }

  /// Removes all subscriptions of a class.
  public func removeAll<ObjectType: Object>(ofType type: ObjectType.Type) {
    handle.requireUpdate().removeAll(ofClass: DiscoveredClass.of(type).name)
  }

  /// Removes all subscriptions, or all unnamed ones.
  public func removeAll(unnamedOnly: Bool = false) {
    handle.requireUpdate().removeAll(unnamedOnly: unnamedOnly)
  }

  /// Returns the objects of a subscription. If its query does not fit the class, returns nil and makes the update
  /// fail.
  private func results<ObjectType: Object>(
    of subscription: QuerySubscription<ObjectType>
  ) -> Results<ObjectType>? {
    do { return try subscription.condition(Realm(handle).objects(ObjectType.self)) } catch {
      handle.requireUpdate().fail(error)
      return nil
    }
  }
}

extension _RealmHandle {
  /// Returns the running update block. Changing subscriptions outside one is a programming error.
  func requireUpdate() -> SubscriptionUpdate {
    guard let openUpdate = live.openUpdate else {
      Misuse.stop("Can only add, remove, or update subscriptions within a write subscription block.")
    }
    return openUpdate
  }

  /// Returns the objects that match a query given as text. If it does not fit the class, returns nil and makes the
  /// update fail.
  func resultsInUpdate<ObjectType: Object>(
    _ type: ObjectType.Type,
    _ query: RenderedQuery
  ) -> Results<ObjectType>? {
    let update = requireUpdate()
    do { return try Realm(self).objects(type).filtered(query) } catch {
      update.fail(error)
      return nil
    }
  }
}
