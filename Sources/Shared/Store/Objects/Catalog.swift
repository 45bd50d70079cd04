// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The classes of a file, kept up to date with the declarations of other connections.
final class Catalog {
  private let database: Database
  @exclusivity(unchecked) private(set) var tables: [String: ClassTable] = [:] {
    didSet { lastNamed = nil }
  }
  /// The class named last. Changesets name the same one many times in a row.
  @exclusivity(unchecked) private var lastNamed: ClassTable?
  private var tablesByID: [Int64: ClassTable] = [:]
  /// The link columns that lead to each class, both single-valued ones and collections.
  private(set) var incoming: [String: [Column]] = [:]
  /// The columns of type mixed, both single-valued ones and collections. They may contain links to any class.
  private(set) var mixedColumns: [Column] = []
  /// The folded names of the tables in use.
  private(set) var takenTableNames: Set<String> = []
  /// The greatest number of a class that was removed. Its indexes may still exist, under names with this number.
  private(set) var greatestRemovedID: Int64 = 0

  @exclusivity(unchecked) private var seenTransaction: UInt64?
  private var seenRollbacks: UInt64 = 0
  private var seenSchemaVersion: Int64 = -1
  private let schemaVersion: Statement

  init(database: Database) throws {
    self.database = database
    schemaVersion = try database.prepare("PRAGMA schema_version")
  }

  static let tablesSQL = """
    CREATE TABLE IF NOT EXISTS flx_classes (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind INTEGER NOT NULL, table_name TEXT NOT NULL,
      next_row INTEGER NOT NULL DEFAULT 1);
    CREATE TABLE IF NOT EXISTS flx_properties (
      class INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, type INTEGER NOT NULL,
      nullable INTEGER NOT NULL, collection INTEGER NOT NULL, target TEXT, column_name TEXT NOT NULL,
      indexed INTEGER NOT NULL, PRIMARY KEY (class, position)) WITHOUT ROWID;
    """

  /// Returns the table of a class, after checking for changes if a transaction has begun since the last check.
  func table(named name: String) throws -> ClassTable? {
    try refresh()
    if let lastNamed, lastNamed.name == name { return lastNamed }
    let table = tables[name]
    lastNamed = table
    return table
  }

  /// Reads the declarations again if another connection or a rollback may have changed them.
  func refresh() throws {
    if seenTransaction == database.transactionNumber, database.transactionState != .none { return }
    let version = try currentSchemaVersion()
    if version != seenSchemaVersion || seenRollbacks != database.rollbackCount {
      try reload()
      seenSchemaVersion = version
      seenRollbacks = database.rollbackCount
    }
    seenTransaction = database.transactionNumber
  }

  // MARK: Additions by this connection

  /// Claims a name for a table.
  func claimTableName(_ wanted: String) -> String { SQLText.claimName(wanted, taken: &takenTableNames) }

  /// Adds a class that has just been written to the file.
  func add(_ table: ClassTable, primaryKey: PropertySchema, columnName: String) throws {
    tables[table.name] = table
    tablesByID[table.id] = table
    table.takenColumnNames = ["flx_row", SQLText.folded(columnName), SQLText.folded(columnName + "$ns")]
    try add(primaryKey, columnName: columnName, to: table)
  }

  /// Adds a property that has just been written to the file.
  func add(_ schema: PropertySchema, columnName: String, to table: ClassTable) throws {
    let target = schema.linkTarget.flatMap { tables[$0] }
    let targetKey = target?.columns.first?.schema.type
    let storage = ValueStorage(
      type: schema.type,
      isNullable: schema.isNullable,
      encodedType: targetKey ?? schema.type
    )
    let column = Column(
      table: table,
      index: table.columns.count,
      schema: schema,
      storage: storage,
      name: columnName,
      isEmbedded: target?.isEmbedded ?? false
    )
    table.columns.append(column)
    if let target = schema.linkTarget { incoming[target, default: []].append(column) }
    if schema.type == .mixed { mixedColumns.append(column) }
    try noteSchemaVersion()
  }

  /// Forgets classes that have just been removed from the file. The caller calls `reloadAll` once no property links to
  /// them.
  func remove(_ removed: [ClassTable]) throws {
    for table in removed {
      tables[table.name] = nil
      tablesByID[table.id] = nil
      greatestRemovedID = max(greatestRemovedID, table.id)
    }
    let names = """
      SELECT table_name FROM flx_classes UNION ALL SELECT column_name FROM flx_properties WHERE collection <> 0
      """
    takenTableNames = try database.withStatement(names) { statement in
      var names: Set<String> = []
      while try statement.step() { names.insert(SQLText.folded(statement.text(0))) }
      return names
    }
  }

  /// Returns a property by the number of its class and its column index.
  func column(_ index: Int64, ofClass id: Int64) -> Column? {
    guard let columns = tablesByID[id]?.columns, columns.indices.contains(Int(index)) else { return nil }
    return columns[Int(index)]
  }

  /// Reads everything again after existing declarations have changed.
  func reloadAll() throws {
    try reload()
    try noteSchemaVersion()
  }

