// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// What the server knows of one client file (protocol §5.3).
public struct ClientFileRecord: Hashable, Sendable {
  /// The file ident. 1 is the server's own.
  public let ident: UInt64
  public let salt: Int64
  public let userID: String
  /// The upload cursor: everything of the client up to this client version is integrated.
  public var uploadClientVersion: UInt64 = 0
  /// The upload cursor: what the client had integrated at that client version. Acknowledges stream entries.
  public var uploadServerVersion: UInt64 = 0
  /// Stream entries up to this version are forgotten.
  public var trimmedVersion: UInt64 = 0
  /// The last version that was assigned to a stream entry.
  public var streamHead: UInt64 = 0
  /// The stream covers the history up to this version.
  public var placedVersion: UInt64 = 0
  /// How many of the schema's declarations the client has been told.
  public var declarationCount = 0
  /// The query whose view the stream follows, and its version.
  public var queryVersion: UInt64 = 0
  public var query = "{}"
  /// What the user may see of the classes in the query, as the view has it: the JSON text, `{}` for everything.
  public var permissions = "{}"
  /// What the user might see later, in the part of the history that the stream does not cover yet: the JSON text of the
  /// permissions that came into force, each with the version since which it was so; `[]` for no others.
  public var passedPermissions = "[]"
  /// Seconds since 1970.
  public var lastSeen: Int64
  /// Whether the client may have written objects under this ident.
  public var hasWritten = false
  /// The salt of the file that the client has copied its state from; nil if it began with nothing.
  public var sourceSalt: Int64?

  /// The ident that stands for the server as author; the smallest of all (protocol §5.4).
  public static let serverIdent: UInt64 = 1
}

