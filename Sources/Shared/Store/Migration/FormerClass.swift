// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The tables of a class that have been set aside in the open write transaction, to be replaced by others.
struct FormerClass {
  /// The class as it was. Its columns have their names, but the tables do not.
  let table: ClassTable
  /// The quoted name of the table.
  let sqlName: String
  private let nextRow: Int64

  /// Renames the tables of a class and removes it from the schema. The caller removes it from the catalog.
  init(settingAside table: ClassTable, in store: ObjectStore) throws {
    self.table = table
    sqlName = SQLText.quoted("flx_former_\(table.id)")
    let database = store.database
    let nextRow = try database.integer("SELECT next_row FROM flx_classes WHERE id = \(table.id)")
    self.nextRow = max(nextRow, table.firstRowAfterErased)
    try database.execute("ALTER TABLE \(table.sqlName) RENAME TO \(sqlName)")
    for column in table.collectionColumns {
      try database.execute("ALTER TABLE \(column.sqlName) RENAME TO \(elements(of: column))")
    }
    try database.run("DELETE FROM flx_properties WHERE class = ?1", [table.id])
    try database.run("DELETE FROM flx_classes WHERE id = ?1", [table.id])
  }

  /// The quoted name of the table with the elements of a collection.
  private func elements(of column: Column) -> String {
    SQLText.quoted("flx_former_\(table.id)_\(column.index)")
  }

  func drop(from database: Database) throws {
    for column in table.collectionColumns { try database.execute("DROP TABLE \(elements(of: column))") }
    try database.execute("DROP TABLE \(sqlName)")
  }

  // MARK: Copying

  /// Copies the objects to the table that replaces this one, where they keep their rows.
  func copyObjects(to new: ClassTable, _ links: LinkTranslation, _ store: ObjectStore) throws {
    var places =
      new.isEmbedded ? ["flx_row", "flx_owner_class", "flx_owner", "flx_owner_property"] : ["flx_row"]
    var values = places
    for column in new.insertedColumns {
      guard let source = source(of: column) else { continue }
      places += column.sqlNames
      values += source.values(for: column, links)
    }
    try store.database.execute(
      """
      INSERT INTO \(new.sqlName) (\(places.joined(separator: ", ")))
      SELECT \(values.joined(separator: ", ")) FROM \(sqlName)
      """
    )
    for column in new.collectionColumns {
      guard let source = source(of: column) else { continue }
      try copyElements(source, to: column, links, store)
    }
    try store.database.run(
      "UPDATE flx_classes SET next_row = max(next_row, ?1) WHERE id = ?2",
      [nextRow, new.id]
    )
  }

  /// Returns the former column whose values a column of the new table gets.
  private func source(of column: Column) -> Column? {
    guard let source = table.column(named: column.schema.name), source.holdsSameType(as: column) else {
      return nil
    }
    return source
  }

  private func copyElements(
    _ source: Column,
    to column: Column,
    _ links: LinkTranslation,
    _ store: ObjectStore,
    condition: String = "TRUE"
  ) throws {
    let place = column.schema.collection.elementPlace
    let values = source.values(for: column, links)
    // A link that leads nowhere has no element, except in a dictionary.
    let isLinked =
      column.schema.type == .link && column.schema.collection != .dictionary
      ? "\(values[0]) IS NOT NULL" : "TRUE"
    try store.database.execute(
      """
      INSERT INTO \(column.sqlName) (\(place), \(column.elementList))
      SELECT \(column.schema.collection == .set ? "DISTINCT " : "")\(place), \(values.joined(separator: ", "))
      FROM \(elements(of: source)) WHERE \(isLinked) AND \(condition)
      """
    )
  }

  /// Makes the objects embedded in this class those of the class that replaces it.
  func handOverEmbedded(to new: ClassTable, _ store: ObjectStore) throws {
    for column in new.embeddedColumns {
      guard let source = source(of: column) else { continue }
      try handOverEmbedded(source, to: column, store)
    }
  }

  private func handOverEmbedded(_ source: Column, to column: Column, _ store: ObjectStore) throws {
    let embedded = try store.requireTable(column.schema.linkTarget ?? "")
    try store.database.run(
      """
      UPDATE \(embedded.sqlName) SET flx_owner_class = ?1, flx_owner_property = ?2
      WHERE flx_owner_class = ?3 AND flx_owner_property = ?4
      """,
      [column.table.id, column.index, table.id, source.index]
    )
  }

  /// Copies the values of a former property to another one, in all objects that still exist.
  func copy(_ source: Column, to column: Column, _ links: LinkTranslation, _ store: ObjectStore) throws {
    if column.isSingle {
      let values = source.values(for: column, links).joined(separator: ", ")
      try store.database.execute(
        """
        UPDATE \(column.table.sqlName) AS new
        SET (\(column.sqlNames.joined(separator: ", "))) = (SELECT \(values) FROM \(sqlName) AS old
          WHERE old.flx_row = new.flx_row)
        WHERE flx_row IN (SELECT flx_row FROM \(sqlName))
        """
      )
    } else {
      try store.database.execute(
        "DELETE FROM \(column.sqlName) WHERE owner IN (SELECT flx_row FROM \(sqlName))"
      )
      let isThere = "owner IN (SELECT flx_row FROM \(column.table.sqlName))"
      try copyElements(source, to: column, links, store, condition: isThere)
    }
    if column.isEmbedded { try handOverEmbedded(source, to: column, store) }
  }
}

extension Column {
  /// The names of the columns that hold a single value.
  fileprivate var sqlNames: [String] { [sqlName] + [nanosecondsSQLName].compactMap(\.self) }

  /// Whether both hold values of the same type, one of them perhaps null as well.
  func holdsSameType(as other: Column) -> Bool {
    schema.type == other.schema.type && schema.collection == other.schema.collection
      && schema.linkTarget == other.schema.linkTarget && isEmbedded == other.isEmbedded
  }

  /// Returns the expressions for the values of this column, or for the elements of the collection, that another column of
  /// the same type gets.
  fileprivate func values(for column: Column, _ links: LinkTranslation) -> [String] {
    var names = isSingle ? sqlNames : ["value"] + (storage.width == 2 ? ["value_ns"] : [])
    if !isEmbedded, let target = schema.linkTarget { names = names.map { links.translated($0, to: target) } }
    guard schema.isNullable, !column.schema.isNullable, schema.type != .link else { return names }
    return names.map { "ifnull(\($0), \(column.storage.zeroLiteral))" }
  }
}

extension CollectionKind {
  /// The columns that say to what an element belongs.
  var elementPlace: String {
    switch self {
    case .single: "flx_row"
    case .list: "owner, ordinal"
    case .set: "owner"
    case .dictionary: "owner, key"
    }
  }
}
