// SPDX-License-Identifier: Apache-2.0

/// Runs long work on a separate thread, so that the event loop keeps running.
package protocol BlockingWorker {
  /// Runs `work` on another thread and then `completion` on the loop.
  func performBlocking<Outcome: Sendable>(
    _ work: @escaping @Sendable () -> Outcome,
    completion: @escaping (Outcome) -> Void
  )
}
