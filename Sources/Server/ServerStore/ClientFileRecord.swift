// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// The server's record of one client file (protocol §5.3).
public struct ClientFileRecord: Hashable, Sendable {
  /// The client file ident. 1 is the server's own.
  public let ident: UInt64
  public let salt: Int64
  public let userID: String
  /// The upload cursor: all changes of the client up to this client version are integrated.
  public var uploadClientVersion: UInt64 = 0
  /// The upload cursor: the server version that the client had integrated at that client version. Acknowledges stream
  /// entries.
  public var uploadServerVersion: UInt64 = 0
  /// The version up to which stream entries have been deleted.
  public var trimmedVersion: UInt64 = 0
  /// The last version assigned to a stream entry.
  public var streamHead: UInt64 = 0
  /// The version of the history up to which the stream is complete.
  public var placedVersion: UInt64 = 0
  /// The number of the schema's declarations that have been sent to the client.
  public var declarationCount = 0
  /// The version of the query whose view the stream follows, and the query itself.
  public var queryVersion: UInt64 = 0
  public var query = "{}"
  /// The user's permissions for the classes in the query, as applied to the view: JSON text, with `{}` for full
  /// access.
  public var permissions = "{}"
  /// Permissions that came into force later, in the part of the history that the stream does not cover yet: JSON text
  /// with each of them and the version since which it has applied; `[]` if there are none.
  public var passedPermissions = "[]"
  /// When the client was last connected without having to acknowledge anything, or last acknowledged something; in
  /// seconds since 1970.
  public var lastSeen: Int64
  /// Whether the client may have written objects under this ident.
  public var hasWritten = false
  /// The salt of the client file that the client copied its state from; nil if it started empty.
  public var sourceSalt: Int64?

  /// The ident that denotes the server as author; the smallest of all (protocol §5.4).
  public static let serverIdent: UInt64 = 1
}

extension ServerStore {
  /// Allocates a client file. Idents are never reused.
  ///
  /// - Parameter now: Seconds since 1970.
  public func insertFile(userID: String, salt: Int64, placedVersion: UInt64, now: Int64) throws
    -> ClientFileRecord
  {
    let sql = """
      INSERT INTO flx_files (ident, salt, user_id, placed_version, last_seen, has_written)
      VALUES (max(2, 1 + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'flx_files'), 0)), ?1, ?2, ?3, ?4, 0)
      RETURNING ident
      """
    let ident = try database.rows(sql, [salt, userID, placedVersion, now]) { $0.unsigned(0) }[0]
    var file = ClientFileRecord(ident: ident, salt: salt, userID: userID, lastSeen: now)
    file.placedVersion = placedVersion
    return file
  }

  /// Returns the client file with an ident.
  public func file(ident: UInt64) throws -> ClientFileRecord? {
    let sql = """
      SELECT salt, user_id, upload_client_version, upload_server_version, trimmed_version, stream_head,
        placed_version, declaration_count, query_version, query, last_seen, permissions, has_written, source_salt,
        passed_permissions
      FROM flx_files WHERE ident = ?1
      """
    return try database.firstRow(sql, [ident]) { statement in
      var file = ClientFileRecord(
        ident: ident,
        salt: statement.int(0),
        userID: statement.text(1),
        lastSeen: statement.int(10)
      )
      file.uploadClientVersion = statement.unsigned(2)
      file.uploadServerVersion = statement.unsigned(3)
      file.trimmedVersion = statement.unsigned(4)
      file.streamHead = statement.unsigned(5)
      file.placedVersion = statement.unsigned(6)
      file.declarationCount = Int(statement.int(7))
      file.queryVersion = statement.unsigned(8)
      file.query = statement.text(9)
      file.permissions = statement.text(11)
      file.hasWritten = statement.flag(12)
      file.sourceSalt = statement.optionalInt(13)
      file.passedPermissions = statement.text(14)
      return file
    }
  }

  /// Returns the client file with a salt, which cannot be guessed.
  public func file(salt: Int64) throws -> ClientFileRecord? {
    try fileIdents("WHERE salt = ?1 LIMIT 1", [salt]).first.flatMap { try file(ident: $0) }
  }

  /// Returns the idents of a user's client files, in ascending order.
  public func fileIdents(of userID: String) throws -> [UInt64] {
    try fileIdents("WHERE user_id = ?1 ORDER BY ident", [userID])
  }

