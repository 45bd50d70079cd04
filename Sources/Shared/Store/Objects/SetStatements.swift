// SPDX-License-Identifier: Apache-2.0

/// The statements of a set property, each prepared on first use. Parameter 1 is the owner's row.
final class SetStatements {
  var count: Statement?
  var elements: Statement?
  var find: Statement?
  var insert: Statement?
  var erase: Statement?
  var clear: Statement?
}

extension ObjectStore {
  func prepareCount(_ column: Column, _ set: SetStatements) throws -> Statement {
    try prepare("SELECT count(*) FROM \(column.sqlName) WHERE owner = ?1", as: \.count, of: set)
  }

  /// Selects the rows and values starting at offset 2, at most as many as parameter 3.
  func prepareElements(_ column: Column, _ set: SetStatements) throws -> Statement {
    try prepare(
      """
      SELECT rowid, \(column.elementList) FROM \(column.sqlName) WHERE owner = ?1
      ORDER BY \(column.elementList) LIMIT ?3 OFFSET ?2
      """,
      as: \.elements,
      of: set
    )
  }

  /// Selects the row of the element with value 2.
  func prepareFind(_ column: Column, _ set: SetStatements) throws -> Statement {
    let nanoseconds = column.storage.width == 2 ? " AND value_ns IS ?3" : ""
    return try prepare(
      "SELECT rowid FROM \(column.sqlName) WHERE owner = ?1 AND value IS ?2\(nanoseconds)",
      as: \.find,
      of: set
    )
  }

  /// Parameters: value 2.
  func prepareInsert(_ column: Column, _ set: SetStatements) throws -> Statement {
    let parameters = column.storage.width == 2 ? "?1, ?2, ?3" : "?1, ?2"
    return try prepare(
      "INSERT INTO \(column.sqlName) (owner, \(column.elementList)) VALUES (\(parameters))",
      as: \.insert,
      of: set
    )
  }

  /// Parameter 1 is the row of the element.
  func prepareErase(_ column: Column, _ set: SetStatements) throws -> Statement {
    try prepare("DELETE FROM \(column.sqlName) WHERE rowid = ?1", as: \.erase, of: set)
  }

  func prepareClear(_ column: Column, _ set: SetStatements) throws -> Statement {
    try prepare("DELETE FROM \(column.sqlName) WHERE owner = ?1", as: \.clear, of: set)
  }
}
