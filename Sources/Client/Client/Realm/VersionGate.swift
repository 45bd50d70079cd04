// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lets threads wait for a number to grow. Any thread.
final class VersionGate: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// Guarded by `mutex`.
  private var version: UInt64 = 0

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Lets those pass who wait for a smaller version.
  func open(_ newVersion: UInt64) {
    pthread_mutex_lock(mutex)
    version = max(version, newVersion)
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Waits for a version after `seen`; false if the time, in milliseconds, is over first. 0 waits for ever.
  func wait(after seen: UInt64, milliseconds: UInt64) -> Bool {
    var deadline = timespec.now(plus: milliseconds)
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while version <= seen {
      let result =
        milliseconds == 0
        ? pthread_cond_wait(condition, mutex) : pthread_cond_timedwait(condition, mutex, &deadline)
      if result == ETIMEDOUT { return version > seen }
    }
    return true
  }
}
