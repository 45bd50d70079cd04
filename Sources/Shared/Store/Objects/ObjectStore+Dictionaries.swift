// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Dictionaries, which are read in the order of their keys' bytes.
extension ObjectStore {
  /// Returns the number of entries.
  public func dictionaryCount(row: Int64, _ column: Column) throws -> Int {
    try flush()
    let dictionary = try dictionaryStatements(column)
    let statement = try dictionary.count ?? prepareCount(column, dictionary)
    statement.bind(row, at: 1)
    defer { statement.reset() }
    return try statement.step() ? Int(statement.int(0)) : 0
  }

  /// Returns at most `limit` entries starting at an index, as stored. A dangling link is returned as a link.
  public func dictionaryEntries(from index: Int = 0, limit: Int = .max, row: Int64, _ column: Column) throws
    -> [DictionaryEntry]
  {
    try flush()
    let dictionary = try dictionaryStatements(column)
    let statement = try dictionary.entries ?? prepareEntries(column, dictionary)
    statement.bind(row, at: 1)
    statement.bind(Int64(index), at: 2)
    statement.bind(Int64(limit), at: 3)
    defer { statement.reset() }
    var entries: [DictionaryEntry] = []
    while try statement.step() {
      entries.append(DictionaryEntry(statement.text(0), statement.value(1, column)))
    }
    return entries
  }

  /// Returns the value of a key as stored, or nil if there is no such entry.
  public func dictionaryValue(of key: String, row: Int64, _ column: Column) throws -> Value? {
    try flush()
    let dictionary = try dictionaryStatements(column)
    let statement = try dictionary.find ?? prepareFind(column, dictionary)
    statement.bind(row, at: 1)
    statement.bind(key, at: 2)
    defer { statement.reset() }
    return try statement.step() ? statement.value(0, column) : nil
  }

  /// Adds an entry or replaces its value.
  ///
  /// - Throws: `ObjectError` if the value does not fit the property or the object does not exist.
  public func dictionarySet(_ value: Value, of key: String, row: Int64, _ column: Column) throws {
    try checkFit(value, column)
    try dictionarySet(of: key, row: row, column) { value }
  }

  /// Adds an entry or replaces its value. The value is created only after its place has been verified.
  func dictionarySet(of key: String, row: Int64, _ column: Column, making value: () throws -> Value) throws {
    let dictionary = try dictionaryStatements(column)
    try requireOwner(row: row, column)
    try eraseEmbeddedEntry(key, row: row, column)
    let value = try value()
    let statement = try dictionary.set ?? prepareSet(column, dictionary)
    statement.bind(row, at: 1)
    statement.bind(key, at: 2)
    statement.bind(value, column.storage, at: 3)
    try statement.run()
    recorder?.modified(row: row, column: column)
  }

  /// Removes an entry.
  ///
  /// - Returns: Whether the entry existed.
  /// - Throws: `ObjectError` if the object does not exist.
  @discardableResult
  public func dictionaryErase(_ key: String, row: Int64, _ column: Column) throws -> Bool {
    let dictionary = try dictionaryStatements(column)
    try requireOwner(row: row, column)
    try eraseEmbeddedEntry(key, row: row, column)
    let statement = try dictionary.erase ?? prepareErase(column, dictionary)
    statement.bind(row, at: 1)
    statement.bind(key, at: 2)
    try statement.run()
    guard database.changedRowCount > 0 else { return false }
    recorder?.modified(row: row, column: column)
    return true
  }

  /// Removes all entries.
  public func dictionaryClear(row: Int64, _ column: Column) throws {
    try requireOwner(row: row, column)
    if column.isEmbedded { try eraseEmbedded(row: row, column) }
    try deleteDictionary(row: row, column)
    recorder?.modified(row: row, column: column)
  }

  func deleteDictionary(row: Int64, _ column: Column) throws {
    let dictionary = try dictionaryStatements(column)
    let statement = try dictionary.clear ?? prepareClear(column, dictionary)
    statement.bind(row, at: 1)
    try statement.run()
  }

  private func eraseEmbeddedEntry(_ key: String, row: Int64, _ column: Column) throws {
    guard column.isEmbedded, let value = try dictionaryValue(of: key, row: row, column) else { return }
    try eraseEmbedded([value])
  }

  func dictionaryStatements(_ column: Column) throws -> DictionaryStatements {
    guard let dictionary = column.dictionary else {
      throw ObjectError(.wrongPath("'\(column.schema.name)' is not a dictionary"))
    }
    return dictionary
  }
}
