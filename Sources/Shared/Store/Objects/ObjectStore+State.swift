// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Reads entire objects as values and as instructions.
extension ObjectStore {
  /// Returns the stored values of all single-valued properties by column index, with null for collections, or nil if
  /// the row does not exist.
  public func storedValues(row: Int64, in table: ClassTable) throws -> [Value]? {
    try flush()
    let statement = try statement(.row, of: table)
    statement.bind(row, at: 1)
    defer { statement.reset() }
    return try statement.step() ? statement.values(of: table, from: 0) : nil
  }

  /// Returns the instructions that build the object from nothing: its creation, the properties that differ from those
  /// of a new object, the elements of its collections, and the same for its embedded objects (protocol §4.4). Empty
  /// if the row does not exist.
  public func fullState(of row: Int64, in table: ClassTable) throws -> [Instruction] {
    guard !table.isEmbedded, let key = try key(of: row, in: table) else { return [] }
    return try fullState(of: row, key, try existingValues(row: row, in: table), in: table)
  }

  /// `fullState` of an object of which the key and the stored values are known.
  public func fullState(of row: Int64, _ key: PrimaryKey, _ values: [Value], in table: ClassTable) throws
    -> [Instruction]
  {
    let object = ObjectReference(table: table.name, key: key)
    var instructions: [Instruction] = [.createObject(object)]
    try addContent(of: row, values, in: table, to: &instructions) { PropertyPath(object: object, field: $0) }
    return instructions
  }

  private func existingValues(row: Int64, in table: ClassTable) throws -> [Value] {
    guard let values = try storedValues(row: row, in: table) else { throw ObjectError(.missingObject) }
    return values
  }

  /// Returns the instructions that give a property its current state, whatever it was before, by first clearing and
  /// then filling it. Empty if there is no such object or property.
  public func replacement(of property: String, in object: ObjectReference) throws -> [Instruction] {
    guard let table = try table(named: object.table), let row = try row(of: object.key, in: table),
      let column = table.column(named: property)
    else { return [] }
    let path = PropertyPath(object: object, field: property)
    var instructions: [Instruction] = []
    if column.isSingle {
      let value = try storedValue(row: row, column)
      let isReplacing = value != .null && (column.isEmbedded || value.isCollection)
      if isReplacing { instructions.append(.update(path, .value(.null), .isDefault(false))) }
      try addValue(value, column, at: path, to: &instructions)
    } else {
      instructions.append(.clear(path, column.schema.collection))
      try addElements(of: row, column, at: path, to: &instructions)
    }
    return instructions
  }

  /// Returns the instructions that fill a new embedded object.
  ///
  /// - Parameter path: The path to the object.
  public func contents(ofEmbedded row: Int64, in table: ClassTable, at path: PropertyPath) throws
    -> [Instruction]
  {
    var instructions: [Instruction] = []
    let values = try existingValues(row: row, in: table)
    try addContent(of: row, values, in: table, to: &instructions) { path.appending(.name($0)) }
    return instructions
  }

  /// - Parameter path: Returns the path to a property of the object.
  private func addContent(
    of row: Int64,
    _ values: [Value],
    in table: ClassTable,
    to instructions: inout [Instruction],
    path: (String) -> PropertyPath
  ) throws {
    for column in table.singleColumns.dropFirst() where values[column.index] != table.zeroValues[column.index]
    {
      try addValue(values[column.index], column, at: path(column.schema.name), to: &instructions)
    }
    for column in table.collectionColumns {
      try addElements(of: row, column, at: path(column.schema.name), to: &instructions)
    }
  }

  /// Appends the instructions that set a property or a dictionary entry.
  func addValue(
    _ value: Value,
    _ column: Column,
    at path: PropertyPath,
    to instructions: inout [Instruction]
  ) throws {
    guard let row = column.embeddedRow(value) else {
      if value.isCollection {
        instructions += Instruction.placing(value, at: path, replacing: false)
      } else {
        instructions.append(.update(path, .value(value), .isDefault(false)))
      }
      return
    }
    instructions.append(.update(path, .object, .isDefault(false)))
    try addEmbedded(row, column, at: path, to: &instructions)
  }