extension ServerStore {
  /// Allocates a file. Idents are never used twice.
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
    let ident: UInt64 = try database.withStatement(sql) { statement in
      statement.bind(salt, at: 1)
      statement.bind(userID, at: 2)
      statement.bind(placedVersion, at: 3)
      statement.bind(now, at: 4)
      _ = try statement.step()
      let ident = statement.unsigned(0)
      while try statement.step() {}
      return ident
    }
    var file = ClientFileRecord(ident: ident, salt: salt, userID: userID, lastSeen: now)
    file.placedVersion = placedVersion
    return file
  }

  /// The file with an ident.
  public func file(ident: UInt64) throws -> ClientFileRecord? {
    let sql = """
      SELECT salt, user_id, upload_client_version, upload_server_version, trimmed_version, stream_head,
        placed_version, declaration_count, query_version, query, last_seen, permissions, has_written, source_salt,
        passed_permissions
      FROM flx_files WHERE ident = ?1
      """
    return try database.withStatement(sql) { statement in
      statement.bind(ident, at: 1)
      guard try statement.step() else { return nil }
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
      file.hasWritten = statement.int(12) != 0
      file.sourceSalt = statement.isNull(13) ? nil : statement.int(13)
      file.passedPermissions = statement.text(14)
      return file
    }
  }

  /// The file with a salt, which nobody can guess.
  public func file(salt: Int64) throws -> ClientFileRecord? {
    let ident: UInt64? = try database.withStatement("SELECT ident FROM flx_files WHERE salt = ?1 LIMIT 1") {
      statement in
      statement.bind(salt, at: 1)
      return try statement.step() ? statement.unsigned(0) : nil
    }
    return try ident.flatMap { try file(ident: $0) }
  }

  /// The files of a user, ascending.
  public func fileIdents(of userID: String) throws -> [UInt64] {
    try database.withStatement("SELECT ident FROM flx_files WHERE user_id = ?1 ORDER BY ident") { statement in
      statement.bind(userID, at: 1)
      var idents: [UInt64] = []
      while try statement.step() { idents.append(statement.unsigned(0)) }
      return idents
    }
  }

  /// The next files with subscriptions, ascending.
  public func subscribedFileIdents(after ident: UInt64, maximumCount: Int) throws -> [UInt64] {
    let sql = "SELECT ident FROM flx_files WHERE ident > ?1 AND query <> '{}' ORDER BY ident LIMIT ?2"
    return try database.withStatement(sql) { statement in
      statement.bind(ident, at: 1)
      statement.bind(Int64(maximumCount), at: 2)
      var idents: [UInt64] = []
      while try statement.step() { idents.append(statement.unsigned(0)) }
      return idents
    }
  }

  /// Stores what has changed about a file.
  public func update(_ file: ClientFileRecord) throws {
    CrashPoint.reached(.serverBeforeCursors)
    let sql = """
      UPDATE flx_files SET upload_client_version = ?2, upload_server_version = ?3, trimmed_version = ?4,
        stream_head = ?5, placed_version = ?6, declaration_count = ?7, query_version = ?8, query = ?9,
        last_seen = ?10, permissions = ?11, has_written = ?12, source_salt = ?13,
        passed_permissions = ?14
      WHERE ident = ?1
      """
    try database.withStatement(sql) { statement in
      statement.bind(file.ident, at: 1)
      statement.bind(file.uploadClientVersion, at: 2)
      statement.bind(file.uploadServerVersion, at: 3)
      statement.bind(file.trimmedVersion, at: 4)
      statement.bind(file.streamHead, at: 5)
      statement.bind(file.placedVersion, at: 6)
      statement.bind(Int64(file.declarationCount), at: 7)
      statement.bind(file.queryVersion, at: 8)
      statement.bind(file.query, at: 9)
      statement.bind(file.lastSeen, at: 10)
      statement.bind(file.permissions, at: 11)
      statement.bind(file.hasWritten ? 1 as Int64 : 0, at: 12)
      if let sourceSalt = file.sourceSalt { statement.bind(sourceSalt, at: 13) }
      statement.bind(file.passedPermissions, at: 14)
      try statement.run()
    }
    CrashPoint.reached(.serverAfterCursors)
  }

  /// Forgets some files that were last seen before a time, in seconds since 1970, with their streams.
  ///
  /// - Returns: Whether there may be more.
  public func deleteFiles(lastSeenBefore time: Int64, maximumCount: Int) throws -> Bool {
    let sql = "SELECT ident FROM flx_files WHERE last_seen < ?1 ORDER BY ident LIMIT ?2"
    let expired = try database.withStatement(sql) { statement in
      statement.bind(time, at: 1)
      statement.bind(Int64(maximumCount), at: 2)
      var idents: [UInt64] = []
      while try statement.step() { idents.append(statement.unsigned(0)) }
      return idents
    }
    for ident in expired { try deleteFile(ident: ident) }
    return expired.count == maximumCount
  }

  /// Forgets files of a user until the user has fewer than a number of them, some at a time: first those that were never
  /// used, since nothing is lost with them, then those that were seen the longest ago.
  ///
  /// A file is used when something of it was uploaded, or when it has had subscriptions.
  ///
  /// - Parameter isKept: whether a file must not be forgotten.
  /// - Returns: the forgotten files, and whether the user has fewer than that number now.
  public func makeRoomForFile(
    of userID: String,
    maximumCount: Int,
    keeping isKept: (UInt64) -> Bool
  ) throws -> (forgotten: [UInt64], hasRoom: Bool) {
    let count = try database.withStatement("SELECT count(*) FROM flx_files WHERE user_id = ?1") { statement in
      statement.bind(userID, at: 1)
      return try statement.step() ? Int(statement.int(0)) : 0
    }
    let excess = count - maximumCount + 1
    guard excess > 0 else { return ([], true) }
    let sql = """
      SELECT ident FROM flx_files WHERE user_id = ?1
      ORDER BY upload_client_version > 0 OR query_version > 0, last_seen, ident
      """
    let wanted = min(excess, ServerStore.forgottenFileCount)
    let forgotten = try database.withStatement(sql) { statement in
      statement.bind(userID, at: 1)
      var idents: [UInt64] = []
      while idents.count < wanted, try statement.step() {
        if !isKept(statement.unsigned(0)) { idents.append(statement.unsigned(0)) }
      }
      return idents
    }
    for ident in forgotten { try deleteFile(ident: ident) }
    return (forgotten, forgotten.count >= excess || forgotten.count == ServerStore.forgottenFileCount)
  }

  /// How many files of a user are forgotten at a time: more than one, so that a limit that was lowered is reached.
  private static let forgottenFileCount = 8

  /// Forgets a file with its stream.
  func deleteFile(ident: UInt64) throws {
    for sql in [
      "DELETE FROM flx_stream WHERE file = ?1", "DELETE FROM flx_reciprocals WHERE file = ?1",
      "DELETE FROM flx_files WHERE ident = ?1",
    ] {
      try database.withStatement(sql) { statement in
        statement.bind(ident, at: 1)
        try statement.run()
      }
    }
  }
}
