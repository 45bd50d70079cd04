// SPDX-License-Identifier: Apache-2.0

/// The rows that recent commits wrote, so that each handle can learn what happened since its own snapshot.
struct ChangeLog {
  /// Beyond this number of rows the oldest commits are forgotten; a handle that is further behind is told that any
  /// row may have changed.
  static let rowLimit = 200_000

  private var entries: [(version: UInt64, touched: TouchedRows)] = []
  private var rowCount = 0
  /// The version of the newest commit.
  private(set) var newestVersion: UInt64 = 0
  /// The commits up to this version are forgotten.
  private var forgottenVersion: UInt64 = 0

  /// Notes a commit and gives its version.
  mutating func append(_ touched: TouchedRows) -> UInt64 {
    newestVersion += 1
    entries.append((newestVersion, touched))
    rowCount += touched.count
    while rowCount > Self.rowLimit, entries.count > 1 { forgetOldest() }
    return newestVersion
  }

  /// What the commits after `version` wrote.
  func touched(since version: UInt64) -> TouchedRows {
    guard version >= forgottenVersion else { return .unknown }
    var result = TouchedRows()
    for entry in entries where entry.version > version { result.formUnion(entry.touched) }
    return result
  }

  /// Forgets commits that every handle has seen.
  mutating func forget(through version: UInt64) {
    while let first = entries.first, first.version <= version { forgetOldest() }
  }

  private mutating func forgetOldest() {
    let oldest = entries.removeFirst()
    rowCount -= oldest.touched.count
    forgottenVersion = oldest.version
  }
}
