// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Where a subscription set is on its way.
public enum SyncSubscriptionState: Sendable {
  /// The data that matched when the server saw the set is on the device.
  case complete
  /// The server rejected the set; the set before stays in force.
  case error(any Error)
  /// Committed on the device; its data is not here yet.
  case pending
  /// A newer set took its place.
  case superseded
}

extension SyncSubscriptionState: Equatable {
  /// Errors count as equal.
  public static func == (left: SyncSubscriptionState, right: SyncSubscriptionState) -> Bool {
    switch (left, right) {
    case (.complete, .complete), (.pending, .pending), (.superseded, .superseded), (.error, .error): true
    default: false
    }
  }
}

/// The subscriptions of a realm: which objects its file holds.
///
/// Reading gives the newest committed set, within an update block the set as it is being changed.
public struct SyncSubscriptionSet {
  let handle: _RealmHandle

  init(_ handle: _RealmHandle) { self.handle = handle }

  // MARK: Reading

  public var count: Int {
    if let update = handle.openUpdate { return flx_subscription_update_count(update.pointer) }
    return withLatest { flx_subscription_set_count($0) }
  }

  /// The version: 0 for the empty set of a new file, then one more for each update.
  public var version: Int { withLatest { Int(flx_subscription_set_version($0)) } }

  public var state: SyncSubscriptionState {
    withLatest { set in
      switch flx_subscription_set_state(set) {
      case .FLX_SUBSCRIPTION_COMPLETE: .complete
      case .FLX_SUBSCRIPTION_SUPERSEDED: .superseded
      case .FLX_SUBSCRIPTION_ERROR:
        .error(
          Realm.Error(code: .subscriptionFailed, message: String(flx_subscription_set_error_message(set)))
        )
      default: .pending
      }
    }
  }

  public var first: SyncSubscription? { count > 0 ? self[0] : nil }

  public var last: SyncSubscription? { count > 0 ? self[count - 1] : nil }

  /// A subscription by position, in the order of insertion.
  public subscript(position: Int) -> SyncSubscription? {
    let count = count
    precondition(
      position >= 0 && position < count,
      "Index \(position) is out of bounds (must be less than \(count))."
    )
    var subscription = flx_subscription_t()
    if let update = handle.openUpdate {
      mustSucceed { flx_subscription_update_at(update.pointer, position, &subscription, $0) }
      return SyncSubscription(subscription, handle)
    }
    return withLatest { set in
      mustSucceed { flx_subscription_set_at(set, position, &subscription, $0) }
      return SyncSubscription(subscription, handle)
    }
  }

  /// The subscription of that name.
  public func first(named name: String) -> SyncSubscription? { first { $0.name == name } }

  /// The first subscription with that class and condition, whatever its name.
  public func first<ObjectType: Object>(
    ofType type: ObjectType.Type,
    where condition: (Query<ObjectType>) -> Query<Bool>
  ) -> SyncSubscription? {
    first(matching: Realm(handle).objects(type).where(condition))
  }

  /// The first subscription with that class and query in Realm Query Language, whatever its name.
  public func first<ObjectType: Object>(
    ofType type: ObjectType.Type,
    where query: String,
    _ arguments: Any...
  ) -> SyncSubscription? {
    let rendered = RenderedQuery(text: query, anyArguments: arguments, handle)
    do { return try first(matching: Realm(handle).objects(type).filtered(rendered)) } catch {
      preconditionFailure("\(error)")
    }
  }

  private func first<ObjectType: Object>(matching results: Results<ObjectType>) -> SyncSubscription? {
    let className = handle.binding(of: ObjectType.self).discovered.name
    return first { $0.objectType == className && $0.queryString == results.predicateText }
  }

  // MARK: Changing

  /// Changes the set: within `block`, call `append`, `remove`, `updateQuery` … The set is committed on the device when
  /// this returns.
  ///
  /// - Parameter onComplete: called on a background thread, once: with nil when the data of the new set is on the device,
  ///   else with the error. Without it, an error in the block stops the program.
  public func update(_ block: () -> Void, onComplete: (@Sendable ((any Error)?) -> Void)? = nil) {
    do {
      let set = try SubscriptionUpdate.commit(on: handle, block)
      defer { flx_subscription_set_release(set) }
      guard let onComplete else { return }
      let completion: Completion = { onComplete($0?.publicError) }
      flx_subscription_set_wait(
        set,
        0,
        callCompletion,
        CallbackBox<Completion>.retained(completion),
        freeCallbackBox
      )
    } catch {
      guard let onComplete else { preconditionFailure("\(error)") }
      onComplete(error)
    }
  }

