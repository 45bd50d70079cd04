// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A state that threads change one at a time, and whose changes they can wait for. Any thread.
final class Monitor<State: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// Guarded by `mutex`.
  private var state: State

  init(_ state: State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Reads the state, or changes it without waking anyone.
  func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Changes the state and wakes the waiting threads.
  func change(_ body: (inout State) -> Void) {
    withLock { body(&$0) }
    pthread_cond_broadcast(condition)
  }

  /// Blocks until `body` returns a result, which it is asked for now and after each change.
  ///
  /// - Parameter milliseconds: the timeout; nil waits forever.
  /// - Returns: nil on timeout.
  func wait<Result>(milliseconds: UInt64?, until body: (inout State) -> Result?) -> Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if let result = body(&state) { return result }
    var deadline = timespec.now(plus: milliseconds ?? 0)
    while true {
      let outcome =
        milliseconds == nil
        ? pthread_cond_wait(condition, mutex) : pthread_cond_timedwait(condition, mutex, &deadline)
      if let result = body(&state) { return result }
      if outcome == ETIMEDOUT { return nil }
    }
  }
}
