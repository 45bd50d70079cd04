// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Sets, which are read sorted by value, null first. Indexes count dangling links.
extension ObjectStore {
  /// Returns the number of elements, including dangling links.
  public func setCount(row: Int64, _ column: Column) throws -> Int {
    try flush()
    let set = try setStatements(column)
    let statement = try set.count ?? prepareCount(column, set)
    statement.bind(row, at: 1)
    defer { statement.reset() }
    return try statement.step() ? Int(statement.int(0)) : 0
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
    let set = try setStatements(column)
    try checkFit(value, column)
    try requireOwner(row: row, column)
    guard try element(value, row: row, column) == nil else { return false }
    let statement = try set.insert ?? prepareInsert(column, set)
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
    let set = try setStatements(column)
    try checkFit(value, column)
    try requireOwner(row: row, column)
    guard let element = try element(value, row: row, column) else { return false }
    let statement = try set.erase ?? prepareErase(column, set)
    statement.bind(element, at: 1)
    try statement.run()
    recorder?.modified(row: row, column: column)
    return true
  }

  /// Removes all elements, including dangling links.
  public func setClear(row: Int64, _ column: Column) throws {
    try requireOwner(row: row, column)
    try deleteSet(row: row, column)
    recorder?.modified(row: row, column: column)
  }

  func deleteSet(row: Int64, _ column: Column) throws {
    let set = try setStatements(column)
    let statement = try set.clear ?? prepareClear(column, set)
    statement.bind(row, at: 1)
    try statement.run()
  }

  private func setStatements(_ column: Column) throws -> SetStatements {
    guard let set = column.set else { throw ObjectError(.wrongPath("'\(column.schema.name)' is not a set")) }
    return set
  }

  /// Returns elements with their rows in the set's table.
  private func elements(from index: Int = 0, limit: Int = .max, row: Int64, _ column: Column) throws
    -> [(row: Int64, value: Value)]
  {
    try flush()
    let set = try setStatements(column)
    let statement = try set.elements ?? prepareElements(column, set)
    statement.bind(row, at: 1)
    statement.bind(Int64(index), at: 2)
    statement.bind(Int64(limit), at: 3)
    defer { statement.reset() }
    var elements: [(row: Int64, value: Value)] = []
    while try statement.step() { elements.append((statement.int(0), statement.value(1, column))) }
    return elements
  }

  /// Returns the row of an element in the set's table.
  private func element(_ value: Value, row: Int64, _ column: Column) throws -> Int64? {
    guard column.comparesInSQL else {
      return try elements(row: row, column).first { SetElements.areSame($0.value, value) }?.row
    }
    try flush()
    let set = try setStatements(column)
    let statement = try set.find ?? prepareFind(column, set)
    statement.bind(row, at: 1)
    statement.bind(value, column.storage, at: 2)
    defer { statement.reset() }
    return try statement.step() ? statement.int(0) : nil
  }

  /// Checks that the object whose collection is about to change exists.
  func requireOwner(row: Int64, _ column: Column) throws {
    try flush()
    try database.requireWrite()
    if let found = lastFound, found.row == row, found.table === column.table,
      found.transaction == database.transactionNumber
    {
      return
    }
    guard try exists(row: row, in: column.table) else { throw ObjectError(.missingObject) }
  }
}

extension Column {
  /// Whether SQLite distinguishes and sorts the elements of a set like the app does. It does not if a number can be
  /// represented in several ways.
  fileprivate var comparesInSQL: Bool { storage.type != .mixed && storage.type != .decimal }
}
