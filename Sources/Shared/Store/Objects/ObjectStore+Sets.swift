// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Sets, which are read sorted by value, null first. Indexes count dangling links.
extension ObjectStore {
  /// Returns the number of elements, including dangling links.
  public func setCount(row: Int64, _ column: Column) throws -> Int {
    try elementCount(of: .set, row: row, column)
  }

  /// Returns at most `limit` elements starting at an index, as stored. A dangling link is returned as a link.
  public func setValues(from index: Int = 0, limit: Int = .max, row: Int64, _ column: Column) throws
    -> [Value]
  {
    guard column.comparesInSQL else {
      let values = try elements(row: row, column).map(\.value).sorted(by: SetElements.precedes)
      return Array(values.dropFirst(index).prefix(limit))
    }
    return try elements(from: index, limit: limit, row: row, column).map(\.value)
  }

  /// Whether the set contains the value.
  public func setContains(_ value: Value, row: Int64, _ column: Column) throws -> Bool {
    guard column.refusal(of: value) == nil else { return false }
    return try element(value, row: row, column) != nil
  }

  /// Adds a value.
  ///
  /// - Returns: Whether the value was new.
  /// - Throws: `ObjectError` if the value does not fit the property or the object does not exist.
  @discardableResult
  public func setInsert(_ value: Value, row: Int64, _ column: Column) throws -> Bool {
    try column.require(.set)
    try checkFit(value, column)
    try requireOwner(row: row, column)
    guard try element(value, row: row, column) == nil else { return false }
    let statement = try statement(.insert, of: column)
    statement.bind(row, at: 1)
    statement.bind(value, column.storage, at: 2)
    try statement.run()
    recorder?.modified(row: row, column: column)
    return true
  }

  /// Removes a value.
  ///
  /// - Returns: Whether the set contained it.
  /// - Throws: `ObjectError` if the value does not fit the property or the object does not exist.
  @discardableResult
  public func setErase(_ value: Value, row: Int64, _ column: Column) throws -> Bool {
    try column.require(.set)
    try checkFit(value, column)
    try requireOwner(row: row, column)
    guard let element = try element(value, row: row, column) else { return false }
    let statement = try statement(.erase, of: column)
    statement.bind(element, at: 1)
    try statement.run()
    recorder?.modified(row: row, column: column)
    return true
  }

  /// Returns elements with their rows in the set's table.
  private func elements(from index: Int = 0, limit: Int = .max, row: Int64, _ column: Column) throws
    -> [(row: Int64, value: Value)]
  {
    try column.require(.set)
    return try elements(from: index, limit: limit, row: row, column) { ($0.int(0), $0.value(1, column)) }
  }

  /// Returns the row of an element in the set's table.
  private func element(_ value: Value, row: Int64, _ column: Column) throws -> Int64? {
    try flush()
    if let element = try exactElement(value, row: row, column) { return element }
    guard !column.comparesInSQL else { return nil }
    for range in NumberRange.all(of: value, isMixed: column.storage.type == .mixed) {
      if let element = try element(value, in: range, row: row, column) { return element }
    }
    return nil
  }

  /// Returns the row of the first element in a range of stored values that is the same as a value.
  private func element(_ value: Value, in range: NumberRange, row: Int64, _ column: Column) throws -> Int64? {
    let statement = try statement(.range, of: column)
    statement.bind(row, at: 1)
    range.lower.bind(to: statement, at: 2)
    range.upper.bind(to: statement, at: 3)
    defer { statement.reset() }
    while try statement.step() {
      if SetElements.areSame(statement.value(1, column), value) { return statement.int(0) }
    }
    return nil
  }

  /// Returns the row of an element that is stored exactly like a value.
  private func exactElement(_ value: Value, row: Int64, _ column: Column) throws -> Int64? {
    let statement = try statement(.find, of: column)
    statement.bind(row, at: 1)
    statement.bind(value, column.storage, at: 2)
    defer { statement.reset() }
    return try statement.step() ? statement.int(0) : nil
  }
}

extension Column {
  /// Whether SQLite distinguishes and sorts the elements of a set like the app does. It does not if a number can be
  /// represented in several ways.
  fileprivate var comparesInSQL: Bool { storage.type != .mixed && storage.type != .decimal }
}
