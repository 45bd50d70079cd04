// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// An entry placed in the stream of a client file (protocol §5.3).
public struct StreamEntry: Hashable, Sendable {
  /// The kind of an entry.
  public enum Kind: Hashable, Sendable {
    /// An ordinary change, with the version of the history it comes from; nil if the server made the entry itself.
    case steady(historyVersion: UInt64?)
    /// A bootstrap whose entire content is the entry's changeset, which is sent again unchanged.
    case inlineBootstrap(queryVersion: UInt64)
    /// A bootstrap whose content is derived from the views and the state at a version of the history.
    case bootstrap(BootstrapRecord)
  }

  /// The version in the file's stream.
  public var version: UInt64
  public var kind: Kind

  /// Whether the entry is an ordinary change.
  public var isSteady: Bool {
    if case .steady = kind { true } else { false }
  }

  /// The newest client version that was integrated when the entry was placed.
  public var base: UInt64
  public var stamp: OriginStamp
  /// The encoded instructions, as sent.
  public var changeset: [UInt8]
  /// The JSON text of the error sent with the entry if it is a compensating write.
  public var rejection: String?

  public init(version: UInt64, kind: Kind, base: UInt64, stamp: OriginStamp, changeset: [UInt8]) {
    self.version = version
    self.kind = kind
    self.base = base
    self.stamp = stamp
    self.changeset = changeset
  }
}

/// The description of a placed bootstrap.
public struct BootstrapRecord: Hashable, Sendable {
  /// The version of the history whose state the bootstrap shows.
  public var placedVersion: UInt64
  /// The body of the query set that was active before.
  public var oldQuery: String
  /// The body of the query set that the bootstrap activates.
  public var query: String
  public var queryVersion: UInt64
  /// The user's permissions before the bootstrap and with it; see `ClientFileRecord.permissions`.
  public var oldPermissions = "{}"
  public var permissions = "{}"
  /// The bootstraps that this one replaces, if the client may have received a part of them, as JSON text; empty if
  /// there are none.
  public var begun = ""
  /// The oldest version of the history needed to use `begun`; it and all later versions are kept.
  public var neededVersion: UInt64

  public init(placedVersion: UInt64, oldQuery: String, query: String, queryVersion: UInt64) {
    self.placedVersion = placedVersion
    self.oldQuery = oldQuery
    self.query = query
    self.queryVersion = queryVersion
    neededVersion = placedVersion
  }
}

/// The remainder of the part of an entry that concerns one object, after merges with the client's uploads (protocol
/// §7.2).
public struct ObjectReciprocal: Hashable, Sendable {
  public var version: UInt64
  public var object: ObjectReference
  /// The encoded instructions.
  public var changeset: [UInt8]

  public init(version: UInt64, object: ObjectReference, changeset: [UInt8]) {
    self.version = version
    self.object = object
    self.changeset = changeset
  }
}

extension ServerStore {
  /// Places an entry in the stream of a client file.
  public func insert(_ entry: StreamEntry, file: UInt64) throws {
    let sql = """
      INSERT INTO flx_stream (file, version, kind, base, timestamp, origin, changeset, rejection,
        placed_version, old_query, query, query_version, old_permissions, permissions, begun, needed_version)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
      """
    let (kind, content) = ServerStore.values(entry.kind)
    try database.run(
      sql,
      [
        file, entry.version, kind, entry.base, entry.stamp.timestamp, entry.stamp.fileIdent, entry.changeset,
        entry.rejection,
      ] + content
    )
  }

  /// Copies the entries in a range of versions from one client file's stream to that of another file, whose client
  /// has not written anything.
  public func copyStream(of source: UInt64, after version: UInt64, through last: UInt64, to file: UInt64)
    throws
  {
    let sql = """
      INSERT INTO flx_stream (file, version, kind, base, timestamp, origin, changeset,
        placed_version, old_query, query, query_version, old_permissions, permissions, begun, needed_version)
      SELECT ?3, version, kind, 0, timestamp, origin, changeset,
        placed_version, old_query, query, query_version, old_permissions, permissions, begun, needed_version
      FROM flx_stream WHERE file = ?1 AND version > ?2 AND version <= ?4
      """
    try database.run(sql, [source, version, file, last])
  }

