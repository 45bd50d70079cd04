// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The C handle of an open realm and what has to happen before the realm changes.
///
/// It is an object of its own, which belongs to a `_RealmHandle`, because it has weak references: they would make it
/// slower to count the references to the `_RealmHandle`, which every object of the realm has.
final class LiveRealm {
  let pointer: OpaquePointer
  /// The running loops over results.
  private var loops: [WeakLoop] = []
  /// False for a handle that the library lends to a callback, for initial subscriptions or in a client reset.
  private let isOwned: Bool

  init(_ pointer: OpaquePointer, isOwned: Bool) {
    self.pointer = pointer
    self.isOwned = isOwned
  }

  deinit {
    guard isOwned else { return }
    flx_realm_set_changed_callback(pointer, nil, nil, nil)
    flx_realm_release(pointer)
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