  /// Changes the set and waits until its data is on the device.
  ///
  /// - Throws: `Realm.Error` with code `subscriptionFailed` if the server rejected the set, and what was wrong in the block.
  public func update(_ block: () -> Void, isolation: isolated (any Actor)? = #isolation) async throws {
    let set = try SubscriptionUpdate.commit(on: handle, block)
    defer { flx_subscription_set_release(set) }
    try await awaitCompletion(isolation: isolation) {
      flx_subscription_set_wait(set, 0, callCompletion, $0, freeCallbackBox)
    }
    Realm(handle).refresh()
  }

  /// Adds subscriptions. The update fails if a name is taken; an unnamed subscription that is there already is not added
  /// again.
  public func append<each ObjectType: Object>(_ subscriptions: repeat QuerySubscription<each ObjectType>) {
    repeat add(each subscriptions)
  }

  private func add<ObjectType: Object>(_ subscription: QuerySubscription<ObjectType>) {
    let update = handle.requireUpdate()
    do {
      let results = try subscription.condition(Realm(handle).objects(ObjectType.self))
      subscription.name.withFlexString { name in
        update.perform {
          flx_subscription_update_add(update.pointer, results.pointer, name, .FLX_NAME_CONFLICT_FAIL, $0)
        }
      }
    } catch {
      update.fail(error)
    }
  }

  /// Removes subscriptions; those that are not in the set are ignored.
  public func remove(_ subscriptions: SyncSubscription...) {
    let update = handle.requireUpdate()
    for subscription in subscriptions {
      var identifier = subscription.identifier
      _ = flx_subscription_update_remove(update.pointer, &identifier)
    }
  }

  /// Removes the subscription of that name, if there is one.
  public func remove(named name: String) {
    let update = handle.requireUpdate()
    _ = name.withFlexString { flx_subscription_update_remove_named(update.pointer, $0) }
  }

  /// Removes the first subscription with that class and condition, if there is one.
  public func remove<ObjectType: Object>(
    ofType type: ObjectType.Type,
    _ condition: (Query<ObjectType>) -> Query<Bool>
  ) {
    remove(Realm(handle).objects(type).where(condition))
  }

  /// Removes the first subscription with that class and query in Realm Query Language, if there is one.
  public func remove<ObjectType: Object>(
    ofType type: ObjectType.Type,
    where query: String,
    _ arguments: Any...
  ) {
    let rendered = RenderedQuery(text: query, anyArguments: arguments, handle)
    guard let results = handle.resultsInUpdate(type, rendered) else { return }
    remove(results)
  }

  private func remove<ObjectType: Object>(_ results: Results<ObjectType>) {
    let update = handle.requireUpdate()
    var wasRemoved = false
    update.perform {
      flx_subscription_update_remove_results(update.pointer, results.pointer, &wasRemoved, $0)
    }
  }

  /// Removes all subscriptions of a class.
  public func removeAll<ObjectType: Object>(ofType type: ObjectType.Type) {
    let update = handle.requireUpdate()
    _ = DiscoveredClass.of(type).name.withFlexString {
      flx_subscription_update_remove_class(update.pointer, $0)
    }
  }

  /// Removes all subscriptions, or all that have no name.
  public func removeAll(unnamedOnly: Bool = false) {
    _ = flx_subscription_update_remove_all(handle.requireUpdate().pointer, unnamedOnly)
  }

  private func withLatest<Result>(_ body: (OpaquePointer) -> Result) -> Result {
    var set: OpaquePointer?
    trapOnMisuse { flx_subscription_set_get_latest(handle.pointer, &set, $0) }
    guard let set else { preconditionFailure("a subscription set that could be read has no handle") }
    defer { flx_subscription_set_release(set) }
    return body(set)
  }
}

extension SyncSubscriptionSet: Sequence {
  public func makeIterator() -> AnyIterator<SyncSubscription> {
    var position = 0
    let count = count
    return AnyIterator {
      guard position < count else { return nil }
      defer { position += 1 }
      return self[position]
    }
  }
}

extension _RealmHandle {
  /// The update block that is running; changing subscriptions outside one is a mistake in the program.
  func requireUpdate() -> SubscriptionUpdate {
    guard let openUpdate else {
      preconditionFailure("Can only add, remove, or update subscriptions within a write subscription block.")
    }
    return openUpdate
  }

  /// The objects that match a query given as text; nil, and a failed update, if it does not fit the class.
  func resultsInUpdate<ObjectType: Object>(_ type: ObjectType.Type, _ query: RenderedQuery) -> Results<
    ObjectType
  >? {
    let update = requireUpdate()
    do { return try Realm(self).objects(type).filtered(query) } catch {
      update.fail(error)
      return nil
    }
  }
}

extension Realm {
  /// The subscriptions of a synced realm.
  public var subscriptions: SyncSubscriptionSet {
    precondition(flx_realm_is_synced(handle.pointer), "This Realm was not configured with flexible sync")
    return SyncSubscriptionSet(handle)
  }
}