  /// Returns the number of a kind, and the values of the columns from `placed_version` on, as far as it has any.
  private static func values(_ kind: StreamEntry.Kind) -> (kind: Int, content: [any StatementValue]) {
    let none: String? = nil
    switch kind {
    case .steady(let historyVersion): return (0, [historyVersion])
    case .inlineBootstrap(let queryVersion): return (1, [none, none, none, queryVersion])
    case .bootstrap(let record):
      let content: [any StatementValue] = [
        record.placedVersion, record.oldQuery, record.query, record.queryVersion, record.oldPermissions,
        record.permissions, record.begun, record.neededVersion,
      ]
      return (2, content)
    }
  }

  /// Returns the entries after a version and through another in ascending order, as many as fit into a number of
  /// bytes. At least one entry is returned if there is any.
  public func streamEntries(
    file: UInt64,
    after version: UInt64,
    through last: UInt64 = UInt64(Int64.max),
    maximumByteCount: Int = .max
  ) throws -> [StreamEntry] {
    let sql = """
      SELECT version, kind, base, timestamp, origin, changeset, rejection, placed_version, old_query,
        query, query_version, old_permissions, permissions, begun, needed_version
      FROM flx_stream WHERE file = ?1 AND version > ?2 AND version <= ?3 ORDER BY version
      """
    return try database.withStatement(sql) { statement in
      statement.bind(file, at: 1)
      statement.bind(version, at: 2)
      statement.bind(last, at: 3)
      var entries: [StreamEntry] = []
      var byteCount = 0
      while try statement.step() {
        let entry = ServerStore.streamEntry(statement)
        byteCount += entry.changeset.count
        if byteCount > maximumByteCount, !entries.isEmpty { break }
        entries.append(entry)
      }
      return entries
    }
  }

  /// Returns the entry at a version.
  public func streamEntry(file: UInt64, version: UInt64) throws -> StreamEntry? {
    let entry = try streamEntries(file: file, after: version - 1, maximumByteCount: 0).first
    return entry?.version == version ? entry : nil
  }

  /// Returns the oldest bootstrap after a version, ignoring those whose content is stored.
  public func firstBootstrap(file: UInt64, after version: UInt64) throws -> (
    version: UInt64, record: BootstrapRecord
  )? {
    let sql = """
      SELECT version, placed_version, old_query, query, query_version, old_permissions, permissions, begun,
        needed_version
      FROM flx_stream WHERE file = ?1 AND version > ?2 AND kind = 2 ORDER BY version LIMIT 1
      """
    return try database.firstRow(sql, [file, version]) { row in
      (row.unsigned(0), ServerStore.bootstrapRecord(row, from: 1))
    }
  }

  /// Returns all bootstraps from a version on, in order, ignoring those whose content is stored.
  public func bootstraps(file: UInt64, from version: UInt64) throws -> [BootstrapRecord] {
    var records: [BootstrapRecord] = []
    var last = version - 1
    while let bootstrap = try firstBootstrap(file: file, after: last) {
      records.append(bootstrap.record)
      last = bootstrap.version
    }
    return records
  }

  /// Returns whether a stream has entries, which are deleted when they are acknowledged.
  public func hasStreamEntries(file: UInt64) throws -> Bool {
    try database.firstRow("SELECT 1 FROM flx_stream WHERE file = ?1 LIMIT 1", [file]) { _ in true } ?? false
  }

  /// Returns the errors sent with the entries from a version on, in order.
  public func rejections(file: UInt64, from version: UInt64) throws -> [String] {
    let sql = """
      SELECT rejection FROM flx_stream WHERE file = ?1 AND version >= ?2 AND rejection IS NOT NULL ORDER BY version
      """
    return try database.rows(sql, [file, version]) { $0.text(0) }
  }

