// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A running update block.
///
/// As in the Realm Swift SDK, the functions of `SyncSubscriptionSet` cannot throw. The first error is kept instead,
/// and the update as a whole fails with it.
final class SubscriptionUpdate {
  let pointer: OpaquePointer
  private(set) var failure: (any Error)?

  private init(_ pointer: OpaquePointer) { self.pointer = pointer }

  private func perform(_ change: (UnsafeMutablePointer<flx_error_t>) -> flx_status_t) {
    guard let failure = FlexSync.failure(of: change) else { return }
    fail(failure.publicError)
  }

  /// Keeps the failure of adding a subscription, with the words of the Realm Swift SDK if the name is taken: the
  /// advice of the C interface names functions of C.
  private func refuse(_ failure: StatusError, _ name: String?) {
    guard failure.status == .FLX_STATUS_SUBSCRIPTION_EXISTS, let name else {
      return fail(failure.publicError)
    }
    fail(
      Realm.Error(
        code: Realm.Error.Code(failure.status),
        message: "A subscription named '\(name)' already exists. If you meant to update the existing "
          + "subscription please use the `update` method."
      )
    )
  }

  func fail(_ failure: any Error) {
    if self.failure == nil { self.failure = failure }
  }

  // MARK: Changes

  func add(_ results: ResultsBox, named name: String?) {
    let failure = name.withFlexString { name in
      FlexSync.failure {
        flx_subscription_update_add(pointer, results.pointer, name, .FLX_NAME_CONFLICT_FAIL, $0)
      }
    }
    if let failure { refuse(failure, name) }
  }

  func setQuery(of id: ObjectId, to results: ResultsBox) {
    withUnsafePointer(to: id.flexValue) { id in
      perform { flx_subscription_update_set_query(pointer, id, results.pointer, $0) }
    }
  }

  func remove(_ id: ObjectId) {
    _ = withUnsafePointer(to: id.flexValue) { flx_subscription_update_remove(pointer, $0) }
  }

  func remove(named name: String) {
    _ = name.withFlexString { flx_subscription_update_remove_named(pointer, $0) }
  }

  func remove(_ results: ResultsBox) {
    var wasRemoved = false
    perform { flx_subscription_update_remove_results(pointer, results.pointer, &wasRemoved, $0) }
  }

  func removeAll(ofClass name: String) {
    _ = name.withFlexString { flx_subscription_update_remove_class(pointer, $0) }
  }

  func removeAll(unnamedOnly: Bool) { _ = flx_subscription_update_remove_all(pointer, unnamedOnly) }

  // MARK: The set as it is being changed

  var count: Int { flx_subscription_update_count(pointer) }

  func subscription(at index: Int, _ handle: _RealmHandle) -> SyncSubscription {
    var subscription = flx_subscription_t()
    mustSucceed { flx_subscription_update_at(pointer, index, &subscription, $0) }
    return SyncSubscription(subscription, handle)
  }

  // MARK: Running

  /// Runs `block` on an update that the library lends, and that the library itself commits.
  static func run(
    on handle: _RealmHandle,
    lent pointer: OpaquePointer,
    _ block: (SyncSubscriptionSet) -> Void
  ) {
    let update = SubscriptionUpdate(pointer)
    handle.live.openUpdate = update
    defer { handle.live.openUpdate = nil }
    block(SyncSubscriptionSet(handle))
    if let failure = update.failure { Misuse.stop("\(failure)") }
  }

  /// Runs `block` in a new update and commits it. Returns the new set for the caller to release.
  static func commit(on handle: _RealmHandle, _ block: () -> Void) throws -> OpaquePointer {
    guard handle.live.openUpdate == nil else {
      Misuse.stop(
        "Cannot initiate a write transaction on subscription set that is already being updated."
      )
    }
    let pointer = try makeHandle { flx_subscription_update_begin(handle.pointer, &$0, $1) }
    let update = SubscriptionUpdate(pointer)
    handle.live.openUpdate = update
    block()
    handle.live.openUpdate = nil
    if let failure = update.failure {
      flx_subscription_update_cancel(pointer)
      throw failure
    }
    return try makeHandle { flx_subscription_update_commit(pointer, &$0, $1) }
  }
}
