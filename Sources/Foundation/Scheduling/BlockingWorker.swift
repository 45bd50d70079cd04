// SPDX-License-Identifier: Apache-2.0

/// Runs work that takes long beside the event loop.
package protocol BlockingWorker {
  /// Runs `work` on another thread and then `completion` on the loop.
  func performBlocking<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result,
    completion: @escaping (Result) -> Void
  )
}
