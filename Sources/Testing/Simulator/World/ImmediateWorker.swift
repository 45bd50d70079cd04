// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// A worker for a world with a single thread, which performs blocking work immediately.
struct ImmediateWorker: BlockingWorker {
  func performBlocking<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result,
    completion: @escaping (Result) -> Void
  ) {
    completion(work())
  }
}
