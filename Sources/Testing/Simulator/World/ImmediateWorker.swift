// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// In a world with one thread, work beside the loop is done at once.
struct ImmediateWorker: BlockingWorker {
  func performBlocking<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result,
    completion: @escaping (Result) -> Void
  ) {
    completion(work())
  }
}