  private static func streamEntry(_ statement: Statement) -> StreamEntry {
    let kind: StreamEntry.Kind =
      switch statement.int(1) {
      case 0: .steady(historyVersion: statement.optionalUnsigned(7))
      case 1: .inlineBootstrap(queryVersion: statement.unsigned(10))
      default: .bootstrap(bootstrapRecord(statement, from: 7))
      }
    var entry = StreamEntry(
      version: statement.unsigned(0),
      kind: kind,
      base: statement.unsigned(2),
      stamp: OriginStamp(timestamp: statement.unsigned(3), fileIdent: statement.unsigned(4)),
      changeset: statement.blob(5)
    )
    entry.rejection = statement.optionalText(6)
    return entry
  }

  /// - Parameter first: The column of `placed_version`, which the others follow.
  private static func bootstrapRecord(_ statement: Statement, from first: Int32) -> BootstrapRecord {
    var record = BootstrapRecord(
      placedVersion: statement.unsigned(first),
      oldQuery: statement.text(first + 1),
      query: statement.text(first + 2),
      queryVersion: statement.unsigned(first + 3)
    )
    record.oldPermissions = statement.optionalText(first + 4) ?? "{}"
    record.permissions = statement.optionalText(first + 5) ?? "{}"
    record.begun = statement.optionalText(first + 6) ?? ""
    record.neededVersion = statement.optionalUnsigned(first + 7) ?? record.placedVersion
    return record
  }

  /// Returns the remainders of a file's entries after merges, for the objects that uploads have touched since.
  public func objectReciprocals(file: UInt64) throws -> [ObjectReciprocal] {
    let sql = "SELECT version, class, key, changeset FROM flx_reciprocals WHERE file = ?1"
    return try database.rows(sql, [file]) { row in
      guard let key = KeyCoding.decode(row.blob(2)) else {
        throw StorageError.damaged(database, "a key in a stream cannot be read")
      }
      return ObjectReciprocal(
        version: row.unsigned(0),
        object: ObjectReference(table: row.text(1), key: key),
        changeset: row.blob(3)
      )
    }
  }

  /// Stores the remainder of an entry for one object after a merge.
  public func set(_ reciprocal: ObjectReciprocal, file: UInt64) throws {
    let sql = "INSERT OR REPLACE INTO flx_reciprocals VALUES (?1, ?2, ?3, ?4, ?5)"
    let object = reciprocal.object
    let key = KeyCoding.encode(object.key)
    try database.run(sql, [file, reciprocal.version, object.table, key, reciprocal.changeset])
  }

  /// Replaces the changeset of the entry at a version, which the client must not have seen.
  public func replaceChangeset(_ changeset: [UInt8], file: UInt64, version: UInt64) throws {
    let sql = "UPDATE flx_stream SET changeset = ?3 WHERE file = ?1 AND version = ?2"
    try database.run(sql, [file, version, changeset])
  }

  /// Deletes the entries up to a version, which the client has acknowledged.
  public func trimStream(file: UInt64, through version: UInt64) throws {
    try deleteStream(where: "file = ?1 AND version <= ?2", [file, version])
  }

  /// Deletes the entries from a version on, which the client has not seen and will not see.
  ///
  /// - Parameter last: The last entry to delete; nil for the end of the stream.
  public func dropStream(file: UInt64, from version: UInt64, through last: UInt64? = nil) throws {
    try deleteStream(
      where: "file = ?1 AND version BETWEEN ?2 AND ?3",
      [file, version, last ?? UInt64(Int64.max)]
    )
  }

  /// Deletes entries that were placed after the end of a file's stream and never became part of it.
  public func dropUnfinished(_ file: ClientFileRecord) throws {
    try dropStream(file: file.ident, from: file.streamHead + 1)
  }

  private func deleteStream(where condition: String, _ values: [any StatementValue]) throws {
    for table in ["flx_stream", "flx_reciprocals"] {
      try database.run("DELETE FROM \(table) WHERE \(condition)", values)
      CrashPoint.reached(.serverInsideTrimming)
    }
  }
}
