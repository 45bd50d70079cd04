// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Declares classes and properties. Schemas only grow; repeating an existing declaration changes nothing.
extension ObjectStore {
  /// Declares classes that may link to each other.
  ///
  /// - Throws: `StorageError` of kind `schemaConflict` or `unsupportedSchema`, with the names of the class and
  ///   property.
  public func declare(_ schema: Schema) throws {
    for classSchema in schema.classes { try declareClass(classSchema) }
    for classSchema in schema.classes {
      for property in classSchema.properties { try declareProperty(property, of: classSchema.name) }
    }
  }

  /// Declares a class and its properties, which may link to the class itself and to previously declared classes.
  ///
  /// - Throws: The same errors as `declare(_:)` with a schema.
  public func declare(_ classSchema: ClassSchema) throws { try declare(Schema([classSchema])) }

  /// Declares a class with its primary key, but without its other properties.
  ///
  /// - Throws: The same errors as `declare(_:)` with a schema.
  public func declareClass(_ classSchema: ClassSchema) throws {
    let name = classSchema.name
    if let table = try catalog.table(named: name) { return try checkAgreement(table, classSchema) }
    if classSchema.kind == .embedded {
      guard classSchema.primaryKey == nil else {
        throw StorageError.unsupported("primary keys in embedded classes", className: name, property: nil)
      }
      try flush()
      return try createEmbeddedTable(name)
    }
    guard let primaryKey = classSchema.primaryKey else {
      try flush()
      return try createKeylessTable(classSchema)
    }
    guard primaryKey.collection == .single, [.int, .string, .objectId, .uuid].contains(primaryKey.type) else {
      throw StorageError.unsupported(
        "primary keys of type \(primaryKey.type)",
        className: name,
        property: primaryKey.name
      )
    }
    try flush()
    try createTable(classSchema, primaryKey)
  }

  /// Declares a property of a class.
  ///
  /// - Throws: The same errors as `declare(_:)` with a schema.
  public func declareProperty(_ property: PropertySchema, of className: String) throws {
    try declareProperty(property, of: className, comparingNullability: true)
  }

  func declareProperty(_ property: PropertySchema, of className: String, comparingNullability: Bool) throws {
    try flush()
    guard let table = try catalog.table(named: className) else {
      throw StorageError(
        kind: .schemaConflict,
        message: "Property '\(className).\(property.name)' is declared before its class."
      )
    }
    if let column = table.column(named: property.name) {
      try checkAgreement(column, property, comparingNullability: comparingNullability)
      if property.isIndexed, !column.schema.isIndexed { try addIndex(column) }
      return
    }
    try checkSupport(property, of: className)
    try flush()
    try addColumn(property, to: table)
  }

  // MARK: Checks

  private func checkAgreement(_ table: ClassTable, _ declared: ClassSchema) throws {
    let stored = table.primaryKey.schema
    let difference: String? =
      if table.kind != declared.kind {
        "the kind is \(table.kind), not \(declared.kind)"
      } else if table.isEmbedded {
        declared.primaryKey.map { "an embedded class cannot have a primary key ('\($0.name)')" }
      } else if table.isKeyedByRow {
        declared.primaryKey.map { "there is no primary key, not '\($0.name)'" }
      } else if let key = declared.primaryKey, key.name == stored.name, key.type == stored.type,
        key.isNullable == stored.isNullable
      {
        nil
      } else {
        "the primary key is '\(stored.name)' of type \(stored.typeText), not "
          + (declared.primaryKey.map { "'\($0.name)' of type \($0.typeText)" } ?? "absent")
      }
    guard let difference else { return }
    throw StorageError.conflict(className: table.name, property: nil, difference, database.advice)
  }

  private func checkAgreement(_ column: Column, _ declared: PropertySchema, comparingNullability: Bool) throws
  {
    var comparable = declared
    if !comparingNullability { comparable.isNullable = column.schema.isNullable }
    guard !column.schema.agrees(with: comparable) else { return }
    throw StorageError.conflict(
      className: column.table.name,
      property: declared.name,
      "the type is \(column.schema.typeText), not \(declared.typeText)",
      database.advice
    )
  }

