// SPDX-License-Identifier: Apache-2.0

/// Runs long work on a thread of its own, so that the event loop goes on meanwhile.
package protocol BlockingWorker {
  /// Runs `work` on another thread and then `completion` on the loop.
  func performBlocking<Outcome: Sendable>(
    _ work: @escaping @Sendable () -> Outcome,
    completion: @escaping (Outcome) -> Void
  )
}
