// SPDX-License-Identifier: Apache-2.0

/// The progress that was reported to one observer.
struct ProgressEstimate {
  let direction: SyncSession.Direction
  /// Whether the observation ends once the work that was outstanding at its start is done.
  let isOnlyOutstanding: Bool
  /// For uploads with an end: the newest client version that counts. Nil for downloads.
  let lastVersion: UInt64?
  /// The largest number of pending bytes since none were pending.
  private var mostBytes: UInt64 = 0
  private var told: Double?

  init(_ direction: SyncSession.Direction, isOnlyOutstanding: Bool, lastVersion: UInt64? = nil) {
    self.direction = direction
    self.isOnlyOutstanding = isOnlyOutstanding
    self.lastVersion = lastVersion
  }

  /// Updates the estimate with the number of bytes still to be uploaded.
  /// - Returns: the estimate from 0 to 1.
  mutating func uploadEstimate(remainingBytes: UInt64) -> Double {
    guard remainingBytes > 0 else {
      mostBytes = 0
      return 1
    }
    mostBytes = max(mostBytes, remainingBytes)
    return 1 - Double(remainingBytes) / Double(mostBytes)
  }

  /// Decides what to report to the observer.
  /// - Returns: nil if the estimate was already reported; and whether this is the last report.
  mutating func tell(_ estimate: Double) -> (told: Double?, isLast: Bool) {
    guard estimate != told else { return (nil, false) }
    told = estimate
    return (estimate, isOnlyOutstanding && estimate >= 1)
  }
}
