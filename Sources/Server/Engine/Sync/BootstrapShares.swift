// SPDX-License-Identifier: Apache-2.0

/// How many bootstraps each user's sessions have under way. Clients open sessions and ask for query sets as often as they
/// want, so it is the users who share the places.
struct BootstrapShares {
  private struct Counts {
    var reading = 0
    var slow = 0
  }

  /// The number of a user's bootstraps for requested sets that may be read at the same time, not counting slow ones.
  private let readingQuota: Int
  /// The number of all of a user's bootstraps.
  private let totalQuota: Int
  private var counts: [String: Counts] = [:]

  /// - Parameters:
  ///   - capacity: the number of sessions that may read at the same time, not counting slow ones.
  ///   - snapshotCapacity: the number of all bootstraps that may be under way.
  init(capacity: Int, snapshotCapacity: Int) {
    readingQuota = max(1, capacity / 4)
    totalQuota = max(1, snapshotCapacity / 4)
  }

  mutating func add(_ count: Int, of userID: String, isSlow: Bool) {
    if isSlow {
      counts[userID, default: Counts()].slow += count
    } else {
      counts[userID, default: Counts()].reading += count
    }
  }

  /// The number of a user's bootstraps, slow or not.
  func total(of userID: String) -> Int { counts[userID].map { $0.reading + $0.slow } ?? 0 }

  /// Whether a user has as many bootstraps as a user may have at all, so that slow ones keep the user's others waiting.
  func isFull(_ userID: String) -> Bool { total(of: userID) >= totalQuota }

  /// Whether a user may have one more bootstrap for a requested set.
  func hasRoom(for userID: String) -> Bool {
    counts[userID, default: Counts()].reading < readingQuota && !isFull(userID)
  }
}