  /// Appends the contents of the embedded object in a place.
  private func addEmbedded(
    _ row: Int64,
    _ column: Column,
    at path: PropertyPath,
    to instructions: inout [Instruction]
  ) throws {
    let table = try requireTable(column.schema.linkTarget ?? "")
    let values = try existingValues(row: row, in: table)
    try addContent(of: row, values, in: table, to: &instructions) { path.appending(.name($0)) }
  }

  /// Appends the instructions that fill an empty collection.
  func addElements(
    of row: Int64,
    _ column: Column,
    at path: PropertyPath,
    to instructions: inout [Instruction]
  ) throws {
    switch column.schema.collection {
    case .single: break
    case .list:
      for (index, value) in try listValues(row: row, column).enumerated() {
        let position = UInt32(truncatingIfNeeded: index)
        let path = path.appending(.index(position))
        if let row = column.embeddedRow(value) {
          instructions.append(.arrayInsert(path, .object, priorSize: position))
          try addEmbedded(row, column, at: path, to: &instructions)
        } else {
          instructions += Instruction.inserting(value, at: path, priorSize: position)
        }
      }
    case .set: instructions += try setValues(row: row, column).map { .setInsert(path, .value($0)) }
    case .dictionary:
      for entry in try dictionaryEntries(row: row, column) {
        let path = path.appending(.name(entry.key))
        try addValue(entry.value, column, at: path, to: &instructions)
      }
    }
  }

  /// Returns the instructions that declare a class, followed by those that declare its properties (protocol §10.1).
  public static func declarations(of schema: Schema) -> [Instruction] {
    let classes = schema.classes
    let tables = classes.map { classSchema in
      Instruction.addTable(
        name: classSchema.name,
        kind: classSchema.kind,
        primaryKey: classSchema.primaryKey.map {
          PropertySchema(name: $0.name, type: $0.type, isNullable: $0.isNullable)
        }
      )
    }
    let columns = classes.flatMap { classSchema in
      classSchema.properties.map {
        Instruction.addColumn(
          table: classSchema.name,
          $0,
          keyType: $0.collection == .dictionary ? .string : nil
        )
      }
    }
    return tables + columns
  }
}

/// Finds links by their target.
extension ObjectStore {
  /// One place that links to an object.
  public struct IncomingLink {
    /// The property that holds the link.
    public let column: Column
    /// The row of the object that has the property.
    public let row: Int64
  }

  /// Returns the links to a key, whether or not an object with that key exists. An object that links twice from one
  /// list or dictionary occurs twice. Links inside collections nested in a mixed value are not included.
  public func incomingLinks(to object: ObjectReference) throws -> [IncomingLink] {
    try flush()
    try catalog.refresh()
    var links: [IncomingLink] = []
    for column in (catalog.incoming[object.table] ?? []) + catalog.mixedColumns {
      links += try incomingRows(to: object, column).map { IncomingLink(column: column, row: $0) }
    }
    return links
  }

  /// Whether a property of any class may link to objects of a class.
  public func canBeLinked(_ table: ClassTable) throws -> Bool {
    try catalog.refresh()
    return catalog.incoming[table.name]?.isEmpty == false || !catalog.mixedColumns.isEmpty
  }

  /// Returns the rows of the objects that link to an object through one property, in row order. An object that links
  /// more than once occurs that many times.
  public func backlinkRows(to object: ObjectReference, from column: Column) throws -> [Int64] {
    try flush()
    return try incomingRows(to: object, column)
  }

