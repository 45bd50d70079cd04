// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport
import Synchronization
import Testing

/// Runs one scenario on a loop of its own and waits for it.
///
/// `scenario` sets things up on the loop and calls `done` when it has seen enough; then the loop is stopped, and
/// what `done` was given is returned. After ten seconds the test fails.
func onLoop<Outcome: Sendable>(
  timeoutMilliseconds: UInt64 = 10_000,
  _ scenario: @escaping (EventLoop, @escaping (Outcome) -> Void) throws -> Void
) throws -> Outcome {
  let loop = try EventLoop()
  var outcome: Outcome?
  var failure: (any Error)?
  let done: (Outcome) -> Void = { value in
    outcome = outcome ?? value
    loop.stop()
  }
  _ = loop.schedule(afterMilliseconds: timeoutMilliseconds) { loop.stop() }
  do {
    try scenario(loop, done)
  } catch {
    failure = error
    loop.stop()
  }
  loop.run()
  if let failure { throw failure }
  return try #require(outcome, "the scenario did not end in time")
}

extension UnsafeRawBufferPointer {
  /// A copy as text.
  var text: String { String(decoding: self, as: UTF8.self) }
}
