// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How many passwords a process hashes at a time, shared among the queues of its apps. Safe from any thread.
///
/// A slot that is given back goes to the queue that has waited longest, so that an app with a long line does not keep the
/// others from theirs.
package final class PasswordSlots: Sendable {
  private struct State {
    var freeCount: Int
    /// The queues that wait, by their numbers, the one whose turn is next at the front.
    var waiting: [Int] = []
    /// Called with a slot for the queue, by its number.
    var grants: [Int: @Sendable () -> Void] = [:]
  }

  private let state: Mutex<State>

  package init(count: Int) { state = Mutex(State(freeCount: count)) }

  /// Lets a queue wait for slots.
  ///
  /// - Parameter grant: called on any thread with a slot, which is to be given back.
  /// - Returns: The queue's number.
  func join(_ grant: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      let number = state.grants.count
      state.grants[number] = grant
      return number
    }
  }

  /// Forgets the queues: nobody waits any more.
  func dismissQueues() {
    state.withLock { state in
      state.waiting = []
      state.grants = [:]
    }
  }

  /// Takes a slot that is free. If none is, the queue gets one later, once.
  ///
  /// - Parameter queue: nil for one that looks again by itself.
  func take(for queue: Int?) -> Bool {
    state.withLock { state in
      if state.freeCount > 0 {
        state.freeCount -= 1
        return true
      }
      if let queue, !state.waiting.contains(queue) { state.waiting.append(queue) }
      return false
    }
  }

  func giveBack() {
    let grant: (@Sendable () -> Void)? = state.withLock { state in
      while !state.waiting.isEmpty {
        if let grant = state.grants[state.waiting.removeFirst()] { return grant }
      }
      state.freeCount += 1
      return nil
    }
    grant?()
  }
}