  /// Prevents this connection's own changes from causing a reload.
  func noteSchemaVersion() throws { seenSchemaVersion = try currentSchemaVersion() }

  private func currentSchemaVersion() throws -> Int64 {
    defer { schemaVersion.reset() }
    return try schemaVersion.step() ? schemaVersion.int(0) : 0
  }

  // MARK: Loading

  private struct PropertyRow {
    let schema: PropertySchema
    let columnName: String
  }

  private func reload() throws {
    let rows = try propertyRows()
    var loaded: [String: ClassTable] = [:]
    takenTableNames = []
    try database.withStatement("SELECT id, name, kind, table_name FROM flx_classes ORDER BY id") {
      statement in
      while try statement.step() {
        let id = statement.int(0)
        let name = statement.text(1)
        guard let kind = ClassKind(rawValue: UInt8(truncatingIfNeeded: statement.int(2))) else {
          throw damaged("class '\(name)' has an unknown kind")
        }
        let tableName = statement.text(3)
        takenTableNames.insert(SQLText.folded(tableName))
        let known = tables[name].flatMap { $0.id == id && $0.sqlName == SQLText.quoted(tableName) ? $0 : nil }
        loaded[name] = known ?? ClassTable(id: id, name: name, kind: kind, tableName: tableName)
      }
    }
    let keyTypes = loaded.mapValues { rows[$0.id]?.first?.schema.type ?? .mixed }
    let embedded = Set(loaded.values.filter(\.isEmbedded).map(\.name))
    for table in loaded.values {
      try load(rows[table.id] ?? [], into: table, keyTypes: keyTypes, embedded: embedded)
    }
    tables = loaded
    tablesByID = Dictionary(uniqueKeysWithValues: loaded.values.map { ($0.id, $0) })
    collectIncoming()
  }

  private func propertyRows() throws -> [Int64: [PropertyRow]] {
    let sql = """
      SELECT class, name, type, nullable, collection, target, column_name, indexed FROM flx_properties
      ORDER BY class, position
      """
    return try database.withStatement(sql) { statement in
      var rows: [Int64: [PropertyRow]] = [:]
      while try statement.step() {
        let name = statement.text(1)
        guard let type = ValueType(rawValue: UInt8(truncatingIfNeeded: statement.int(2))),
          let collection = CollectionKind(rawValue: UInt8(truncatingIfNeeded: statement.int(4)))
        else { throw damaged("property '\(name)' has an unknown type") }
        let schema = PropertySchema(
          name: name,
          type: type,
          isNullable: statement.int(3) != 0,
          collection: collection,
          linkTarget: statement.optionalText(5),
          isIndexed: statement.int(7) != 0
        )
        rows[statement.int(0), default: []].append(PropertyRow(schema: schema, columnName: statement.text(6)))
      }
      return rows
    }
  }

  private func load(
    _ rows: [PropertyRow],
    into table: ClassTable,
    keyTypes: [String: ValueType],
    embedded: Set<String>
  ) throws {
    guard !rows.isEmpty else { throw damaged("class '\(table.name)' has no primary key") }
    var columns: [Column] = []
    table.takenColumnNames = ["flx_row"]
    for (index, row) in rows.enumerated() {
      if row.schema.collection != .single {
        takenTableNames.insert(SQLText.folded(row.columnName))
      } else {
        table.takenColumnNames.insert(SQLText.folded(row.columnName))
        table.takenColumnNames.insert(SQLText.folded(row.columnName + "$ns"))
      }
      let known = index < table.columns.count ? table.columns[index] : nil
      if let known, known.schema.agrees(with: row.schema), known.sqlName == SQLText.quoted(row.columnName) {
        known.schema.isIndexed = row.schema.isIndexed
        columns.append(known)
        continue
      }
      let storage = try storage(for: row.schema, keyTypes: keyTypes)
      columns.append(
        Column(
          table: table,
          index: index,
          schema: row.schema,
          storage: storage,
          name: row.columnName,
          isEmbedded: row.schema.linkTarget.map(embedded.contains) ?? false
        )
      )
    }
    table.columns = columns
  }

  private func storage(for schema: PropertySchema, keyTypes: [String: ValueType]) throws -> ValueStorage {
    var encodedType = schema.type
    if let target = schema.linkTarget {
      guard let keyType = keyTypes[target] else { throw damaged("class '\(target)' is missing") }
      encodedType = keyType
    }
    return ValueStorage(
      type: schema.type,
      isNullable: schema.isNullable,
      encodedType: encodedType
    )
  }

  private func collectIncoming() {
    incoming = [:]
    mixedColumns = []
    for table in tables.values.sorted(by: { $0.id < $1.id }) {
      for column in table.columns {
        if let target = column.schema.linkTarget { incoming[target, default: []].append(column) }
        if column.schema.type == .mixed { mixedColumns.append(column) }
      }
    }
  }

  private func damaged(_ text: String) -> StorageError { StorageError.damaged(database, text) }
}
