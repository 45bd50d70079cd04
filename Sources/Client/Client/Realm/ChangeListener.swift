// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Synchronization

/// Notifies the program that `flx_realm_refresh` on a handle would have something to do. Any thread.
final class ChangeListener: Sendable {
  private struct Target: Sendable {
    let callback: flx_realm_changed_t
    let userdata: Userdata
  }

  private let target = Mutex<Target?>(nil)

  /// Replaces the callback; nil removes it.
  func set(_ callback: flx_realm_changed_t?, _ userdata: Userdata) {
    let previous = target.withLock { target in
      defer { target = callback.map { Target(callback: $0, userdata: userdata) } }
      return target
    }
    // Frees the previous userdata, outside the lock.
    withExtendedLifetime(previous) {}
  }

  func notify() {
    guard let target = target.withLock({ $0 }) else { return }
    target.callback(target.userdata.pointer)
  }
}
