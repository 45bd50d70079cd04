// SPDX-License-Identifier: Apache-2.0

/// How many bootstraps each user's sessions have under way. Clients open sessions and ask for query sets as often as they
/// want, so it is the users who share the places.
///
/// A user may have a third as many as are free, and always one. So one user gets a quarter of all at most, further users
/// get less, and a few users leave places for the first bootstraps of many others.
struct BootstrapShares {
  private struct Counts {
    var reading = 0
    var total = 0
  }

  /// The number of sessions that may read at the same time, not counting slow ones.
  private let capacity: Int
  /// The number of all bootstraps that may be under way.
  private let snapshotCapacity: Int
  private var counts: [String: Counts] = [:]
  /// Those of all users together.
  private var sum = Counts()

  init(capacity: Int, snapshotCapacity: Int) {
    self.capacity = capacity
    self.snapshotCapacity = snapshotCapacity
  }

  mutating func add(_ count: Int, of userID: String, isSlow: Bool) {
    counts[userID, default: Counts()].total += count
    sum.total += count
    guard !isSlow else { return }
    counts[userID, default: Counts()].reading += count
    sum.reading += count
  }

  /// The users whose sessions have bootstraps under way.
  var userIDs: Set<String> { Set(counts.keys) }

  /// The number of a user's bootstraps, slow or not.
  func total(of userID: String) -> Int { counts[userID]?.total ?? 0 }

  /// Whether a user has as many bootstraps as a user may have at all, so that slow ones keep the user's others waiting.
  func isFull(_ userID: String) -> Bool {
    total(of: userID) >= BootstrapShares.quota(capacity: snapshotCapacity, taken: sum.total)
  }

  /// Whether a user may have one more bootstrap for a requested set.
  func hasRoom(for userID: String) -> Bool {
    let reading = counts[userID]?.reading ?? 0
    return reading < BootstrapShares.quota(capacity: capacity, taken: sum.reading) && !isFull(userID)
  }

  private static func quota(capacity: Int, taken: Int) -> Int { max(1, (capacity - taken) / 3) }
}
