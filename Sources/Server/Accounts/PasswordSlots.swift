// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The limit on passwords that a process hashes at the same time, shared by the queues of its apps. Safe from any
/// thread.
///
/// When a slot is returned, all waiting queues are notified, and the first thread to react takes it. A queue whose
/// thread is busy therefore does not hold up the others.
package final class PasswordSlots: Sendable {
  private struct State {
    var freeCount: Int
    /// The numbers of the queues waiting for a slot.
    var waiting: Set<Int> = []
    /// The callbacks by queue number, called when a slot may be free.
    var calls: [Int: @Sendable () -> Void] = [:]
  }

  private let state: Mutex<State>

  package init(count: Int) { state = Mutex(State(freeCount: count)) }

  /// Registers a queue that will wait for slots.
  ///
  /// - Parameter call: Called on any thread when a slot may be free, once for each time that `take` found none.
  /// - Returns: The queue's number.
  func join(_ call: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      let number = state.calls.count
      state.calls[number] = call
      return number
    }
  }

  /// Removes all queues; no further callbacks are made.
  package func dismissQueues() {
    state.withLock { state in
      state.waiting = []
      state.calls = [:]
    }
  }

  /// Takes a free slot. If there is none, the queue is notified when one may be free.
  ///
  /// - Parameter queue: The queue to notify; nil for a caller that retries by itself.
  func take(for queue: Int?) -> Bool {
    state.withLock { state in
      if state.freeCount > 0 {
        state.freeCount -= 1
        return true
      }
      if let queue { state.waiting.insert(queue) }
      return false
    }
  }

  func giveBack() {
    let calls = state.withLock { state in
      state.freeCount += 1
      defer { state.waiting = [] }
      return state.waiting.compactMap { state.calls[$0] }
    }
    for call in calls { call() }
  }
}
