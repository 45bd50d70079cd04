// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// One version of an app's history.
public struct HistoryEntry: Hashable, Sendable {
  public var version: UInt64
  public var stamp: OriginStamp
  /// The instructions as applied to the server's state.
  public var instructions: [Instruction]
  public var images: HistoryImages

  public init(version: UInt64, stamp: OriginStamp, instructions: [Instruction], images: HistoryImages) {
    self.version = version
    self.stamp = stamp
    self.instructions = instructions
    self.images = images
  }
}

extension ServerStore {
  /// Returns the newest version of the history; 0 if it is empty.
  public func currentVersion() throws -> UInt64 {
    UInt64(bitPattern: try database.integer("SELECT coalesce(max(version), 0) FROM flx_history"))
  }

  /// Appends a version to the history.
  ///
  /// - Returns: Its size in bytes.
  @discardableResult
  public func insert(_ entry: HistoryEntry) throws -> Int {
    CrashPoint.reached(.serverBeforeHistoryAppend)
    let (changeset, images) = (ChangesetCodec.encode(entry.instructions), entry.images.encoded)
    let sql =
      "INSERT INTO flx_history (version, origin, timestamp, changeset, images) VALUES (?1, ?2, ?3, ?4, ?5)"
    try database.run(sql, [entry.version, entry.stamp.fileIdent, entry.stamp.timestamp, changeset, images])
    CrashPoint.reached(.serverAfterHistoryAppend)
    return changeset.count + images.count
  }

  /// Returns the versions after one and through another in ascending order, until their total size exceeds a number
  /// of bytes. At least one version is returned if there is any.
  public func history(after version: UInt64, through last: UInt64, maximumByteCount: Int = .max) throws
    -> [HistoryEntry]
  {
    let sql = """
      SELECT version, origin, timestamp, changeset, images FROM flx_history
      WHERE version > ?1 AND version <= ?2 ORDER BY version
      """
    return try database.withStatement(sql) { statement in
      statement.bind(version, at: 1)
      statement.bind(last, at: 2)
      var entries: [HistoryEntry] = []
      var byteCount = 0
      while byteCount <= maximumByteCount, try statement.step() {
        let (changeset, encodedImages) = (statement.blob(3), statement.blob(4))
        byteCount += changeset.count + encodedImages.count
        guard let images = HistoryImages(encoded: encodedImages) else {
          throw StorageError.damaged(database, "the images of version \(statement.int(0)) cannot be read")
        }
        entries.append(
          HistoryEntry(
            version: statement.unsigned(0),
            stamp: OriginStamp(timestamp: statement.unsigned(2), fileIdent: statement.unsigned(1)),
            instructions: try ChangesetCodec.decode(changeset).instructions,
            images: images
          )
        )
      }
      return entries
    }
  }
}

/// Deletion of old history.
extension ServerStore {
  /// Returns the version after which some client file needs the history; nil if none does. Files without queries do
  /// not need it: nothing is placed in their streams, and a client that has not returned since it got its ident may
  /// never return.
  ///
  /// - Parameter version: the oldest version that is kept for the sake of `KeptBatches`.
  public func oldestNeededVersion(keptBatchesFrom version: UInt64) throws -> UInt64? {
    let sql = """
      SELECT min(version) FROM (
        SELECT min(placed_version) AS version FROM flx_files WHERE query <> '{}'
        UNION ALL SELECT min(coalesce(needed_version, placed_version)) FROM flx_stream WHERE kind = 2
        UNION ALL SELECT min(needed_version) FROM flx_kept_batches WHERE needed_version >= ?1)
      """
    return try database.firstRow(sql, [version]) { $0.optionalUnsigned(0) } ?? nil
  }

  /// Deletes the oldest versions before a version. The newest version must stay, because it serves as the counter.
  ///
  /// - Returns: Whether there are more to delete.
  public func deleteHistory(before version: UInt64, maximumCount: Int) throws -> Bool {
    let sql = """
      DELETE FROM flx_history WHERE version < min(?1, ?2 + (SELECT min(version) FROM flx_history))
      """
    try database.run(sql, [version, maximumCount])
    return try database.firstRow("SELECT min(version) < ?1 FROM flx_history", [version]) { $0.flag(0) }
      ?? false
  }
}

/// The schema as the sequence of its declarations.
extension ServerStore {
  /// Returns the number of declarations.
  public func declarationCount() throws -> Int {
    Int(try database.integer("SELECT coalesce(max(ordinal), 0) FROM flx_declarations"))
  }

  /// Appends the declaration of a class or property.
  public func insertDeclaration(_ instruction: Instruction) throws {
    let encoded = ChangesetCodec.encode([instruction])
    try database.run("INSERT INTO flx_declarations (changeset) VALUES (?1)", [encoded])
  }

  /// Returns the declarations after the first `count`, in order.
  public func declarations(after count: Int) throws -> [Instruction] {
    let sql = "SELECT changeset FROM flx_declarations WHERE ordinal > ?1 ORDER BY ordinal"
    return try database.rows(sql, [count]) { try ChangesetCodec.decode($0.blob(0)).instructions }.flatMap(
      \.self
    )
  }
}
