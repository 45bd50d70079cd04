// SPDX-License-Identifier: Apache-2.0

/// Custom user data that are not objects of a synced class: one document per user.
extension ServerStore {
  /// Returns the document of a user, as Extended JSON.
  public func customData(userID: String) throws -> String? {
    try database.firstRow("SELECT document FROM flx_custom_data WHERE user_id = ?1", [userID]) { $0.text(0) }
  }

  /// Stores the document of a user, who need not exist yet, or removes it. Must be called inside a write.
  public func setCustomData(_ document: String?, userID: String) throws {
    guard let document else {
      return try database.run("DELETE FROM flx_custom_data WHERE user_id = ?1", [userID])
    }
    try database.run("INSERT OR REPLACE INTO flx_custom_data VALUES (?1, ?2)", [userID, document])
  }
}
