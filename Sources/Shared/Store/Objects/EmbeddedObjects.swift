// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Objects that exist only inside others. Their identity is their row. The place that holds an embedded object stores
/// this row as a link, and the object stores its place. Erasing, replacing or clearing the place erases the object.
extension ObjectStore {
  /// Creates an embedded object in a single-valued property, replacing any existing one.
  ///
  /// - Returns: The row of the new object.
  /// - Throws: `ObjectError` if the property does not hold embedded objects or the owner does not exist.
  public func embed(row: Int64, _ column: Column) throws -> Int64 {
    let target = try embeddedTable(column)
    guard column.isSingle else {
      throw ObjectError(.wrongPath("'\(column.schema.name)' is a collection"))
    }
    try database.requireWrite()
    // This read also verifies that the owner exists.
    let former = try storedValue(row: row, column)
    try eraseEmbedded([former])
    let embedded = try insertEmbedded(target, row: row, column)
    try store(target.link(embedded), row: row, column)
    return embedded
  }

  /// Creates an embedded object as a new list element at a wire index.
  ///
  /// - Returns: The row of the new object.
  /// - Throws: `ObjectError` if the property is not a list of embedded objects or the index exceeds the list.
  public func listEmbed(at index: Int, row: Int64, _ column: Column) throws -> Int64 {
    try embed(row: row, column) { try listInsert(at: index, row: row, column, making: $0) }
  }

  /// Creates an embedded object as the value of a dictionary key, replacing any existing one.
  ///
  /// - Returns: The row of the new object.
  /// - Throws: `ObjectError` if the property is not a dictionary of embedded objects.
  public func dictionaryEmbed(_ key: String, row: Int64, _ column: Column) throws -> Int64 {
    try embed(row: row, column) { try dictionarySet(of: key, row: row, column, making: $0) }
  }

  /// Creates an embedded object for an element that `insert` adds, which calls its argument to get the element's value.
  private func embed(row: Int64, _ column: Column, _ insert: (() throws -> Value) throws -> Void) throws
    -> Int64
  {
    let target = try embeddedTable(column)
    var embedded: Int64 = 0
    try insert {
      embedded = try insertEmbedded(target, row: row, column)
      return target.link(embedded)
    }
    return embedded
  }

  /// Moves an embedded object in its list on behalf of the app. Other devices get a new object with the same contents,
  /// because moves do not converge with concurrent changes inside the element (protocol §7.3).
  public func moveEmbedded(from: Int, to: Int, row: Int64, _ column: Column) throws {
    let target = try embeddedTable(column)
    let size = UInt32(truncatingIfNeeded: try listCount(row: row, column))
    let moved = try listValue(at: from, row: row, column)
    try listMove(from: from, to: to, row: row, column)
    guard let capture, let embedded = column.embeddedRow(moved) else { return }
    let list = try path(to: Place(column, row: row))
    let (source, place) = (
      list.appending(.index(UInt32(truncatingIfNeeded: from))),
      list.appending(.index(UInt32(truncatingIfNeeded: to)))
    )
    capture.append(.arrayErase(source, priorSize: size))
    capture.append(.arrayInsert(place, .object, priorSize: size - 1))
    for instruction in try contents(ofEmbedded: embedded, in: target, at: place) {
      capture.append(instruction)
    }
  }

  /// Erases an embedded object from its place on behalf of the app.
  ///
  /// - Returns: The instruction for the changeset, which sets the place to null or erases the element from its list.
  /// - Throws: `ObjectError.Reason.missingObject` if there is no such object.
  public func localErase(embedded row: Int64, in table: ClassTable) throws -> Instruction {
    let owner = try owner(of: row, in: table)
    guard let step = try element(owner, holding: row) else {
      return try change(.update(.value(.null)), at: Place(owner.column, row: owner.row))
    }
    let place = Place(owner.column, row: owner.row, [step])
    switch step {
    case .index:
      let size = try listCount(row: owner.row, owner.column)
      return try change(.arrayErase(priorSize: UInt32(truncatingIfNeeded: size)), at: place)
    case .name: return try change(.update(.value(.null)), at: place)
    }
  }

