// SPDX-License-Identifier: Apache-2.0

/// The statements about the rows of a class, each prepared when it is first needed.
enum ClassStatement: Int, CaseIterable {
  /// Inserts a row. Parameter 1 is the row; the values of the single properties follow.
  case insert
  /// Inserts a row of an embedded class. Parameters: the row, and the class, row and property of its owner.
  case insertEmbedded
  /// Selects the row of key 1.
  case find
  /// Selects the key of row 1.
  case key
  /// Selects the single properties of row 1, in the order of `singleColumns`.
  case row
  /// Selects the class, row and property of the owner of embedded object 1.
  case owner
  /// Deletes row 1.
  case erase
  /// Selects the next free row of the class with number 1.
  case nextRow

  func sql(_ table: ClassTable) -> String {
    switch self {
    case .insert:
      let columns = table.insertedColumns
      let count = columns.reduce(1) { $0 + Int($1.storage.width) }
      let names = (["flx_row"] + columns.map(\.selectList)).joined(separator: ", ")
      let parameters = repeatElement("?", count: count).joined(separator: ", ")
      return "INSERT INTO \(table.sqlName) (\(names)) VALUES (\(parameters))"
    case .insertEmbedded:
      return """
        INSERT INTO \(table.sqlName) (flx_row, flx_owner_class, flx_owner, flx_owner_property)
        VALUES (?1, ?2, ?3, ?4)
        """
    case .find: return "SELECT flx_row FROM \(table.sqlName) WHERE \(table.primaryKey.sqlName) IS ?1"
    case .key: return "SELECT \(table.primaryKey.sqlName) FROM \(table.sqlName) WHERE flx_row = ?1"
    case .row: return "SELECT \(table.selectList) FROM \(table.sqlName) WHERE flx_row = ?1"
    case .owner:
      return "SELECT flx_owner_class, flx_owner, flx_owner_property FROM \(table.sqlName) WHERE flx_row = ?1"
    case .erase: return "DELETE FROM \(table.sqlName) WHERE flx_row = ?1"
    case .nextRow:
      return """
        SELECT max(ifnull((SELECT max(flx_row) FROM \(table.sqlName)), 0) + 1, next_row)
        FROM flx_classes WHERE id = ?1
        """
    }
  }
}

extension ObjectStore {
  @inline(__always)
  func statement(_ kind: ClassStatement, of table: ClassTable) throws -> Statement {
    if let known = table.statements[kind.rawValue] { return known }
    let statement = try database.prepare(kind.sql(table))
    table.statements[kind.rawValue] = statement
    return statement
  }
}
