// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A callback that its token can end from any thread: once `clear` has returned, no further call begins.
///
/// The program is called without any lock, so it may do anything in the callback, even end the thread. A call that
/// another thread has begun runs to its end; what the callback holds is released after the last such call.
final class CallbackSlot<Event>: Sendable {
  /// The callback runs on one thread only; clearing it from another merely releases it.
  private struct Target: @unchecked Sendable {
    let callback: (Event) -> Void
  }

  private let target: Mutex<Target?>

  init(_ callback: @escaping (Event) -> Void) { target = Mutex(Target(callback: callback)) }

  func call(_ event: Event) {
    let target = target.withLock { $0 }
    target?.callback(event)
  }

  func clear() { target.replace(with: nil) }
}
