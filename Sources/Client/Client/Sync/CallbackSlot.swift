// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A callback that its token can end from any thread: once `clear` has returned, no further call begins.
///
/// The program is called without any lock: it may do as it likes there, even end the thread. A call that another thread
/// has begun goes on; what the callback holds is given back when the last such call is over.
final class CallbackSlot<Event>: Sendable {
  /// The callback runs on one thread, whoever clears it only drops it.
  private struct Target: @unchecked Sendable {
    let callback: (Event) -> Void
  }

  private let target: Mutex<Target?>

  init(_ callback: @escaping (Event) -> Void) { target = Mutex(Target(callback: callback)) }

  func call(_ event: Event) {
    let target = target.withLock { $0 }
    target?.callback(event)
  }

  func clear() {
    let cleared = target.withLock { target in
      defer { target = nil }
      return target
    }
    // What it holds is given back here, outside of the lock.
    withExtendedLifetime(cleared) {}
  }
}
