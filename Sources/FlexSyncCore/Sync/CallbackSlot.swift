// SPDX-License-Identifier: Apache-2.0

/// A callback that its token can end from any thread: after `clear` has returned, it is not called any more.
final class CallbackSlot<Event>: @unchecked Sendable {
  /// Recursive, because a callback may release its own token.
  private let lock = RecursiveLock()
  /// Guarded by `lock`.
  private var callback: ((Event) -> Void)?

  init(_ callback: @escaping (Event) -> Void) { self.callback = callback }

  func call(_ event: Event) {
    lock.withLock { callback?(event) }
  }

  func clear() {
    let cleared = lock.withLock {
      defer { callback = nil }
      return callback
    }
    // What it holds is given back here, outside of the lock.
    withExtendedLifetime(cleared) {}
  }
}
