// SPDX-License-Identifier: Apache-2.0

/// The rows that recent commits wrote, from which each handle learns what happened since its own snapshot.
struct ChangeLog {
  /// The number of rows beyond which the oldest commits are dropped. A handle that is further behind must assume
  /// that any row has changed.
  static let rowLimit = 200_000

  private var entries: [(version: UInt64, touched: TouchedRows, isForeign: Bool)] = []
  private var rowCount = 0
  /// The version of the newest commit.
  private(set) var newestVersion: UInt64 = 0
  /// The version up to which commits have been dropped.
  private var forgottenVersion: UInt64 = 0

  /// Records a commit and returns its version.
  ///
  /// - Parameter isForeign: whether another process has made it.
  mutating func append(_ touched: TouchedRows, isForeign: Bool = false) -> UInt64 {
    newestVersion += 1
    entries.append((newestVersion, touched, isForeign))
    rowCount += touched.count
    while rowCount > Self.rowLimit, entries.count > 1 { forgetOldest() }
    return newestVersion
  }

  /// Returns the rows that the commits after `version` wrote.
  func touched(since version: UInt64) -> TouchedRows {
    guard version >= forgottenVersion else { return .unknown }
    var result = TouchedRows()
    for entry in entries where entry.version > version { result.formUnion(entry.touched) }
    return result
  }

  /// Whether another process may have made a commit after a version.
  func hasForeign(after version: UInt64) -> Bool {
    version < forgottenVersion || entries.contains { $0.version > version && $0.isForeign }
  }

  /// Whether all commits after a version were made by other processes, and there are some.
  func isOutdatedByOthersOnly(_ version: UInt64) -> Bool {
    version >= forgottenVersion && version < newestVersion
      && entries.allSatisfy { $0.version <= version || $0.isForeign }
  }

  /// Drops the commits that every handle has seen.
  mutating func forget(through version: UInt64) {
    while let first = entries.first, first.version <= version { forgetOldest() }
  }

  private mutating func forgetOldest() {
    let oldest = entries.removeFirst()
    rowCount -= oldest.touched.count
    forgottenVersion = oldest.version
  }
}
