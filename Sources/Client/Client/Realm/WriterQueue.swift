// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A first-come, first-served queue of the writers of one file in this process.
///
/// SQLite alone would make them sleep and retry at growing intervals. A turn belongs to no thread, because a write
/// transaction may be handed from one thread to another.
final class WriterQueue: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// The current writer's turn, followed by the waiting ones in order. Guarded by `mutex`, like the property below.
  private var turns: [UInt64] = []
  private var lastTurn: UInt64 = 0

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

  /// Waits for a turn; returns false on timeout, which is in milliseconds.
  func enter(milliseconds: UInt64) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    lastTurn += 1
    let turn = lastTurn
    turns.append(turn)
    guard turns.first != turn else { return true }
    var deadline = timespec.now(plus: milliseconds)
    while turns.first != turn {
      guard pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT, turns.first != turn else {
        continue
      }
      turns.removeAll { $0 == turn }
      return false
    }
    return true
  }

  /// Ends the turn.
  func leave() {
    pthread_mutex_lock(mutex)
    turns.removeFirst()
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }
}
