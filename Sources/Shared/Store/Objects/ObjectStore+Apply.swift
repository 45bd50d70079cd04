// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Applies changesets (protocol §6.7).
extension ObjectStore {
  /// Applies instructions in order. If one is invalid, the caller must roll back.
  ///
  /// - Throws: `ApplyError` for an instruction that violates a rule, `StorageError` for errors of the database.
  public func apply(_ instructions: [Instruction]) throws {
    for instruction in instructions { try apply(instruction) }
    try flush()
  }

  /// Applies one instruction.
  ///
  /// - Throws: The same errors as `apply(_:)` with a list.
  public func apply(_ instruction: Instruction) throws {
    do {
      try perform(instruction)
    } catch let error as ObjectError {
      throw ApplyError(instruction: instruction, reason: error.reason)
    } catch let error as StorageError where error.kind == .schemaConflict {
      throw ApplyError(instruction: instruction, reason: .schemaConflict(error.message))
    } catch let error as StorageError where error.kind == .unsupportedSchema {
      throw ApplyError(instruction: instruction, reason: .unsupported(error.message))
    }
  }

  private func perform(_ instruction: Instruction) throws {
    if let (path, edit) = instruction.edit {
      _ = try perform(edit, at: try resolve(path))
      return
    }
    try flush()
    switch instruction {
    case .createObject(let object): try createForSync(object)
    case .eraseObject(let object): try eraseForSync(object)
    case .addTable(let name, let kind, let key): try addTable(name, kind, key)
    case .addColumn(let table, let property, let keyType):
      _ = try requireTable(table)
      if let keyType, keyType != .string {
        throw ObjectError(
          .unsupported(
            "the keys of dictionary '\(table).\(property.name)' must be of type string, not \(keyType)"
          )
        )
      }
      try declareProperty(property, of: table, comparingNullability: false)
    default:
      throw ObjectError(.unsupported("schemas only grow; classes and properties cannot be erased"))
    }
  }

  private func addTable(_ name: String, _ kind: ClassKind, _ key: PropertySchema?) throws {
    guard key != nil || kind == .embedded else {
      throw StorageError.unsupported("classes without a primary key", className: name, property: nil)
    }
    let primaryKey = key.map { PropertySchema(name: $0.name, type: $0.type, isNullable: $0.isNullable) }
    try declareClass(ClassSchema(name: name, kind: kind, primaryKey: primaryKey, properties: []))
  }

  // MARK: Objects

  private func createForSync(_ object: ObjectReference) throws {
    let table = try requireTopLevelTable(object.table)
    try checkKey(object.key, table)
    try flush()
    try database.requireWrite()
    if try !isGreatest(object.key, table), try row(of: object.key, in: table) != nil { return }
    try hold(object.key, table: table, row: try erasedRow(of: object, table) ?? allocateRow(table))
  }

  /// Returns the row of the object if it was the last one erased, so that an object that is erased and created again
  /// keeps its row.
  private func erasedRow(of object: ObjectReference, _ table: ClassTable) -> Int64? {
    if rowsToReuse?.isEmpty == false, let row = rowsToReuse?.removeValue(forKey: object) { return row }
    defer { lastErased = nil }
    guard let erased = lastErased, erased.transaction == database.transactionNumber, erased.table === table,
      erased.key == object.key
    else { return nil }
    return erased.row
  }

  private func eraseForSync(_ object: ObjectReference) throws {
    let table = try requireTopLevelTable(object.table)
    try checkKey(object.key, table)
    // A bootstrap erases every object before it creates it, and most are new.
    if try isGreatest(object.key, table) { return }
    guard let row = try row(of: object.key, in: table) else { return }
    try erase(row: row, in: table)
    rowsToReuse?[object] = row
    lastErased = FoundObject(
      table: table,
      key: object.key,
      row: row,
      transaction: database.transactionNumber
    )
  }

  /// Starts a phase in which an object that is erased and created again at any later time keeps its row. References
  /// to the row remain valid.
  package func startReusingRows() { rowsToReuse = [:] }

  /// Ends the phase started by `startReusingRows`.
  package func stopReusingRows() { rowsToReuse = nil }
}
