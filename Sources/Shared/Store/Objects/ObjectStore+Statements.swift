// SPDX-License-Identifier: Apache-2.0

/// The statements of a class and its properties, each prepared on first use.
extension ObjectStore {
  func prepareFind(_ table: ClassTable) throws -> Statement {
    let statement = try database.prepare(
      "SELECT flx_row FROM \(table.sqlName) WHERE \(table.primaryKey.sqlName) IS ?1"
    )
    table.findStatement = statement
    return statement
  }

  func prepareKey(_ table: ClassTable) throws -> Statement {
    let statement = try database.prepare(
      "SELECT \(table.primaryKey.sqlName) FROM \(table.sqlName) WHERE flx_row = ?1"
    )
    table.keyStatement = statement
    return statement
  }

  func prepareErase(_ table: ClassTable) throws -> Statement {
    let statement = try database.prepare("DELETE FROM \(table.sqlName) WHERE flx_row = ?1")
    table.eraseStatement = statement
    return statement
  }

  func prepareInsert(_ table: ClassTable) throws -> Statement {
    let names = table.singleColumns.map(\.selectList).joined(separator: ", ")
    let count = table.singleColumns.reduce(1) { $0 + Int($1.storage.width) }
    let parameters = repeatElement("?", count: count).joined(separator: ", ")
    let statement = try database.prepare(
      """
      INSERT INTO \(table.sqlName) (flx_row, \(names)) VALUES (\(parameters))
      ON CONFLICT (\(table.primaryKey.sqlName)) DO NOTHING
      """
    )
    table.insertStatement = statement
    return statement
  }

  /// Parameters after the row: class, row and property of the owner.
  func prepareEmbeddedInsert(_ table: ClassTable) throws -> Statement {
    let statement = try database.prepare(
      """
      INSERT INTO \(table.sqlName) (flx_row, flx_owner_class, flx_owner, flx_owner_property)
      VALUES (?1, ?2, ?3, ?4)
      """
    )
    table.insertStatement = statement
    return statement
  }

  /// Selects the class, row and property of an embedded object's owner.
  func prepareOwner(_ table: ClassTable) throws -> Statement {
    let statement = try database.prepare(
      "SELECT flx_owner_class, flx_owner, flx_owner_property FROM \(table.sqlName) WHERE flx_row = ?1"
    )
    table.ownerStatement = statement
    return statement
  }

  func prepareNextRow(_ table: ClassTable) throws -> Statement {
    let statement = try database.prepare(
      """
      SELECT max(ifnull((SELECT max(flx_row) FROM \(table.sqlName)), 0) + 1, next_row)
      FROM flx_classes WHERE id = ?1
      """
    )
    table.nextRowStatement = statement
    return statement
  }

  func prepareSelect(_ column: Column) throws -> Statement {
    let statement = try database.prepare(
      "SELECT \(column.selectList) FROM \(column.table.sqlName) WHERE flx_row = ?1"
    )
    column.selectStatement = statement
    return statement
  }

  func prepareUpdate(_ column: Column) throws -> Statement {
    let nanoseconds = column.nanosecondsSQLName.map { ", \($0) = ?3" } ?? ""
    let statement = try database.prepare(
      "UPDATE \(column.table.sqlName) SET \(column.sqlName) = ?2\(nanoseconds) WHERE flx_row = ?1"
    )
    column.updateStatement = statement
    return statement
  }

  /// Selects the single-valued properties of a row, in the order of `singleColumns`.
  func prepareRow(_ table: ClassTable) throws -> Statement {
    let names = table.singleColumns.map(\.selectList).joined(separator: ", ")
    let statement = try database.prepare("SELECT \(names) FROM \(table.sqlName) WHERE flx_row = ?1")
    table.rowStatement = statement
    return statement
  }

  /// Selects the rows with a link to a key. For a list or dictionary, a row occurs once per element with that link.
  func prepareIncoming(_ column: Column) throws -> Statement {
    let value = column.isSingle ? column.sqlName : "value"
    // Worded exactly like the index, which SQLite would not use otherwise.
    let isLink = column.storage.type == .mixed ? " AND \(MixedCoding.isLink(value))" : ""
    let statement = try database.prepare(
      column.isSingle
        ? "SELECT flx_row FROM \(column.table.sqlName) WHERE \(value) = ?1\(isLink) ORDER BY flx_row"
        : "SELECT owner FROM \(column.sqlName) WHERE value = ?1\(isLink) ORDER BY owner"
    )
    column.incomingStatement = statement
    return statement
  }
}