  private func checkSupport(_ property: PropertySchema, of className: String) throws {
    guard property.type == .link else { return }
    guard let target = try property.linkTarget.flatMap({ try catalog.table(named: $0) }) else {
      throw StorageError(
        kind: .schemaConflict,
        message: "Property '\(className).\(property.name)' links to class '\(property.linkTarget ?? "")', "
          + "which is not declared."
      )
    }
    if target.isEmbedded, property.collection == .set {
      throw StorageError.unsupported(
        "sets of embedded objects",
        className: className,
        property: property.name
      )
    }
  }

  // MARK: Changes

  /// The maximum number of columns of a class, counting two per property. Half of SQLite's limit remains for what a
  /// statement adds.
  private static let columnLimit = 2000

  private func createTable(_ classSchema: ClassSchema, _ primaryKey: PropertySchema) throws {
    try database.requireWrite()
    let tableName = catalog.claimTableName(classSchema.name)
    var takenColumns: Set<String> = ["flx_row"]
    let columnName = SQLText.claimName(primaryKey.name, taken: &takenColumns)
    let storage = ValueStorage(
      type: primaryKey.type,
      isNullable: primaryKey.isNullable,
      encodedType: primaryKey.type
    )
    try database.execute(
      """
      CREATE TABLE \(SQLText.quoted(tableName)) (flx_row INTEGER PRIMARY KEY, \(SQLText.quoted(columnName)) \
      \(storage.columnType) UNIQUE\(primaryKey.isNullable ? "" : " NOT NULL"))
      """
    )
    try register(classSchema, tableName: tableName, primaryKey: primaryKey, columnName: columnName)
  }

  /// Creates the table of a class of a local file whose objects have no key but their row.
  private func createKeylessTable(_ classSchema: ClassSchema) throws {
    try database.requireWrite()
    let tableName = catalog.claimTableName(classSchema.name)
    try database.execute("CREATE TABLE \(SQLText.quoted(tableName)) (flx_row INTEGER PRIMARY KEY)")
    try register(classSchema, tableName: tableName, primaryKey: .row, columnName: "flx_row")
  }

  /// Creates the table of an embedded class. Its objects have no key, but store the place that holds them.
  private func createEmbeddedTable(_ name: String) throws {
    try database.requireWrite()
    let tableName = catalog.claimTableName(name)
    try database.execute(
      """
      CREATE TABLE \(SQLText.quoted(tableName)) (flx_row INTEGER PRIMARY KEY, flx_owner_class INTEGER NOT NULL, \
      flx_owner INTEGER NOT NULL, flx_owner_property INTEGER NOT NULL)
      """
    )
    let classSchema = ClassSchema(name: name, kind: .embedded, primaryKey: nil, properties: [])
    try register(classSchema, tableName: tableName, primaryKey: .row, columnName: "flx_row")
  }

  private func register(
    _ classSchema: ClassSchema,
    tableName: String,
    primaryKey: PropertySchema,
    columnName: String
  ) throws {
    let greatestID = max(
      try database.integer("SELECT ifnull(max(id), 0) FROM flx_classes"),
      catalog.greatestRemovedID
    )
    let id = greatestID + 1
    try database.run(
      "INSERT INTO flx_classes (id, name, kind, table_name) VALUES (?1, ?2, ?3, ?4)",
      [id, classSchema.name, Int64(classSchema.kind.rawValue), tableName]
    )
    let table = ClassTable(id: id, name: classSchema.name, kind: classSchema.kind, tableName: tableName)
    try insertProperty(primaryKey, columnName: columnName, position: 0, of: table)
    try catalog.add(table, primaryKey: primaryKey, columnName: columnName)
  }

  private func addColumn(_ property: PropertySchema, to table: ClassTable) throws {
    try database.requireWrite()
    guard property.collection != .single || table.takenColumnNames.count < Self.columnLimit else {
      throw StorageError.unsupported(
        "more than \(Self.columnLimit / 2 - 1) single-valued properties in a class",
        className: table.name,
        property: property.name
      )
    }
    let name: String
    if property.collection != .single {
      name = catalog.claimTableName("\(table.name).\(property.name)")
    } else {
      name = SQLText.claimName(property.name, taken: &table.takenColumnNames)
      // Reserved even if there is no second column: a later property must not look like one.
      table.takenColumnNames.insert(SQLText.folded("\(name)$ns"))
    }
    try insertProperty(property, columnName: name, position: table.columns.count, of: table)
    try catalog.add(property, columnName: name, to: table)
    if let column = table.columns.last { try createStorage(of: column) }
    try catalog.noteSchemaVersion()
  }

