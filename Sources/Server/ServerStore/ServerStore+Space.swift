// SPDX-License-Identifier: Apache-2.0

/// Limiting the size of the files.
extension ServerStore {
  /// The state of the write-ahead log.
  public struct LogState: Hashable, Sendable {
    public var byteCount: Int64
    /// Whether an active snapshot prevents the log from being reused from its beginning.
    public var isPinned: Bool
    /// The size of the database without the log.
    public var databaseByteCount: Int64
  }

  /// Moves as much as possible from the write-ahead log to the database, without waiting for readers or writers.
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

  /// Returns free pages to the file system, in batches, if much of the file is free. A part of the free pages is
  /// kept, since SQLite reuses them first.
  ///
  /// - Returns: Whether there are more pages to return.
  public func giveBackSpace(maximumPageCount: Int64) throws -> Bool {
    let surplus = try surplusPageCount()
    guard surplus > 0 else { return false }
    try database.execute("PRAGMA incremental_vacuum(\(min(surplus, maximumPageCount)))")
    return surplus > maximumPageCount
  }

  /// Returns the number of free pages beyond a quarter of the file and 1,000. Zero or less if there is nothing to
  /// return, and zero for files created without the pointer map needed to move pages.
  private func surplusPageCount() throws -> Int64 {
    let incremental: Int64 = 2
    guard try database.integer("PRAGMA auto_vacuum") == incremental else { return 0 }
    let free = try database.integer("PRAGMA freelist_count")
    let kept = max(1_000, try database.integer("PRAGMA page_count") / 4)
    return free - kept
  }
}

extension ServerStore {
  /// Returns the number of client files, the newest version of the history and the size of the database in bytes, for
  /// display.
  public func numbers() throws -> (fileCount: Int64, version: Int64, byteCount: Int64) {
    (
      try database.integer("SELECT count(*) FROM flx_files"),
      try database.integer("SELECT coalesce(max(version), 0) FROM flx_history"),
      try database.integer("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
    )
  }
}
