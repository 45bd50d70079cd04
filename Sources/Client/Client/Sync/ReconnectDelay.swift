// SPDX-License-Identifier: Apache-2.0

/// The delay before the next connection attempt: 1 s, doubled each time up to 5 min, minus up to a quarter, so that
/// the clients of a server that was down do not all come back at once (protocol §3.7).
struct ReconnectDelay {
  private static let first: UInt64 = 1_000
  private static let longest: UInt64 = 300_000

  private var next = Self.first

  /// - Parameter random: from 0 to 1.
  /// - Returns: the delay in milliseconds.
  mutating func take(random: Double) -> UInt64 {
    let delay = next
    next = min(delay * 2, Self.longest)
    return delay - UInt64(Double(delay / 4) * min(max(random, 0), 1))
  }

  /// Starts over with the first delay, after the server was reached and answered.
  mutating func reset() { next = Self.first }
}
