// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStore
import FlexSyncWire

/// Local changes: recorded in the same transaction as the objects, uploaded unchanged later (protocol §5.2).
extension RealmFile {
  /// Adds the changes of the open write transaction to the history. Call it last before the commit; without changes
  /// it does nothing.
  ///
  /// - Parameters:
  ///   - instructions: the changes to the objects, in order. For a local realm they only advance the version.
  ///   - timestamp: milliseconds since 2015-01-01T00:00:00Z.
  /// - Returns: the client version after the commit.
  /// - Throws: `StorageError` of kind `tooLarge` for a changeset that the protocol cannot carry.
  @discardableResult
  public func recordLocalChanges(_ instructions: [Instruction], timestamp: UInt64) throws -> UInt64 {
    try ChangesetCodec.encode(instructions).withUnsafeBufferPointer {
      try recordLocalChanges($0, timestamp: timestamp)
    }
  }

  /// The same for a changeset, which is empty if nothing has changed.
  @discardableResult
  func recordLocalChanges(_ bytes: UnsafeBufferPointer<UInt8>, timestamp: UInt64) throws -> UInt64 {
    try database.requireWrite()
    guard !bytes.isEmpty else { return try clientVersion() }
    guard owner != .local else { return try advanceClientVersion() }
    guard bytes.count <= Changeset.longestByteCount else {
      throw StorageError(
        kind: .tooLarge,
        message: "A write transaction on '\(database.path)' has \(bytes.count) bytes of changes; at most "
          + "\(Changeset.longestByteCount) can be synced at a time. Use several transactions."
      )
    }
    let version = try clientVersion() + 1
    let packed = PackedChangeset.compressed(UnsafeRawBufferPointer(bytes))
    CrashPoint.reached(.clientBeforeHistoryAppend)
    let sql = """
      INSERT INTO flx_history (version, base_server_version, timestamp, changeset, byte_count)
      VALUES (?1, (SELECT download_server_version FROM flx_metadata), ?2, ?3, ?4)
      """
    try database.withStatement(sql) {
      $0.bind(version, at: 1)
      $0.bind(timestamp, at: 2)
      if let packed { $0.bind(packed, at: 3) } else { $0.bindBlob(UnsafeRawBufferPointer(bytes), at: 3) }
      if packed != nil { $0.bind(Int64(bytes.count), at: 4) } else { $0.bindNull(at: 4) }
      try $0.run()
    }
    CrashPoint.reached(.clientAfterHistoryAppend)
    return version
  }

  /// Returns the local changesets after a client version, oldest first, until their sizes exceed the limit, but at
  /// least one if any exist. They are the originals, never transformed. Also returns the position up to which the
  /// history has been read.
  public func uploads(after clientVersion: UInt64, byteLimit: Int) throws
    -> (entries: [UploadEntry], scannedTo: UploadCursor)
  {
    try database.read {
      let (entries, isCut) = try outgoing(after: clientVersion, byteLimit: byteLimit)
      let (newest, base) =
        if isCut, let last = entries.last {
          (last.clientVersion, last.serverVersion)
        } else {
          (try self.clientVersion(), try progress().download.serverVersion)
        }
      return (entries, UploadCursor(clientVersion: newest, serverVersion: base))
    }
  }

  /// Returns the version of the newest local change that the server has not acknowledged; nil if there is none.
  public func newestPendingUpload() throws -> UInt64? {
    let sql = """
      SELECT max(version) FROM flx_history WHERE version > (SELECT upload_client_version FROM flx_metadata)
      """
    return try database.withStatement(sql) { try $0.step() && !$0.isNull(0) ? $0.unsigned(0) : nil }
  }

  /// Whether there are local changes up to a client version that the server has not acknowledged.
  func hasPendingUpload(through clientVersion: UInt64) throws -> Bool {
    let sql = """
      SELECT EXISTS (SELECT 1 FROM flx_history
        WHERE version > (SELECT upload_client_version FROM flx_metadata) AND version <= ?1)
      """
    return try database.firstRow(sql, [clientVersion]) { $0.flag(0) } ?? false
  }

  /// Returns the size in bytes of the local changes up to a client version that the server has not acknowledged.
  public func pendingUploadBytes(through clientVersion: UInt64) throws -> UInt64 {
    let sql = """
      SELECT ifnull(sum(ifnull(byte_count, length(changeset))), 0) FROM flx_history
      WHERE version > (SELECT upload_client_version FROM flx_metadata) AND version <= ?1
      """
    return try database.firstRow(sql, [min(clientVersion, UInt64(Int64.max))]) { $0.unsigned(0) } ?? 0
  }

  private func outgoing(after clientVersion: UInt64, byteLimit: Int) throws
    -> (entries: [UploadEntry], isCut: Bool)
  {
    let sql = """
      SELECT version, base_server_version, timestamp, changeset FROM flx_history WHERE version > ?1 ORDER BY version
      """
    return try database.withStatement(sql) { statement in
      statement.bind(clientVersion, at: 1)
      var entries: [UploadEntry] = []
      var byteCount = 0
      while try statement.step() {
        if byteCount > byteLimit { return (entries, true) }
        let entry = UploadEntry(
          clientVersion: statement.unsigned(0),
          serverVersion: statement.unsigned(1),
          timestamp: statement.unsigned(2),
          changeset: try statement.unpacked(3)
        )
        byteCount += entry.changeset.count
        entries.append(entry)
      }
      return (entries, false)
    }
  }
}
