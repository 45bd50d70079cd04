// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

package struct NeverHappened: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

/// Waits until a condition holds that something in the background brings about.
package func eventually(
  _ what: String = "the condition",
  within seconds: Double = 60,
  isolation: isolated (any Actor)? = #isolation,
  _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + .seconds(seconds)
  while try await !condition() {
    guard ContinuousClock.now < deadline else {
      throw NeverHappened(description: "\(what) did not hold within \(seconds) s")
    }
    try await _Concurrency.Task.sleep(for: .milliseconds(5))
  }
}

/// Runs blocking work on a thread of its own.
package func inBackground<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws
  -> Result
{
  try await withCheckedThrowingContinuation { continuation in
    Thread { continuation.resume(with: Swift.Result { try work() }) }.start()
  }
}
