// SPDX-License-Identifier: Apache-2.0

/// The statements of a dictionary property, each prepared on first use. Parameter 1 is the owner's row.
final class DictionaryStatements {
  var count: Statement?
  var entries: Statement?
  var find: Statement?
  var set: Statement?
  var erase: Statement?
  var clear: Statement?
  var keyOfValue: Statement?
}

extension ObjectStore {
  func prepareCount(_ column: Column, _ dictionary: DictionaryStatements) throws -> Statement {
    try prepare("SELECT count(*) FROM \(column.sqlName) WHERE owner = ?1", as: \.count, of: dictionary)
  }

  /// Selects the keys and values starting at offset 2, at most as many as parameter 3.
  func prepareEntries(_ column: Column, _ dictionary: DictionaryStatements) throws -> Statement {
    try prepare(
      """
      SELECT key, \(column.elementList) FROM \(column.sqlName) WHERE owner = ?1
      ORDER BY key LIMIT ?3 OFFSET ?2
      """,
      as: \.entries,
      of: dictionary
    )
  }

  /// Selects the value of key 2.
  func prepareFind(_ column: Column, _ dictionary: DictionaryStatements) throws -> Statement {
    try prepare(
      "SELECT \(column.elementList) FROM \(column.sqlName) WHERE owner = ?1 AND key = ?2",
      as: \.find,
      of: dictionary
    )
  }

  /// Parameters: key 2, value 3.
  func prepareSet(_ column: Column, _ dictionary: DictionaryStatements) throws -> Statement {
    let isWide = column.storage.width == 2
    return try prepare(
      """
      INSERT INTO \(column.sqlName) (owner, key, \(column.elementList)) VALUES (?1, ?2, ?3\(isWide ? ", ?4" : ""))
      ON CONFLICT (owner, key) DO UPDATE SET value = ?3\(isWide ? ", value_ns = ?4" : "")
      """,
      as: \.set,
      of: dictionary
    )
  }

  /// Parameters: key 2.
  func prepareErase(_ column: Column, _ dictionary: DictionaryStatements) throws -> Statement {
    try prepare("DELETE FROM \(column.sqlName) WHERE owner = ?1 AND key = ?2", as: \.erase, of: dictionary)
  }

  /// Selects the key of value 2.
  func prepareKeyOfValue(_ column: Column, _ dictionary: DictionaryStatements) throws -> Statement {
    try prepare(
      "SELECT key FROM \(column.sqlName) WHERE owner = ?1 AND value = ?2",
      as: \.keyOfValue,
      of: dictionary
    )
  }

  func prepareClear(_ column: Column, _ dictionary: DictionaryStatements) throws -> Statement {
    try prepare("DELETE FROM \(column.sqlName) WHERE owner = ?1", as: \.clear, of: dictionary)
  }
}
