// SPDX-License-Identifier: Apache-2.0

/// Custom user data that are not objects of a synced class: one document per user.
extension ServerStore {
  /// Returns the document of a user, as Extended JSON.
  public func customData(userID: String) throws -> String? {
    try database.withStatement("SELECT document FROM flx_custom_data WHERE user_id = ?1") { statement in
      statement.bind(userID, at: 1)
      return try statement.step() ? statement.text(0) : nil
    }
  }

  /// Stores the document of a user, who need not exist yet, or removes it. Must be called inside a write.
  public func setCustomData(_ document: String?, userID: String) throws {
    guard let document else {
      try database.withStatement("DELETE FROM flx_custom_data WHERE user_id = ?1") { statement in
        statement.bind(userID, at: 1)
        try statement.run()
      }
      return
    }
    try database.withStatement("INSERT OR REPLACE INTO flx_custom_data VALUES (?1, ?2)") { statement in
      statement.bind(userID, at: 1)
      statement.bind(document, at: 2)
      try statement.run()
    }
  }
}
