// SPDX-License-Identifier: Apache-2.0

/// Lets the calls of an observer through until the observation ends, and knows which threads are in one. Any thread.
final class CallbackGate: Sendable {
  private struct State {
    var isClosed = false
    /// The threads that are in a call, once for each.
    var threads: [UInt] = []
  }

  private let state = Monitor(State())

  /// Calls `body` unless the gate is closed.
  func pass(_ body: () -> Void) {
    let thread = CurrentThread.number
    let isOpen = state.withLock { state in
      if !state.isClosed { state.threads.append(thread) }
      return !state.isClosed
    }
    guard isOpen else { return }
    body()
    state.change { state in
      if let last = state.threads.lastIndex(of: thread) { state.threads.remove(at: last) }
    }
  }

  /// Lets no further call through.
  func close() { state.withLock { $0.isClosed = true } }

  /// Waits until no other thread is in a call.
  func wait() {
    let thread = CurrentThread.number
    _ = state.wait(milliseconds: nil) { state in state.threads.contains { $0 != thread } ? nil : true }
  }
}
