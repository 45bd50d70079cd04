// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Resolves the paths of instructions, which start at a top-level object and lead through embedded ones (protocol
/// §6.3).
extension ObjectStore {
  /// The maximum nesting depth of objects, which is also that of the server's documents.
  private static var embeddingLimit: Int { 100 }

  /// Follows a path through any embedded objects.
  ///
  /// - Throws: `ObjectError` if an object on the path, or a property, does not exist.
  package func resolve(_ path: PropertyPath) throws -> Place {
    var column = try requireColumn(path.field, of: try requireTopLevelTable(path.object.table))
    var row = try requireRow(path.object, column.table)
    var rest = path.path[...]
    var depth = 0
    while column.isEmbedded, let step = try stepInside(column, row: row, rest) {
      depth += 1
      guard depth <= Self.embeddingLimit else {
        throw ObjectError(.wrongPath("objects are nested deeper than \(Self.embeddingLimit) levels"))
      }
      row = step.row
      rest = step.rest
      column = try requireColumn(step.field, of: try requireTable(column.schema.linkTarget ?? ""))
    }
    return Place(column, row: row, rest)
  }

  /// Returns the place of a set of a single type that can contain null, or nil if there is no such set or it is a set
  /// of mixed.
  public func nullableSet(at path: PropertyPath) throws -> Place? {
    do {
      let place = try resolve(path)
      let column = place.column
      guard place.steps.isEmpty, column.schema.collection == .set, column.storage.type != .mixed,
        column.schema.isNullable
      else { return nil }
      return place
    } catch is ObjectError {
      return nil
    }
  }

  /// Returns the path to a property of a top-level or embedded object.
  ///
  /// - Throws: `ObjectError.Reason.missingObject` if the object does not exist.
  public func path(to property: String, row: Int64, in table: ClassTable) throws -> PropertyPath {
    var field = property
    var row = row
    var table = table
    var reversed: [PathElement] = []
    while table.isEmbedded {
      let owner = try owner(of: row, in: table)
      reversed.append(.name(field))
      if let element = try element(owner, holding: row) { reversed.append(element) }
      field = owner.column.schema.name
      row = owner.row
      table = owner.column.table
    }
    guard let key = try key(of: row, in: table) else { throw ObjectError(.missingObject) }
    return PropertyPath(
      object: ObjectReference(table: table.name, key: key),
      field: field,
      path: reversed.reversed()
    )
  }

  /// Returns the class and row of the top-level object that contains an object. For a top-level object, this is the
  /// object itself.
  ///
  /// - Throws: `ObjectError.Reason.missingObject` if the object does not exist.
  public func topLevelObject(of row: Int64, in table: ClassTable) throws -> (table: ClassTable, row: Int64) {
    var row = row
    var table = table
    while table.isEmbedded {
      let owner = try owner(of: row, in: table)
      row = owner.row
      table = owner.column.table
    }
    return (table, row)
  }

  func requireTopLevelTable(_ name: String) throws -> ClassTable {
    let table = try requireTable(name)
    guard !table.isEmbedded else { throw ObjectError(.embeddedClass(name)) }
    return table
  }

  func requireColumn(_ name: String, of table: ClassTable) throws -> Column {
    guard let column = table.column(named: name) else {
      throw ObjectError(.unknownProperty(className: table.name, property: name))
    }
    return column
  }

  func requireRow(_ object: ObjectReference, _ table: ClassTable) throws -> Int64 {
    guard let row = try row(of: object.key, in: table) else {
      try checkKey(object.key, table)
      throw ObjectError(.missingObject)
    }
    return row
  }

  private struct Step {
    let row: Int64
    let field: String
    let rest: ArraySlice<PathElement>
  }

  /// Returns the embedded object and the property in it that a path leads to next, or nil if the path ends here.
  private func stepInside(_ column: Column, row: Int64, _ rest: ArraySlice<PathElement>) throws -> Step? {
    var rest = rest
    let value: Value
    switch column.schema.collection {
    case .single:
      guard !rest.isEmpty else { return nil }
      value = try storedValue(row: row, column)
    case .list:
      guard rest.count > 1 else { return nil }
      guard case .index(let index)? = rest.popFirst() else {
        throw ObjectError(
          .wrongPath("a path into the list '\(column.schema.name)' must continue with an index")
        )
      }
      value = try listValue(at: Int(index), row: row, column)
    case .dictionary:
      guard rest.count > 1 else { return nil }
      guard case .name(let key)? = rest.popFirst() else {
        throw ObjectError(
          .wrongPath("a path into the dictionary '\(column.schema.name)' must continue with a key")
        )
      }
      value = try dictionaryValue(of: key, row: row, column) ?? .null
    case .set: return nil
    }
    guard case .name(let field)? = rest.popFirst() else {
      throw ObjectError(
        .wrongPath("a path into an object in '\(column.schema.name)' must continue with a property")
      )
    }
    guard let row = column.embeddedRow(value) else { throw ObjectError(.missingObject) }
    return Step(row: row, field: field, rest: rest)
  }

  /// Returns the step that leads to an embedded object inside its property, or nil for a single-valued property.
  func element(_ owner: Owner, holding row: Int64) throws -> PathElement? {
    switch owner.column.schema.collection {
    case .single, .set: return nil
    case .list: return .index(try place(of: row, owner) { UInt32(truncatingIfNeeded: $0.int(0)) })
    case .dictionary: return .name(try place(of: row, owner) { $0.text(0) })
    }
  }

  /// Reads where in its owner's collection an embedded object is.
  private func place<Place>(of row: Int64, _ owner: Owner, _ read: (Statement) -> Place) throws -> Place {
    let statement = try statement(.placeOfValue, of: owner.column)
    statement.bind(owner.row, at: 1)
    statement.bind(row, at: 2)
    defer { statement.reset() }
    guard try statement.step() else { throw ObjectError(.missingObject) }
    return read(statement)
  }
}
