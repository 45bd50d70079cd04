// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Milliseconds of a monotonic clock with an arbitrary origin.
public typealias MonotonicTime = UInt64

/// Growing delays between attempts, keyed on the reason: another reason starts again (protocol §3.5, §3.7).
struct Backoff<Reason: Hashable & Sendable>: Hashable, Sendable {
  private var reason: Reason?
  /// Milliseconds of the last delay, before jitter.
  private var delay: UInt64 = 0

  /// The milliseconds to wait before the next attempt: 1 s, doubled up to 5 min, or as the server asks; less a random
  /// 0 to 25 %.
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

  /// Makes the next delay the first one again.
  mutating func reset() { reason = nil }

  private static var standard: BackoffParameters {
    BackoffParameters(initialSeconds: 1, maximumSeconds: 300, multiplier: 2)
  }

  /// At most a day, so that no number of a server overflows a timer.
  private static func milliseconds(_ seconds: UInt64) -> UInt64 { min(seconds, 86_400) * 1000 }
}
