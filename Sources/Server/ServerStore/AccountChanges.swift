// SPDX-License-Identifier: Apache-2.0

/// The log of changed users, for a server that runs in a different process from the one that makes the changes.
extension ServerStore {
  /// Records that a user's state or data have changed. Must be called inside the write that changes them.
  ///
  /// - Parameter time: Seconds since 1970.
  public func noteAccountChange(userID: String, time: Int64) throws {
    try database.run("INSERT INTO flx_account_changes (user_id, time) VALUES (?1, ?2)", [userID, time])
  }

  /// Returns the number of the newest change; 0 if there is none.
  public func newestAccountChange() throws -> Int64 {
    try database.integer(
      "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'flx_account_changes'"
    )
  }

  /// Returns the users that have changed since a change, in no particular order.
  public func accountChanges(after ordinal: Int64) throws -> Set<String> {
    let sql = "SELECT user_id FROM flx_account_changes WHERE ordinal > ?1"
    return Set(try database.rows(sql, [ordinal]) { $0.text(0) })
  }

  /// Deletes old changes, which every server has seen. Must be called inside a write.
  ///
  /// - Parameter time: Seconds since 1970.
  public func deleteAccountChanges(before time: Int64) throws {
    try database.run("DELETE FROM flx_account_changes WHERE time < ?1", [time])
  }
}
