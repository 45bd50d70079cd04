// SPDX-License-Identifier: Apache-2.0

/// The progress of a transfer.
struct TransferProgress: Sendable, Equatable {
  /// From 0 to 1, where 1 means done.
  let estimate: Double
  /// The number of bytes that were transferred.
  let transferredBytes: UInt64
  /// The number of bytes that were and are to be transferred.
  let transferrableBytes: UInt64

  var isComplete: Bool { estimate >= 1 }
}

extension TransferProgress {
  /// The progress of downloads. The server tells only how far it is, so what is left is an estimate.
  init(downloadedBytes: UInt64, estimate: Double) {
    let total = estimate > 0 ? Double(downloadedBytes) / min(estimate, 1) : Double(downloadedBytes)
    self.init(
      estimate: estimate,
      transferredBytes: downloadedBytes,
      transferrableBytes: estimate < 1 ? UInt64(exactly: total.rounded()) ?? .max : downloadedBytes
    )
  }
}

/// The progress that was reported to one observer.
struct ProgressEstimate {
  let direction: SyncSession.Direction
  /// Whether the observation ends once the work that was outstanding at its start is done.
  let isOnlyOutstanding: Bool
  /// For uploads with an end: the newest client version that counts. Nil for downloads.
  let lastVersion: UInt64?
  /// The largest number of pending bytes since none were pending, even once all of them are uploaded.
  private var mostBytes: UInt64 = 0
  private var isIdle = true
  private var told: TransferProgress?

  init(_ direction: SyncSession.Direction, isOnlyOutstanding: Bool, lastVersion: UInt64? = nil) {
    self.direction = direction
    self.isOnlyOutstanding = isOnlyOutstanding
    self.lastVersion = lastVersion
  }

  /// Updates the progress with the number of bytes still to be uploaded.
  mutating func uploadProgress(remainingBytes: UInt64) -> TransferProgress {
    if isIdle, remainingBytes > 0 { mostBytes = 0 }
    isIdle = remainingBytes == 0
    mostBytes = max(mostBytes, remainingBytes)
    return TransferProgress(
      estimate: isIdle ? 1 : 1 - Double(remainingBytes) / Double(mostBytes),
      transferredBytes: mostBytes - remainingBytes,
      transferrableBytes: mostBytes
    )
  }

  /// Decides what to report to the observer.
  /// - Returns: nil if this was already reported; and whether this is the last report.
  mutating func tell(_ progress: TransferProgress) -> (told: TransferProgress?, isLast: Bool) {
    guard progress != told else { return (nil, false) }
    told = progress
    return (progress, isOnlyOutstanding && progress.isComplete)
  }
}
