// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// The committed set that a `SyncSubscriptionSet` and its copies show. An update made through one of them replaces
/// it.
final class SubscriptionSnapshot {
  private let handle: _RealmHandle
  private var loaded: OpaquePointer?

  /// Creates a snapshot of the newest set.
  init(_ handle: _RealmHandle) { self.handle = handle }

  deinit { flx_subscription_set_release(loaded) }

  /// The set, read when it is first needed.
  var pointer: OpaquePointer {
    if let loaded { return loaded }
    let set = makeHandleOrTrap { flx_subscription_set_get_latest(handle.pointer, &$0, $1) }
    loaded = set
    return set
  }

  /// Replaces the set with another, taking ownership of its reference.
  func replace(takingOver set: OpaquePointer) {
    flx_subscription_set_release(loaded)
    loaded = set
  }

  var count: Int { flx_subscription_set_count(pointer) }
  var version: Int64 { flx_subscription_set_version(pointer) }

  func subscription(at index: Int) -> SyncSubscription {
    var subscription = flx_subscription_t()
    mustSucceed { flx_subscription_set_at(pointer, index, &subscription, $0) }
    return SyncSubscription(subscription, handle)
  }

  /// Reads the current state of the set.
  func refreshedState() -> SyncSubscriptionState {
    trapOnFailure { flx_subscription_set_refresh(pointer, $0) }
    switch flx_subscription_set_state(pointer) {
    case .FLX_SUBSCRIPTION_COMPLETE: return .complete
    case .FLX_SUBSCRIPTION_SUPERSEDED: return .superseded
    case .FLX_SUBSCRIPTION_ERROR:
      let message = String(flx_subscription_set_error_message(pointer))
      return .error(SyncError(rejectedSubscriptions: message))
    default: return .pending
    }
  }

  /// Waits until the data of the set is on the device.
  func startWaiting(_ box: UnsafeMutableRawPointer) {
    flx_subscription_set_wait(pointer, 0, callCompletion, box, freeCallbackBox)
  }
}

extension SyncSubscription {
  /// Copies a subscription whose text is borrowed.
  init(_ subscription: flx_subscription_t, _ handle: _RealmHandle) {
    self.handle = handle
    identifier = ObjectId(subscription.id)
    name = subscription.has_name ? String(subscription.name) : nil
    objectType = String(subscription.class_name)
    queryString = String(subscription.query)
    createdAt = Date(subscription.created_at)
    updatedAt = Date(subscription.updated_at)
  }
}
