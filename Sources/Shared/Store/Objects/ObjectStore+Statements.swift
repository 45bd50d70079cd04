// SPDX-License-Identifier: Apache-2.0

/// The statements of a class and its properties, each prepared on first use.
extension ObjectStore {
  /// Prepares a statement and keeps it with the owner for later uses.
  func prepare<Owner: AnyObject>(
    _ sql: String,
    as place: ReferenceWritableKeyPath<Owner, Statement?>,
    of owner: Owner
  ) throws -> Statement {
    let statement = try database.prepare(sql)
    owner[keyPath: place] = statement
    return statement
  }

  func prepareFind(_ table: ClassTable) throws -> Statement {
    try prepare(
      "SELECT flx_row FROM \(table.sqlName) WHERE \(table.primaryKey.sqlName) IS ?1",
      as: \.findStatement,
      of: table
    )
  }

  func prepareKey(_ table: ClassTable) throws -> Statement {
    try prepare(
      "SELECT \(table.primaryKey.sqlName) FROM \(table.sqlName) WHERE flx_row = ?1",
      as: \.keyStatement,
      of: table
    )
  }

  func prepareErase(_ table: ClassTable) throws -> Statement {
    try prepare("DELETE FROM \(table.sqlName) WHERE flx_row = ?1", as: \.eraseStatement, of: table)
  }

  func prepareInsert(_ table: ClassTable) throws -> Statement {
    let names = table.singleColumns.map(\.selectList).joined(separator: ", ")
    let count = table.singleColumns.reduce(1) { $0 + Int($1.storage.width) }
    let parameters = repeatElement("?", count: count).joined(separator: ", ")
    return try prepare(
      "INSERT INTO \(table.sqlName) (flx_row, \(names)) VALUES (\(parameters))",
      as: \.insertStatement,
      of: table
    )
  }

  /// Parameters after the row: class, row and property of the owner.
  func prepareEmbeddedInsert(_ table: ClassTable) throws -> Statement {
    try prepare(
      """
      INSERT INTO \(table.sqlName) (flx_row, flx_owner_class, flx_owner, flx_owner_property)
      VALUES (?1, ?2, ?3, ?4)
      """,
      as: \.insertStatement,
      of: table
    )
  }

  /// Selects the class, row and property of an embedded object's owner.
  func prepareOwner(_ table: ClassTable) throws -> Statement {
    try prepare(
      "SELECT flx_owner_class, flx_owner, flx_owner_property FROM \(table.sqlName) WHERE flx_row = ?1",
      as: \.ownerStatement,
      of: table
    )
  }

  func prepareNextRow(_ table: ClassTable) throws -> Statement {
    try prepare(
      """
      SELECT max(ifnull((SELECT max(flx_row) FROM \(table.sqlName)), 0) + 1, next_row)
      FROM flx_classes WHERE id = ?1
      """,
      as: \.nextRowStatement,
      of: table
    )
  }

  func prepareSelect(_ column: Column) throws -> Statement {
    try prepare(
      "SELECT \(column.selectList) FROM \(column.table.sqlName) WHERE flx_row = ?1",
      as: \.selectStatement,
      of: column
    )
  }

  func prepareUpdate(_ column: Column) throws -> Statement {
    let nanoseconds = column.nanosecondsSQLName.map { ", \($0) = ?3" } ?? ""
    return try prepare(
      "UPDATE \(column.table.sqlName) SET \(column.sqlName) = ?2\(nanoseconds) WHERE flx_row = ?1",
      as: \.updateStatement,
      of: column
    )
  }

  /// Selects the single-valued properties of a row, in the order of `singleColumns`.
  func prepareRow(_ table: ClassTable) throws -> Statement {
    let names = table.singleColumns.map(\.selectList).joined(separator: ", ")
    return try prepare(
      "SELECT \(names) FROM \(table.sqlName) WHERE flx_row = ?1",
      as: \.rowStatement,
      of: table
    )
  }

  /// Selects the rows with a link to a key. For a list or dictionary, a row occurs once per element with that link.
  func prepareIncoming(_ column: Column) throws -> Statement {
    let value = column.isSingle ? column.sqlName : "value"
    // Worded exactly like the index, which SQLite would not use otherwise.
    let isLink = column.storage.type == .mixed ? " AND \(MixedCoding.isLink(value))" : ""
    return try prepare(
      column.isSingle
        ? "SELECT flx_row FROM \(column.table.sqlName) WHERE \(value) = ?1\(isLink) ORDER BY flx_row"
        : "SELECT owner FROM \(column.sqlName) WHERE value = ?1\(isLink) ORDER BY owner",
      as: \.incomingStatement,
      of: column
    )
  }
}
