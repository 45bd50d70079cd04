// SPDX-License-Identifier: Apache-2.0

/// What one observer of progress has been told.
struct ProgressEstimate {
  let direction: SyncSession.Direction
  /// Whether the observation ends when the work at its begin is done.
  let isOnlyOutstanding: Bool
  /// For uploads that end: the newest client version that counts; for downloads nil.
  let lastVersion: UInt64?
  /// The most bytes that were due since nothing was.
  private var mostBytes: UInt64 = 0
  private var told: Double?

  init(_ direction: SyncSession.Direction, isOnlyOutstanding: Bool, lastVersion: UInt64? = nil) {
    self.direction = direction
    self.isOnlyOutstanding = isOnlyOutstanding
    self.lastVersion = lastVersion
  }

  /// Notes how many bytes are still to be uploaded.
  /// - Returns: the estimate from 0 to 1.
  mutating func uploadEstimate(remainingBytes: UInt64) -> Double {
    guard remainingBytes > 0 else {
      mostBytes = 0
      return 1
    }
    mostBytes = max(mostBytes, remainingBytes)
    return 1 - Double(remainingBytes) / Double(mostBytes)
  }

  /// Decides what the observer is told.
  /// - Returns: nil for what it knows already; and whether that was all.
  mutating func tell(_ estimate: Double) -> (told: Double?, isLast: Bool) {
    guard estimate != told else { return (nil, false) }
    told = estimate
    return (estimate, isOnlyOutstanding && estimate >= 1)
  }
}