  /// The place that holds an embedded object.
  public struct Owner {
    /// The property that holds the object, or a collection of such objects.
    public let column: Column
    /// The row of the object that has the property.
    public let row: Int64
  }

  /// Returns the place that holds an embedded object.
  ///
  /// - Throws: `ObjectError.Reason.missingObject` if the row does not exist.
  public func owner(of row: Int64, in table: ClassTable) throws -> Owner {
    try flushPending()
    let statement = try statement(.owner, of: table)
    statement.bind(row, at: 1)
    defer { statement.reset() }
    guard try statement.step(),
      let column = catalog.column(statement.int(2), ofClass: statement.int(0))
    else { throw ObjectError(.missingObject) }
    return Owner(column: column, row: statement.int(1))
  }

  /// Erases the objects that a property holds, but leaves the property unchanged.
  func eraseEmbedded(row: Int64, _ column: Column) throws {
    let values =
      switch column.schema.collection {
      case .single: [try storedValue(row: row, column)]
      case .list: try listValues(row: row, column)
      case .dictionary: try dictionaryEntries(row: row, column).map(\.value)
      case .set: [Value]()
      }
    try eraseEmbedded(values)
  }

  /// Erases the embedded objects that the values link to.
  func eraseEmbedded(_ values: [Value]) throws {
    for case .link(let link) in values {
      guard case .int(let row) = link.key else { continue }
      try erase(row: row, in: try requireTable(link.className))
    }
  }

  /// Returns the changes collected by the recorder in the open write transaction, including objects of which only
  /// embedded objects changed.
  public func recordedChanges() throws -> [String: [Int64: ChangeRecorder.RowChange]] {
    guard let recorder else { return [:] }
    try flush()
    try recordOwners(recorder)
    return recorder.changes
  }

  /// Records a change of every object whose embedded objects changed. Erased embedded objects were recorded along
  /// with their owner.
  private func recordOwners(_ recorder: ChangeRecorder) throws {
    guard catalog.tables.values.contains(where: \.isEmbedded) else { return }
    for (name, rows) in recorder.changes {
      guard let embedded = catalog.tables[name], embedded.isEmbedded else { continue }
      for (row, change) in rows where change != .erased {
        var (row, table) = (row, embedded)
        while table.isEmbedded {
          let owner = try owner(of: row, in: table)
          recorder.modified(row: owner.row, column: owner.column)
          (row, table) = (owner.row, owner.column.table)
        }
      }
    }
  }

  private func embeddedTable(_ column: Column) throws -> ClassTable {
    guard column.isEmbedded, let target = column.schema.linkTarget else {
      throw ObjectError(.wrongPath("'\(column.schema.name)' does not hold embedded objects"))
    }
    return try requireTable(target)
  }

  private func insertEmbedded(_ table: ClassTable, row: Int64, _ column: Column) throws -> Int64 {
    try flush()
    let embedded = try allocateRow(table)
    let statement = try statement(.insertEmbedded, of: table)
    statement.bind(embedded, at: 1)
    statement.bind(column.table.id, at: 2)
    statement.bind(row, at: 3)
    statement.bind(Int64(column.index), at: 4)
    try statement.run()
    recorder?.inserted(row: embedded, in: table)
    return embedded
  }
}

extension Column {
  /// Returns the row of the embedded object that a value of the column refers to, or nil if it refers to none.
  package func embeddedRow(_ value: Value) -> Int64? {
    guard isEmbedded, case .link(let link) = value, case .int(let row) = link.key else { return nil }
    return row
  }
}

extension ClassTable {
  /// Returns the value of a place that holds the embedded object.
  func link(_ row: Int64) -> Value { .link(Link(className: name, key: .int(row))) }
}
