// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// A time in milliseconds on a monotonic clock with an arbitrary origin.
typealias MonotonicTime = UInt64

/// Growing delays between attempts, keyed by reason: a different reason starts over (protocol §3.5, §3.7).
struct Backoff<Reason: Hashable & Sendable>: Hashable, Sendable {
  private var reason: Reason?
  /// The last delay in milliseconds, before jitter.
  private var delay: UInt64 = 0

  /// Returns the milliseconds to wait before the next attempt: 1 s, doubled up to 5 min, or as the server requests;
  /// less a random 0 to 25 %.
  mutating func nextDelay(
    after reason: Reason,
    parameters: BackoffParameters? = nil,
    random: inout RandomSource
  ) -> UInt64 {
    let parameters = parameters ?? Self.standard
    let maximum = Self.milliseconds(parameters.maximumSeconds)
    if self.reason == reason {
      let (product, overflowed) = delay.multipliedReportingOverflow(by: max(1, parameters.multiplier))
      delay = overflowed ? maximum : min(product, maximum)
    } else {
      self.reason = reason
      delay = min(Self.milliseconds(parameters.initialSeconds), maximum)
    }
    return delay - UInt64.random(in: 0...delay / 4, using: &random)
  }

  /// Makes the next delay the initial one again.
  mutating func reset() { reason = nil }

  private static var standard: BackoffParameters {
    BackoffParameters(initialSeconds: 1, maximumSeconds: 300)
  }

  /// Converts seconds, limited to one day so that no value from a server overflows a timer.
  private static func milliseconds(_ seconds: UInt64) -> UInt64 { min(seconds, 86_400) * 1000 }
}
