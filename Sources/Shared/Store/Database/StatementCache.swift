// SPDX-License-Identifier: Apache-2.0

/// The prepared statements that are not in use, by their SQL.
///
/// A statement leaves the cache while it is used, so that the same SQL can run twice at the same time.
struct StatementCache {
  private var idle: [String: Statement] = [:]
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  mutating func take(_ sql: String) -> Statement? { idle.removeValue(forKey: sql) }

  /// Returns a statement to the cache. A full cache is emptied first: programs use few SQL texts, over and over.
  mutating func give(_ statement: Statement, sql: String) {
    if idle.count >= capacity { idle = [:] }
    idle[sql] = statement
  }

  mutating func removeAll() { idle = [:] }
}
