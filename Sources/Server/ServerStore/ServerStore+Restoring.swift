// SPDX-License-Identifier: Apache-2.0

/// The salt of server versions distinguishes versions of the same number from different lines of the data: those
/// created after a backup was made, and those created after it was restored.
extension ServerStore {
  private static let saltName = "latest_version_salt"

  /// Returns the salt of new versions; nil before the first server has run.
  public func versionSalt() throws -> Int64? { try setting(ServerStore.saltName) }

  /// Changes the salt of new versions. Versions that clients already have stay valid. Must be called inside a write.
  public func changeVersionSalt(to salt: Int64) throws {
    if let former = try versionSalt() {
      let sql = "INSERT OR REPLACE INTO flx_former_salts SELECT ident, ?1, stream_head FROM flx_files"
      try database.run(sql, [former])
    }
    try set(ServerStore.saltName, to: salt)
  }

  /// Returns the salts that a version of a client file's stream had before the salt was changed.
  public func formerSalts(file: UInt64, version: UInt64) throws -> [Int64] {
    let sql = "SELECT salt FROM flx_former_salts WHERE file = ?1 AND stream_head >= ?2"
    return try database.rows(sql, [Int64(clamping: file), Int64(clamping: version)]) { $0.int(0) }
  }
}
