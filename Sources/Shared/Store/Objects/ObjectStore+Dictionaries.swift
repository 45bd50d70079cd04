// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Dictionaries, which are read in the order of their keys' bytes.
extension ObjectStore {
  /// Returns the number of entries.
  public func dictionaryCount(row: Int64, _ column: Column) throws -> Int {
    try elementCount(of: .dictionary, row: row, column)
  }

  /// Returns at most `limit` entries starting at an index, as stored. A dangling link is returned as a link.
  public func dictionaryEntries(from index: Int = 0, limit: Int = .max, row: Int64, _ column: Column) throws
    -> [DictionaryEntry]
  {
    try column.require(.dictionary)
    return try elements(from: index, limit: limit, row: row, column) {
      DictionaryEntry($0.text(0), $0.value(1, column))
    }
  }

  /// Returns the value of a key as stored, or nil if there is no such entry.
  public func dictionaryValue(of key: String, row: Int64, _ column: Column) throws -> Value? {
    try flush(for: column)
    try column.require(.dictionary)
    let statement = try statement(.find, of: column)
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
    try column.require(.dictionary)
    try requireOwner(row: row, column)
    try eraseEmbeddedEntry(key, row: row, column)
    let value = try value()
    let statement = try statement(.insert, of: column)
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
    try column.require(.dictionary)
    try requireOwner(row: row, column)
    try eraseEmbeddedEntry(key, row: row, column)
    let statement = try statement(.erase, of: column)
    statement.bind(row, at: 1)
    statement.bind(key, at: 2)
    try statement.run()
    guard database.changedRowCount > 0 else { return false }
    recorder?.modified(row: row, column: column)
    return true
  }

  private func eraseEmbeddedEntry(_ key: String, row: Int64, _ column: Column) throws {
    guard column.isEmbedded, let value = try dictionaryValue(of: key, row: row, column) else { return }
    try eraseEmbedded([value])
  }
}