  /// Calls `body` with the row of each object that has a link in a property, and with the row of the target. An object
  /// that links more than once occurs that many times.
  public func forEachLink(of column: Column, _ body: (_ origin: Int64, _ target: Int64) -> Void) throws {
    try flush()
    let statement = try statement(.links, of: column)
    defer { statement.reset() }
    while try statement.step() { body(statement.int(0), statement.int(1)) }
  }

  /// Returns the rows of the objects to which an object links through one property; none if the object does not exist.
  public func linkedRows(row: Int64, _ column: Column) throws -> [Int64] {
    guard column.isSingle else { return try visibleTargetRows(row: row, column) }
    guard try exists(row: row, in: column.table), case .link(let link) = try storedValue(row: row, column)
    else { return [] }
    return try self.row(of: ObjectReference(table: link.className, key: link.key)).map { [$0] } ?? []
  }

  private func incomingRows(to object: ObjectReference, _ column: Column) throws -> [Int64] {
    let statement = try statement(.incoming, of: column)
    statement.bind(.link(Link(className: object.table, key: object.key)), column.storage, at: 1)
    defer { statement.reset() }
    var rows: [Int64] = []
    while try statement.step() { rows.append(statement.int(0)) }
    return rows
  }

  /// Deletes an object on behalf of the app. Links to it are first set to null or removed from their lists and sets.
  ///
  /// - Returns: The instructions for the changeset (protocol §4.8): updates and erasures of elements, followed by the
  ///   erasure of the object. Empty if there is no such object.
  public func localErase(_ object: ObjectReference) throws -> [Instruction] {
    let table = try requireTable(object.table)
    guard let row = try row(of: object.key, in: table) else { return [] }
    var instructions: [Instruction] = []
    for link in try incomingLinks(to: object) where try !isPart(link, ofObjectIn: row, table) {
      instructions.append(try unlink(link, from: object))
    }
    try erase(row: row, in: table)
    instructions.append(.eraseObject(object))
    return instructions
  }

  /// Whether a link belongs to an object or to one of its embedded objects.
  private func isPart(_ link: IncomingLink, ofObjectIn row: Int64, _ table: ClassTable) throws -> Bool {
    let holder = try topLevelObject(of: link.row, in: link.column.table)
    return holder.table === table && holder.row == row
  }

  private func unlink(_ link: IncomingLink, from object: ObjectReference) throws -> Instruction {
    let (row, column) = (link.row, link.column)
    let target = Value.link(Link(className: object.table, key: object.key))
    switch column.schema.collection {
    case .single: return try change(.update(.value(.null)), at: Place(column, row: row))
    case .list:
      let elements = try listValues(row: row, column)
      guard let index = elements.firstIndex(of: target) else { throw ObjectError(.missingObject) }
      return try change(
        .arrayErase(priorSize: UInt32(truncatingIfNeeded: elements.count)),
        at: Place(column, row: row, [.index(UInt32(truncatingIfNeeded: index))])
      )
    case .set: return try change(.setErase(.value(target)), at: Place(column, row: row))
    case .dictionary:
      let entries = try dictionaryEntries(row: row, column)
      guard let key = entries.first(where: { $0.value == target })?.key else {
        throw ObjectError(.missingObject)
      }
      return try change(.update(.value(.null)), at: Place(column, row: row, [.name(key)]))
    }
  }

  /// Makes an edit and returns its instruction.
  func change(_ edit: Edit, at place: Place) throws -> Instruction {
    let path = try path(to: place)
    _ = try perform(edit, at: place)
    return Instruction(edit, at: path)
  }
}

extension Statement {
  /// Returns the stored values of all single-valued properties by column index, with null for collections, from a row
  /// that has them from a column on.
  package func values(of table: ClassTable, from first: Int32) -> [Value] {
    var values = [Value](repeating: .null, count: table.columns.count)
    var position = first
    for column in table.singleColumns {
      values[column.index] = value(position, column)
      position += column.storage.width
    }
    return values
  }
}
