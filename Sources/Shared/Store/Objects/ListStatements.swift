// SPDX-License-Identifier: Apache-2.0

/// The statements of a list property, each prepared on first use. Parameter 1 is the owner's row.
final class ListStatements {
  var count: Statement?
  var elementAt: Statement?
  var elements: Statement?
  var insert: Statement?
  var update: Statement?
  var move: Statement?
  var erase: Statement?
  var clear: Statement?
  var position: Statement?
}

extension ObjectStore {
  /// Selects the number of elements and the greatest ordinal.
  func prepareCount(_ column: Column, _ list: ListStatements) throws -> Statement {
    try prepare(
      "SELECT count(*), max(ordinal) FROM \(column.sqlName) WHERE owner = ?1",
      as: \.count,
      of: list
    )
  }

  /// Selects the ordinal and value of the element at offset 2.
  func prepareElementAt(_ column: Column, _ list: ListStatements) throws -> Statement {
    try prepare(
      """
      SELECT ordinal, \(column.elementList) FROM \(column.sqlName) WHERE owner = ?1
      ORDER BY ordinal LIMIT 1 OFFSET ?2
      """,
      as: \.elementAt,
      of: list
    )
  }

  /// Selects the ordinals and values starting at offset 2, at most as many as parameter 3.
  func prepareElements(_ column: Column, _ list: ListStatements) throws -> Statement {
    try prepare(
      """
      SELECT ordinal, \(column.elementList) FROM \(column.sqlName) WHERE owner = ?1
      ORDER BY ordinal LIMIT ?3 OFFSET ?2
      """,
      as: \.elements,
      of: list
    )
  }

  /// Parameters: ordinal 2, value 3.
  func prepareInsert(_ column: Column, _ list: ListStatements) throws -> Statement {
    let parameters = column.storage.width == 2 ? "?1, ?2, ?3, ?4" : "?1, ?2, ?3"
    return try prepare(
      "INSERT INTO \(column.sqlName) (owner, ordinal, \(column.elementList)) VALUES (\(parameters))",
      as: \.insert,
      of: list
    )
  }

  /// Parameters: ordinal 2, value 3.
  func prepareUpdate(_ column: Column, _ list: ListStatements) throws -> Statement {
    let nanoseconds = column.storage.width == 2 ? ", value_ns = ?4" : ""
    return try prepare(
      "UPDATE \(column.sqlName) SET value = ?3\(nanoseconds) WHERE owner = ?1 AND ordinal = ?2",
      as: \.update,
      of: list
    )
  }

  /// Parameters: old ordinal 2, new ordinal 3.
  func prepareMove(_ column: Column, _ list: ListStatements) throws -> Statement {
    try prepare(
      "UPDATE \(column.sqlName) SET ordinal = ?3 WHERE owner = ?1 AND ordinal = ?2",
      as: \.move,
      of: list
    )
  }

  /// Parameters: ordinal 2.
  func prepareErase(_ column: Column, _ list: ListStatements) throws -> Statement {
    try prepare("DELETE FROM \(column.sqlName) WHERE owner = ?1 AND ordinal = ?2", as: \.erase, of: list)
  }

  /// Selects the number of elements before the one with value 2, or null if there is none.
  func preparePosition(_ column: Column, _ list: ListStatements) throws -> Statement {
    try prepare(
      """
      SELECT (SELECT count(*) FROM \(column.sqlName) WHERE owner = ?1 AND ordinal < l.ordinal)
      FROM \(column.sqlName) AS l WHERE l.owner = ?1 AND l.value = ?2
      """,
      as: \.position,
      of: list
    )
  }

  func prepareClear(_ column: Column, _ list: ListStatements) throws -> Statement {
    try prepare("DELETE FROM \(column.sqlName) WHERE owner = ?1", as: \.clear, of: list)
  }
}
