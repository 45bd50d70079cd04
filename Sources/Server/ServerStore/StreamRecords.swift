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

  public init(
    version: UInt64,
    kind: Kind,
    base: UInt64,
    stamp: OriginStamp,
    changeset: [UInt8],
    rejection: String? = nil
  ) {
    self.version = version
    self.kind = kind
    self.base = base
    self.stamp = stamp
    self.changeset = changeset
    self.rejection = rejection
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
  public var oldPermissions: String
  public var permissions: String
  /// The bootstraps that this one replaces, if the client may have received a part of them, as JSON text; empty if
  /// there are none.
  public var begun: String
  /// The oldest version of the history needed to use `begun`; it and all later versions are kept.
  public var neededVersion: UInt64

  /// - Parameter neededVersion: nil for `placedVersion`.
  public init(
    placedVersion: UInt64,
    oldQuery: String,
    query: String,
    queryVersion: UInt64,
    oldPermissions: String = "{}",
    permissions: String = "{}",
    begun: String = "",
    neededVersion: UInt64? = nil
  ) {
    self.placedVersion = placedVersion
    self.oldQuery = oldQuery
    self.query = query
    self.queryVersion = queryVersion
    self.oldPermissions = oldPermissions
    self.permissions = permissions
    self.begun = begun
    self.neededVersion = neededVersion ?? placedVersion
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
    try database.withStatement(sql) { statement in
      statement.bind(file, at: 1)
      statement.bind(entry.version, at: 2)
      statement.bind(entry.base, at: 4)
      statement.bind(entry.stamp.timestamp, at: 5)
      statement.bind(entry.stamp.fileIdent, at: 6)
      statement.bind(entry.changeset, at: 7)
      statement.bind(entry.rejection, at: 8)
      bind(entry.kind, to: statement)
      try statement.run()
    }
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
    try database.withStatement(sql) { statement in
      statement.bind(source, at: 1)
      statement.bind(version, at: 2)
      statement.bind(file, at: 3)
      statement.bind(last, at: 4)
      try statement.run()
    }
  }

  private func bind(_ kind: StreamEntry.Kind, to statement: Statement) {
    switch kind {
    case .steady(let historyVersion):
      statement.bind(0 as Int64, at: 3)
      if let historyVersion { statement.bind(historyVersion, at: 9) }
    case .inlineBootstrap(let queryVersion):
      statement.bind(1 as Int64, at: 3)
      statement.bind(queryVersion, at: 12)
    case .bootstrap(let record):
      statement.bind(2 as Int64, at: 3)
      statement.bind(record.placedVersion, at: 9)
      statement.bind(record.oldQuery, at: 10)
      statement.bind(record.query, at: 11)
      statement.bind(record.queryVersion, at: 12)
      statement.bind(record.oldPermissions, at: 13)
      statement.bind(record.permissions, at: 14)
      statement.bind(record.begun, at: 15)
      statement.bind(record.neededVersion, at: 16)
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
    return try database.withStatement(sql) { statement in
      statement.bind(file, at: 1)
      statement.bind(version, at: 2)
      guard try statement.step() else { return nil }
      return (statement.unsigned(0), ServerStore.bootstrapRecord(statement, from: 1))
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

  /// Returns the errors sent with the entries from a version on, in order.
  public func rejections(file: UInt64, from version: UInt64) throws -> [String] {
    let sql = """
      SELECT rejection FROM flx_stream WHERE file = ?1 AND version >= ?2 AND rejection IS NOT NULL ORDER BY version
      """
    return try database.withStatement(sql) { statement in
      statement.bind(file, at: 1)
      statement.bind(version, at: 2)
      var rejections: [String] = []
      while try statement.step() { rejections.append(statement.text(0)) }
      return rejections
    }
  }

  private static func streamEntry(_ statement: Statement) -> StreamEntry {
    let kind: StreamEntry.Kind =
      switch statement.int(1) {
      case 0: .steady(historyVersion: statement.isNull(7) ? nil : statement.unsigned(7))
      case 1: .inlineBootstrap(queryVersion: statement.unsigned(10))
      default: .bootstrap(bootstrapRecord(statement, from: 7))
      }
    return StreamEntry(
      version: statement.unsigned(0),
      kind: kind,
      base: statement.unsigned(2),
      stamp: OriginStamp(timestamp: statement.unsigned(3), fileIdent: statement.unsigned(4)),
      changeset: statement.blob(5),
      rejection: statement.optionalText(6)
    )
  }

  /// - Parameter first: The column of `placed_version`, which the others follow.
  private static func bootstrapRecord(_ statement: Statement, from first: Int32) -> BootstrapRecord {
    BootstrapRecord(
      placedVersion: statement.unsigned(first),
      oldQuery: statement.text(first + 1),
      query: statement.text(first + 2),
      queryVersion: statement.unsigned(first + 3),
      oldPermissions: statement.optionalText(first + 4) ?? "{}",
      permissions: statement.optionalText(first + 5) ?? "{}",
      begun: statement.optionalText(first + 6) ?? "",
      neededVersion: statement.isNull(first + 7) ? nil : statement.unsigned(first + 7)
    )
  }

  /// Returns the remainders of a file's entries after merges, for the objects that uploads have touched since.
  public func objectReciprocals(file: UInt64) throws -> [ObjectReciprocal] {
    let sql = "SELECT version, class, key, changeset FROM flx_reciprocals WHERE file = ?1"
    return try database.withStatement(sql) { statement in
      statement.bind(file, at: 1)
      var result: [ObjectReciprocal] = []
      while try statement.step() {
        guard let key = KeyCoding.decode(statement.blob(2)) else {
          throw StorageError(
            kind: .corrupt,
            message: "'\(database.path)' is damaged: malformed key in a stream."
          )
        }
        result.append(
          ObjectReciprocal(
            version: statement.unsigned(0),
            object: ObjectReference(table: statement.text(1), key: key),
            changeset: statement.blob(3)
          )
        )
      }
      return result
    }
  }

  /// Stores the remainder of an entry for one object after a merge.
  public func set(_ reciprocal: ObjectReciprocal, file: UInt64) throws {
    let sql = "INSERT OR REPLACE INTO flx_reciprocals VALUES (?1, ?2, ?3, ?4, ?5)"
    try database.withStatement(sql) { statement in
      statement.bind(file, at: 1)
      statement.bind(reciprocal.version, at: 2)
      statement.bind(reciprocal.object.table, at: 3)
      statement.bind(KeyCoding.encode(reciprocal.object.key), at: 4)
      statement.bind(reciprocal.changeset, at: 5)
      try statement.run()
    }
  }

  /// Replaces the changeset of the entry at a version, which the client must not have seen.
  public func replaceChangeset(_ changeset: [UInt8], file: UInt64, version: UInt64) throws {
    let sql = "UPDATE flx_stream SET changeset = ?3 WHERE file = ?1 AND version = ?2"
    try database.withStatement(sql) { statement in
      statement.bind(file, at: 1)
      statement.bind(version, at: 2)
      statement.bind(changeset, at: 3)
      try statement.run()
    }
  }

  /// Deletes the entries up to a version, which the client has acknowledged.
  public func trimStream(file: UInt64, through version: UInt64) throws {
    try deleteStream(file: file, where: "version <= ?2", version)
  }

  /// Deletes the entries from a version on, which the client has not seen and will not see.
  ///
  /// - Parameter last: The last entry to delete; nil for the end of the stream.
  public func dropStream(file: UInt64, from version: UInt64, through last: UInt64? = nil) throws {
    try deleteStream(
      file: file,
      where: last == nil ? "version >= ?2" : "version BETWEEN ?2 AND ?3",
      version,
      last
    )
  }

  /// Deletes entries that were placed after the end of a file's stream and never became part of it.
  public func dropUnfinished(_ file: ClientFileRecord) throws {
    try dropStream(file: file.ident, from: file.streamHead + 1)
  }

  private func deleteStream(file: UInt64, where condition: String, _ version: UInt64, _ last: UInt64? = nil)
    throws
  {
    for table in ["flx_stream", "flx_reciprocals"] {
      try database.withStatement("DELETE FROM \(table) WHERE file = ?1 AND \(condition)") { statement in
        statement.bind(file, at: 1)
        statement.bind(version, at: 2)
        if let last { statement.bind(last, at: 3) }
        try statement.run()
      }
      CrashPoint.reached(.serverInsideTrimming)
    }
  }
}
