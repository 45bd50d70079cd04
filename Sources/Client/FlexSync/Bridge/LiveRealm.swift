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
  weak var siblings: OpenRealms?
  /// The first error in the open write transaction, with which the transaction as a whole will fail.
  var transactionFailure: StatusError?
  /// The update block that is running, if any.
  var openUpdate: SubscriptionUpdate?
  /// Differs whenever the data may have changed.
  private(set) var stamp: UInt64 = 0
  /// The policy for objects that are added because others link to them.
  var linkPolicy = Realm.UpdatePolicy.error
  /// While objects are created from values, the rows created for objects among them.
  var copies: ObjectCopies?
  /// Whether the realm stays on one version, and may be used by several threads at once.
  let isFrozen: Bool
  /// The frozen realm that was made last.
  private weak var lastFrozen: LiveRealm?
  /// Whether the realm refreshes by itself where that is possible.
  var refreshesItself = true {
    // For what has changed before.
    didSet { if refreshesItself != oldValue { scheduleRefresh() } }
  }
  /// Where the realm is used; nil for a realm of a task that belongs to no actor.
  private(set) var place: RealmPlace?
  /// Runs something soon on the realm's own thread or actor; nil if only the program can.
  private(set) var scheduler: RealmScheduler?
  /// Whom to tell that the realm would have to be refreshed.
  private var refreshObservers: [Int: () -> Void] = [:]
  private var lastRefreshObserver = 0
  let asyncWrites = AsyncWrites()
  /// The running loops over results.
  private var loops: [WeakLoop] = []
  /// False for a handle that the library lends to a callback, for initial subscriptions, in a migration or a client reset.
  let isOwned: Bool

  init(_ pointer: OpaquePointer, _ configuration: Realm.Configuration, isOwned: Bool = true) {
    self.pointer = pointer
    isFrozen = flx_realm_is_frozen(pointer)
    self.configuration = configuration
    self.isOwned = isOwned
  }

  deinit {
    guard isOwned else { return }
    flx_realm_set_changed_callback(pointer, nil, nil, nil)
    flx_realm_release(pointer)
  }

  /// Returns the realm that stays on the version that this one shows.
  func frozen() -> LiveRealm {
    let pointer = makeHandleOrTrap { flx_realm_freeze(self.pointer, &$0, $1) }
    if let known = lastFrozen, known.pointer == pointer {
      flx_realm_release(pointer)
      return known
    }
    let frozen = LiveRealm(pointer, configuration)
    lastFrozen = frozen
    return frozen
  }

  /// Keeps the realm open while it is in a write transaction, even if the program lets go of it.
  func keepInWrite() { siblings?.keep(flx_realm_is_in_write(pointer) ? self : nil, at: configuration) }

  /// Invalidates everything obtained from the realm and cancels its write transaction.
  func invalidate() {
    prepareForChange()
    transactionFailure = nil
    trapOnFailure { flx_realm_invalidate(pointer, $0) }
  }

  // MARK: Refreshing

  /// Makes the realm follow changes by itself if its place allows it.
  func settle(at place: RealmPlace) {
    self.place = place
    guard let scheduler = place.scheduler(of: self) else { return }
    self.scheduler = scheduler
    let follow: @Sendable () -> Void = { scheduler { $0.follow() } }
    flx_realm_set_changed_callback(
      pointer,
      { CallbackBox<@Sendable () -> Void>.callback(in: $0)() },
      CallbackBox<@Sendable () -> Void>.retained(follow),
      freeCallbackBox
    )
  }

  /// Makes the realm refresh soon if it refreshes by itself, and delivers first calls that are due in any case.
  func scheduleRefresh() { scheduler? { $0.follow() } }

  /// Refreshes, or delivers first calls only and tells that a refresh would be needed.
  private func follow() {
    // An error is not lost: the next access to the realm encounters and reports it again.
    guard !refreshesItself else {
      _ = refresh()
      return
    }
    var isOutdated = false
    _ = failure { flx_realm_notify(pointer, &isOutdated, $0) }
    if isOutdated { refreshObservers.sorted { $0.key < $1.key }.forEach { $0.value() } }
  }

  /// Adds an observer that is told when the realm would have to be refreshed and does not refresh by itself.
  func addRefreshObserver(_ observer: @escaping () -> Void) -> Int {
    lastRefreshObserver += 1
    refreshObservers[lastRefreshObserver] = observer
    return lastRefreshObserver
  }

  func removeRefreshObserver(_ number: Int) { refreshObservers[number] = nil }

  /// Advances to the newest data and delivers notifications.
  func refresh() -> (hasChanged: Bool, failure: StatusError?) {
    prepareForChange()
    var hasChanged = false
    let failure = failure { flx_realm_refresh(pointer, &hasChanged, $0) }
    return (hasChanged, failure)
  }

  /// Makes what was computed from the data out of date.
  func noteChange() { stamp &+= 1 }

  /// Prepares for newer data.
  func prepareForChange() {
    guard !isFrozen else { return }
    noteChange()
    freezeLoops()
  }

  func addLoop(_ loop: ResultsLoop) {
    guard !isFrozen else { return }
    loops.removeAll { $0.loop == nil }
    loops.append(WeakLoop(loop: loop))
  }

  /// Makes the running loops continue over the present contents of their results, whatever changes.
  func freezeLoops() {
    guard !loops.isEmpty else { return }
    for loop in loops { loop.loop?.freeze() }
    loops.removeAll()
  }
}

private struct WeakLoop {
  weak var loop: ResultsLoop?
}
