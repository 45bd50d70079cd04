// SPDX-License-Identifier: Apache-2.0

/// Keeping the files small.
extension ServerStore {
  /// What is in the write-ahead log.
  public struct LogState: Hashable, Sendable {
    public var byteCount: Int64
    /// Whether a snapshot that is in use keeps the log from being used again from its beginning.
    public var isPinned: Bool
    /// The size of the database without the log.
    public var databaseByteCount: Int64
  }

  /// Moves what can be moved from the write-ahead log into the database, without waiting for anybody.
  public func checkpoint() throws -> LogState {
    let pageByteCount = try database.integer("PRAGMA page_size")
    let pageCount = try database.integer("PRAGMA page_count")
    return try database.withStatement("PRAGMA wal_checkpoint(PASSIVE)") { statement in
      _ = try statement.step()
      let (logged, moved) = (max(0, statement.int(1)), max(0, statement.int(2)))
      while try statement.step() {}
      return LogState(
        byteCount: logged * pageByteCount,
        isPinned: moved < logged,
        databaseByteCount: pageCount * pageByteCount
      )
    }
  }

  /// Gives free pages of the file back to the file system, some at a time, if much of the file is free. What is free is
  /// used again first, so a part of it stays.
  ///
  /// - Returns: Whether there is more to give back.
  public func giveBackSpace(maximumPageCount: Int64) throws -> Bool {
    let surplus = try surplusPageCount()
    guard surplus > 0 else { return false }
    try database.execute("PRAGMA incremental_vacuum(\(min(surplus, maximumPageCount)))")
    return surplus > maximumPageCount
  }

  /// The free pages beyond a quarter of the file and 1,000. None in files that were made without the map that moving
  /// pages takes.
  private func surplusPageCount() throws -> Int64 {
    let incremental: Int64 = 2
    guard try database.integer("PRAGMA auto_vacuum") == incremental else { return 0 }
    let free = try database.integer("PRAGMA freelist_count")
    let kept = max(1_000, try database.integer("PRAGMA page_count") / 4)
    return free - kept
  }
}

extension ServerStore {
  /// How much there is, for people: client files, the newest version of the history, bytes of the database.
  public func numbers() throws -> (fileCount: Int64, version: Int64, byteCount: Int64) {
    (
      try database.integer("SELECT count(*) FROM flx_files"),
      try database.integer("SELECT coalesce(max(version), 0) FROM flx_history"),
      try database.integer("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
    )
  }
}