  private func insertProperty(
    _ property: PropertySchema,
    columnName: String,
    position: Int,
    of table: ClassTable
  ) throws {
    let sql = """
      INSERT INTO flx_properties (class, position, name, type, nullable, collection, target, column_name, indexed)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """
    try database.run(
      sql,
      [
        table.id, Int64(position), property.name, Int64(property.type.rawValue),
        property.isNullable, Int64(property.collection.rawValue), property.linkTarget,
        columnName, property.isIndexed,
      ]
    )
  }

  private func createStorage(of column: Column) throws {
    let storage = column.storage
    let isLink = storage.type == .link
    if !column.isSingle {
      try createElementTable(of: column)
    } else {
      let constraint = storage.isNullable || isLink ? "" : " NOT NULL DEFAULT \(storage.zeroLiteral)"
      let table = column.table.sqlName
      try database.execute(
        "ALTER TABLE \(table) ADD COLUMN \(column.sqlName) \(storage.columnType)\(constraint)"
      )
      if let nanoseconds = column.nanosecondsSQLName {
        try database.execute("ALTER TABLE \(table) ADD COLUMN \(nanoseconds) INTEGER\(constraint)")
      }
    }
    // Links are always indexed, to find the links that lead to an object.
    if isLink || column.schema.isIndexed { try createIndex(column) }
    if storage.type == .mixed { try createLinkIndex(column) }
  }

  /// Indexes the links among the values of a mixed column, to find the links that lead to an object.
  private func createLinkIndex(_ column: Column) throws {
    let index = SQLText.quoted("flx_links_\(column.table.id)_\(column.index)")
    let place = column.isSingle ? column.table.sqlName : column.sqlName
    let value = column.isSingle ? column.sqlName : "value"
    try database.execute("CREATE INDEX \(index) ON \(place) (\(value)) WHERE \(MixedCoding.isLink(value))")
  }

  private func createElementTable(of column: Column) throws {
    let nanoseconds = column.storage.width == 2 ? ", value_ns INTEGER" : ""
    let values = "value \(column.storage.columnType)\(nanoseconds)"
    let table = column.sqlName
    switch column.schema.collection {
    case .single: break
    case .list:
      try database.execute(
        """
        CREATE TABLE \(table) (owner INTEGER NOT NULL, ordinal INTEGER NOT NULL, \(values), \
        PRIMARY KEY (owner, ordinal)) WITHOUT ROWID
        """
      )
    case .set:
      let index = SQLText.quoted("flx_elements_\(column.table.id)_\(column.index)")
      try database.execute(
        """
        CREATE TABLE \(table) (owner INTEGER NOT NULL, \(values));
        CREATE INDEX \(index) ON \(table) (owner, \(column.elementList))
        """
      )
    case .dictionary:
      try database.execute(
        """
        CREATE TABLE \(table) (owner INTEGER NOT NULL, key TEXT NOT NULL, \(values), \
        PRIMARY KEY (owner, key)) WITHOUT ROWID
        """
      )
    }
  }

  private func addIndex(_ column: Column) throws {
    try database.requireWrite()
    if column.storage.type != .link { try createIndex(column) }
    try database.run(
      "UPDATE flx_properties SET indexed = 1 WHERE class = ?1 AND position = ?2",
      [column.table.id, Int64(column.index)]
    )
    try catalog.reloadAll()
  }

  private func createIndex(_ column: Column) throws {
    let index = SQLText.quoted("flx_index_\(column.table.id)_\(column.index)")
    let place =
      column.isSingle
      ? "\(column.table.sqlName) (\(column.selectList))" : "\(column.sqlName) (\(column.elementList))"
    try database.execute("CREATE INDEX IF NOT EXISTS \(index) ON \(place)")
  }
}

extension PropertySchema {
  /// The type in messages, including collection, target and nullability.
  var typeText: String {
    let element = (linkTarget.map { "link to '\($0)'" } ?? type.description) + (isNullable ? "?" : "")
    return switch collection {
    case .single: element
    case .list: "list of \(element)"
    case .dictionary: "dictionary of \(element)"
    case .set: "set of \(element)"
    }
  }
}
