// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How many passwords a process hashes at a time, shared among the queues of its apps. Safe from any thread.
///
/// When a slot is given back, all queues that wait are told, and those take it whose threads come to it first: one whose
/// thread is busy does not keep it from the others.
package final class PasswordSlots: Sendable {
  private struct State {
    var freeCount: Int
    /// The numbers of the queues that wait.
    var waiting: Set<Int> = []
    /// Called when there may be a slot for the queue, by its number.
    var calls: [Int: @Sendable () -> Void] = [:]
  }

  private let state: Mutex<State>

  package init(count: Int) { state = Mutex(State(freeCount: count)) }

  /// Lets a queue wait for slots.
  ///
  /// - Parameter call: called on any thread when there may be a slot, once after each time that there was none.
  /// - Returns: The queue's number.
  func join(_ call: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      let number = state.calls.count
      state.calls[number] = call
      return number
    }
  }

  /// Forgets the queues: nobody waits any more.
  package func dismissQueues() {
    state.withLock { state in
      state.waiting = []
      state.calls = [:]
    }
  }

  /// Takes a slot that is free. If none is, the queue is told when there may be one.
  ///
  /// - Parameter queue: nil for one that looks again by itself.
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
