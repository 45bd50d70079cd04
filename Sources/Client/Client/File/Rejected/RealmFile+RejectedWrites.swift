// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Rejected writes: stored in the transaction that reverts them, kept until the app resubmits or discards them.
extension RealmFile {
  private static let columns = """
    id, class, key, state, reason, written, rejected, length(changeset), error_code, error_text, log_url, server_version
    """

  /// Returns the rejected writes, oldest first.
  public func rejectedWrites() throws -> [RejectedWrite] {
    try database.rows("SELECT \(Self.columns) FROM flx_rejected_writes ORDER BY id") { try rejectedWrite($0) }
  }

  /// Returns a rejected write and its instructions; nil if there is none with that id.
  func rejectedWrite(_ id: Int64) throws -> (write: RejectedWrite, instructions: [Instruction])? {
    let sql = "SELECT \(Self.columns), changeset FROM flx_rejected_writes WHERE id = ?1"
    return try database.withStatement(sql) { statement in
      statement.bind(id, at: 1)
      guard try statement.step() else { return nil }
      return (try rejectedWrite(statement), try decodeRejected(statement.blob(12)))
    }
  }

  private func rejectedWrite(_ statement: Statement) throws -> RejectedWrite {
    guard let key = KeyCoding.decode(statement.blob(2)),
      let state = RejectedWrite.State(rawValue: statement.int(3))
    else { throw damaged("the rejected write \(statement.int(0)) cannot be read") }
    return RejectedWrite(
      id: statement.int(0),
      object: ObjectReference(table: statement.text(1), key: key),
      reason: statement.text(4),
      state: state,
      writtenAt: statement.unsigned(5),
      rejectedAt: statement.unsigned(6),
      hasChanges: statement.int(7) > 0
    )
  }

  private func decodeRejected(_ bytes: [UInt8]) throws -> [Instruction] {
    do {
      return try ChangesetCodec.decode(bytes).instructions
    } catch {
      throw damaged("the changes of a rejected write cannot be read: \(error)")
    }
  }

  func damaged(_ what: String) -> StorageError {
    StorageError(
      kind: .corrupt,
      message:
        "'\(database.path)' is damaged: \(what.clause). Delete the file to download the server's data again."
    )
  }

  // MARK: Discarding

  /// Deletes a rejected write.
  ///
  /// - Returns: whether there was one with that id.
  public func discardRejectedWrite(_ id: Int64) throws -> Bool {
    try database.write {
      try database.withStatement("DELETE FROM flx_rejected_writes WHERE id = ?1") {
        $0.bind(id, at: 1)
        return try runChangingRejectedWrites($0)
      }
    }
  }

  /// Deletes the oldest rejected writes beyond the limits, except those that have not been reported to the app.
  func limitRejectedWrites() throws {
    let sql = """
      DELETE FROM flx_rejected_writes WHERE is_told AND id IN (
        SELECT id FROM (
          SELECT id, row_number() OVER newest AS position, sum(length(changeset)) OVER newest AS bytes
          FROM flx_rejected_writes WINDOW newest AS (ORDER BY id DESC))
        WHERE position > ?1 OR bytes > ?2)
      """
    try database.withStatement(sql) {
      $0.bind(Int64(rejectedWriteLimits.count), at: 1)
      $0.bind(Int64(rejectedWriteLimits.byteCount), at: 2)
      try runChangingRejectedWrites($0)
    }
  }

  /// Runs a statement that changes the result of `rejectedWrites`.
  ///
  /// - Returns: whether it changed any row.
  @discardableResult
  func runChangingRejectedWrites(_ statement: Statement) throws -> Bool {
    try statement.run()
    guard database.changedRowCount > 0 else { return false }
    hasChangedRejectedWrites = true
    return true
  }

  // MARK: Telling

  /// Returns the rejected writes that have not been reported to the app, oldest first.
  public func untoldRejections() throws -> [UntoldRejection] {
    guard mayHaveUntoldRejections else { return [] }
    let sql = "SELECT \(Self.columns) FROM flx_rejected_writes WHERE NOT is_told ORDER BY id"
    let rejections = try database.withStatement(sql) { statement in
      var rejections: [UntoldRejection] = []
      while try statement.step() {
        let write = try rejectedWrite(statement)
        let error = RejectionError(
          code: statement.int(8),
          message: statement.text(9),
          logURL: statement.text(10)
        )
        let serverVersion = statement.unsigned(11)
        if let last = rejections.last, last.error == error, last.serverVersion == serverVersion {
          rejections[rejections.count - 1].writes.append(write)
        } else {
          rejections.append(UntoldRejection(error: error, serverVersion: serverVersion, writes: [write]))
        }
      }
      return rejections
    }
    mayHaveUntoldRejections = !rejections.isEmpty
    return rejections
  }

  /// Marks rejected writes as reported to the app.
  public func noteTold(_ rejection: UntoldRejection) throws {
    try database.write {
      for write in rejection.writes {
        try database.run("UPDATE flx_rejected_writes SET is_told = 1 WHERE id = ?1", [write.id])
      }
      try limitRejectedWrites()
    }
  }
}
