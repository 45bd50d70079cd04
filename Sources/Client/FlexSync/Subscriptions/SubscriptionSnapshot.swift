// SPDX-License-Identifier: Apache-2.0

import CFlexSync

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
    let set = made { flx_subscription_set_get_latest(handle.pointer, &$0, $1) }
    loaded = set
    return set
  }

  /// Replaces the set with another, taking ownership of its reference.
  func replace(takingOver set: OpaquePointer) {
    flx_subscription_set_release(loaded)
    loaded = set
  }
}