  /// Returns some of the different subscription sets of client files, each with the number of files that have it.
  public func subscriptionSets(maximumCount: Int) throws -> [(body: String, fileCount: Int)] {
    let sql = "SELECT query, count(*) FROM flx_files WHERE query <> '{}' GROUP BY query LIMIT ?1"
    return try database.rows(sql, [maximumCount]) { ($0.text(0), Int($0.int(1))) }
  }

  /// Returns the next idents of client files with subscriptions, in ascending order.
  public func subscribedFileIdents(after ident: UInt64, maximumCount: Int) throws -> [UInt64] {
    try fileIdents("WHERE ident > ?1 AND query <> '{}' ORDER BY ident LIMIT ?2", [ident, maximumCount])
  }

  private func fileIdents(_ clauses: String, _ values: [any StatementValue]) throws -> [UInt64] {
    try database.rows("SELECT ident FROM flx_files \(clauses)", values) { $0.unsigned(0) }
  }

  /// Stores the changes to a client file.
  public func update(_ file: ClientFileRecord) throws {
    CrashPoint.reached(.serverBeforeCursors)
    let sql = """
      UPDATE flx_files SET upload_client_version = ?2, upload_server_version = ?3, trimmed_version = ?4,
        stream_head = ?5, placed_version = ?6, declaration_count = ?7, query_version = ?8, query = ?9,
        last_seen = ?10, permissions = ?11, has_written = ?12, source_salt = ?13,
        passed_permissions = ?14
      WHERE ident = ?1
      """
    try database.run(
      sql,
      [
        file.ident, file.uploadClientVersion, file.uploadServerVersion, file.trimmedVersion, file.streamHead,
        file.placedVersion, file.declarationCount, file.queryVersion, file.query, file.lastSeen,
        file.permissions, file.hasWritten, file.sourceSalt, file.passedPermissions,
      ]
    )
    CrashPoint.reached(.serverAfterCursors)
  }

  /// Deletes a batch of client files, with their streams, that were last seen before a time in seconds since 1970.
  ///
  /// - Returns: Whether there may be more.
  public func deleteFiles(lastSeenBefore time: Int64, maximumCount: Int) throws -> Bool {
    let expired = try fileIdents("WHERE last_seen < ?1 ORDER BY ident LIMIT ?2", [time, maximumCount])
    for ident in expired { try deleteFile(ident: ident) }
    return expired.count == maximumCount
  }

  /// Deletes client files of a user, in batches, until the number of files is below a limit: first those that were
  /// never used, since nothing is lost with them, then those not seen for the longest time.
  ///
  /// A file counts as used if the client has uploaded anything from it or if it has had subscriptions.
  ///
  /// - Parameter isKept: Returns whether a file must be kept.
  /// - Returns: The deleted files, and whether a file may be added now: the number is below the limit, or a full
  ///   batch was deleted.
  public func makeRoomForFile(of userID: String, maximumCount: Int, keeping isKept: (UInt64) -> Bool) throws
    -> (forgotten: [UInt64], hasRoom: Bool)
  {
    let sql = "SELECT count(*) FROM flx_files WHERE user_id = ?1"
    let count = try database.firstRow(sql, [userID]) { Int($0.int(0)) } ?? 0
    let excess = count - maximumCount + 1
    guard excess > 0 else { return ([], true) }
    let idents = try fileIdents(
      "WHERE user_id = ?1 ORDER BY upload_client_version > 0 OR query_version > 0, last_seen, ident",
      [userID]
    )
    let wanted = min(excess, ServerStore.forgottenFileCount)
    var forgotten: [UInt64] = []
    for ident in idents where forgotten.count < wanted && !isKept(ident) { forgotten.append(ident) }
    for ident in forgotten { try deleteFile(ident: ident) }
    return (forgotten, forgotten.count >= excess || forgotten.count == ServerStore.forgottenFileCount)
  }

  /// The number of files of a user deleted per batch. More than one, so that the count converges to a limit that was
  /// lowered.
  private static let forgottenFileCount = 8

  /// Deletes a client file with its stream.
  func deleteFile(ident: UInt64) throws {
    try database.run("DELETE FROM flx_stream WHERE file = ?1", [ident])
    try database.run("DELETE FROM flx_reciprocals WHERE file = ?1", [ident])
    try database.run("DELETE FROM flx_kept_batches WHERE file = ?1", [ident])
    try database.run("DELETE FROM flx_files WHERE ident = ?1", [ident])
  }
}
