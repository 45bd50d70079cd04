// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lets the writers of one file in this process take turns in the order in which they came.
///
/// SQLite alone would make them sleep and look again, for longer and longer. A turn belongs to no thread: a write
/// transaction may be handed from thread to thread.
final class WriterQueue: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// Who writes, first, and who waits, in order. Guarded by `mutex`, as is what follows.
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

  /// Waits for a turn; false if the time, in milliseconds, is over first.
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
