// SPDX-License-Identifier: Apache-2.0

/// Prepared statements that are not in use, by their SQL.
///
/// A statement leaves the cache while it is used, so that one text can run twice at a time.
struct StatementCache {
  private var idle: [String: Statement] = [:]
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  mutating func take(_ sql: String) -> Statement? { idle.removeValue(forKey: sql) }

  /// Keeps the statement for later. A full cache starts anew: programs use few texts, over and over.
  mutating func give(_ statement: Statement, sql: String) {
    if idle.count >= capacity { idle = [:] }
    idle[sql] = statement
  }

  mutating func removeAll() { idle = [:] }
}
