// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// An open realm: its C handle, and what everything obtained from it shares.
///
/// It belongs to one or more `_RealmHandle`s and closes with the last. It is an object of its own because it has weak
/// references, which make it slower to count the references to an object.
final class LiveRealm {
  let pointer: OpaquePointer
  let configuration: Realm.Configuration
  var bindings: [ObjectIdentifier: _ClassBinding] = [:]
  /// The keys of classes for their objects as dynamic objects.
  var dynamicBindings: [flx_class_key_t: _ClassBinding] = [:]
  /// The realms that are open at the same place; nil for a realm of its own.
  weak var place: OpenRealms?
  /// The first error in the open write transaction, with which the transaction as a whole will fail.
  var transactionFailure: StatusError?
  /// The update block that is running, if any.
  var openUpdate: SubscriptionUpdate?
  /// The policy for objects that are added because others link to them.
  var linkPolicy = Realm.UpdatePolicy.error
  /// While objects are created from values, the rows created for objects among them.
  var copies: ObjectCopies?
  /// Whether the realm refreshes by itself where that is possible.
  var refreshesItself = true {
    didSet {
      guard refreshesItself != oldValue else { return }
      followChanges()
      // For what has changed before.
      scheduleRefresh()
    }
  }
  /// Makes the realm refresh soon on its own thread or actor; nil if only the program can refresh it.
  private var scheduler: (@Sendable () -> Void)?
  /// The running loops over results.
  private var loops: [WeakLoop] = []
  /// False for a handle that the library lends to a callback, for initial subscriptions or in a client reset.
  private let isOwned: Bool

  init(_ pointer: OpaquePointer, _ configuration: Realm.Configuration, isOwned: Bool = true) {
    self.pointer = pointer
    self.configuration = configuration
    self.isOwned = isOwned
  }

  deinit {
    guard isOwned else { return }
    flx_realm_set_changed_callback(pointer, nil, nil, nil)
    flx_realm_release(pointer)
  }

  /// Keeps the realm open while it is in a write transaction, even if the program lets go of it.
  func keepInWrite() { place?.keep(flx_realm_is_in_write(pointer) ? self : nil, at: configuration) }

  // MARK: Refreshing

  /// Makes the realm refresh by itself.
  ///
  /// - Parameter scheduler: makes the realm refresh soon on its own thread or actor. Called on any thread.
  func refresh(by scheduler: @escaping @Sendable () -> Void) {
    self.scheduler = scheduler
    followChanges()
  }

  /// Makes the realm refresh soon if it refreshes by itself.
  func scheduleRefresh() { if refreshesItself { scheduler?() } }

  private func followChanges() {
    guard refreshesItself, let scheduler else {
      return flx_realm_set_changed_callback(pointer, nil, nil, nil)
    }
    flx_realm_set_changed_callback(
      pointer,
      { CallbackBox<@Sendable () -> Void>.callback(in: $0)() },
      CallbackBox<@Sendable () -> Void>.retained(scheduler),
      freeCallbackBox
    )
  }

  /// Advances to the newest data and delivers notifications.
  func refresh() -> (hasChanged: Bool, failure: StatusError?) {
    freezeLoops()
    var hasChanged = false
    let failure = failure { flx_realm_refresh(pointer, &hasChanged, $0) }
    return (hasChanged, failure)
  }

  func addLoop(_ loop: ResultsLoop) {
    loops.removeAll { $0.loop == nil }
    loops.append(WeakLoop(loop: loop))
  }

  /// Makes the running loops continue over the present contents of their results, whatever changes.
  func freezeLoops() {
    for loop in loops { loop.loop?.freeze() }
    loops.removeAll()
  }
}

private struct WeakLoop {
  weak var loop: ResultsLoop?
}
