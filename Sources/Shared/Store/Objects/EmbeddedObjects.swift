// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Objects that live inside others. Their identity is the row; the place that holds one has the row as a link, and
/// the object knows the place. What erases, replaces or clears the place erases the object.
extension ObjectStore {
  /// Creates an embedded object in a single property, in place of the one that is there.
  ///
  /// - Returns: The row of the new object.
  /// - Throws: `ObjectError` if the property does not hold embedded objects or the owner does not exist.
  public func embed(row: Int64, _ column: Column) throws -> Int64 {
    let target = try embeddedTable(column)
    guard column.isSingle else {
      throw ObjectError(.wrongPath("'\(column.schema.name)' is a collection"))
    }
    try database.requireWrite()
    // Also shows that the owner exists.
    let former = try storedValue(row: row, column)
    try eraseEmbedded([former])
    let embedded = try insertEmbedded(target, row: row, column)
    try store(target.link(embedded), row: row, column)
    return embedded
  }

  /// Creates an embedded object as a new element of a list, so that it ends up at a wire index.
  ///
  /// - Returns: The row of the new object.
  /// - Throws: `ObjectError` if the property is no list of embedded objects or the index is beyond the end.
  public func listEmbed(at index: Int, row: Int64, _ column: Column) throws -> Int64 {
    let target = try embeddedTable(column)
    var embedded: Int64 = 0
    try listInsert(at: index, row: row, column) {
      embedded = try insertEmbedded(target, row: row, column)
      return target.link(embedded)
    }
    return embedded
  }

  /// Creates an embedded object as the value of a dictionary's key, in place of the one that is there.
  ///
  /// - Returns: The row of the new object.
  /// - Throws: `ObjectError` if the property is no dictionary of embedded objects.
  public func dictionaryEmbed(_ key: String, row: Int64, _ column: Column) throws -> Int64 {
    let target = try embeddedTable(column)
    var embedded: Int64 = 0
    try dictionarySet(of: key, row: row, column) {
      embedded = try insertEmbedded(target, row: row, column)
      return target.link(embedded)
    }
    return embedded
  }

  /// Erases an embedded object from its place, as the app does.
  ///
  /// - Returns: What was done, for the changeset: the place was set to null, or left its list.
  /// - Throws: `ObjectError.Reason.missingObject` if there is no such object.
  public func localErase(embedded row: Int64, in table: ClassTable) throws -> Instruction {
    let owner = try owner(of: row, in: table)
    let column = owner.column
    var path = try path(to: column.schema.name, row: owner.row, in: column.table)
    guard let step = try element(owner, holding: row) else {
      try set(.null, row: owner.row, column)
      return .update(path, .value(.null), .isDefault(false))
    }
    path.path.append(step)
    switch step {
    case .index(let index):
      let size = try listCount(row: owner.row, column)
      try listErase(at: Int(index), row: owner.row, column)
      return .arrayErase(path, priorSize: UInt32(truncatingIfNeeded: size))
    case .name(let key):
      try dictionarySet(.null, of: key, row: owner.row, column)
      return .update(path, .value(.null), .isDefault(false))
    }
  }

  /// The place that holds an embedded object.
  struct Owner {
    let column: Column
    let row: Int64
  }

  /// The place that holds an embedded object.
  ///
  /// - Throws: `ObjectError.Reason.missingObject` if the row is gone.
  func owner(of row: Int64, in table: ClassTable) throws -> Owner {
    try flush()
    let statement = try table.ownerStatement ?? prepareOwner(table)
    statement.bind(row, at: 1)
    defer { statement.reset() }
    guard try statement.step(),
      let column = catalog.column(statement.int(2), ofClass: statement.int(0))
    else { throw ObjectError(.missingObject) }
    return Owner(column: column, row: statement.int(1))
  }

  /// Erases the objects that a property holds, and leaves the property as it is.
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

  /// Erases the embedded objects to which the values lead.
  func eraseEmbedded(_ values: [Value]) throws {
    for case .link(let link) in values {
      guard case .int(let row) = link.key else { continue }
      try erase(row: row, in: try requireTable(link.className))
    }
  }

  /// What the recorder has collected in the open write transaction, objects among them that only changed inside of
  /// what they embed.
  public func recordedChanges() throws -> [String: [Int64: ChangeRecorder.RowChange]] {
    guard let recorder else { return [:] }
    try flush()
    try recordOwners(recorder)
    return recorder.changes
  }

  /// Records that objects changed whose embedded objects did. What was erased was recorded with its owner.
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
    let statement = try table.insertStatement ?? prepareEmbeddedInsert(table)
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
  /// The row of the embedded object that a value of the column stands for; nil if it is none.
  package func embeddedRow(_ value: Value) -> Int64? {
    guard isEmbedded, case .link(let link) = value, case .int(let row) = link.key else { return nil }
    return row
  }
}

extension ClassTable {
  /// The value of a place that holds the embedded object.
  func link(_ row: Int64) -> Value { .link(Link(className: name, key: .int(row))) }
}
