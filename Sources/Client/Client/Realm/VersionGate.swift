// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A version number that threads can wait on until it grows. Any thread.
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

  /// Raises the version and wakes all threads that wait for it.
  func open(_ newVersion: UInt64) {
    pthread_mutex_lock(mutex)
    version = max(version, newVersion)
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Waits for a version after `seen`; returns false on timeout. The timeout is in milliseconds; 0 waits forever.
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
