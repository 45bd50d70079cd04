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
    if try applyInsideMixed(instruction) { return }
    if openMixed != nil { try flush() }
    switch instruction {
    case .createObject(let object): try createForSync(object)
    case .eraseObject(let object): try eraseForSync(object)
    case .update(let path, let payload, _): try update(path, payload)
    case .addInteger(let path, let delta): try add(delta, to: path)
    case .arrayInsert(let path, let payload, let priorSize): try insert(payload, at: path, Int(priorSize))
    case .arrayMove(let path, let to, let priorSize): try move(path, to: Int(to), Int(priorSize))
    case .arrayErase(let path, let priorSize): try erase(path, Int(priorSize))
    case .clear(let path, let kind): try clear(path, kind)
    case .addTable(let name, let kind, let key): try addTable(name, kind, key)
    case .addColumn(let table, let property, _):
      _ = try requireTable(table)
      try declareProperty(property, of: table, comparingNullability: false)
    case .eraseTable, .eraseColumn:
      throw ObjectError(.unsupported("schemas only grow; classes and properties cannot be erased"))
    case .setInsert(let path, let payload): try setInsert(payload, path)
    case .setErase(let path, let payload): try setErase(payload, path)
    }
  }

  private func addTable(_ name: String, _ kind: ClassKind, _ key: PrimaryKeyDeclaration?) throws {
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
    if let row = rowsToReuse?.removeValue(forKey: object) { return row }
    defer { lastErased = nil }
    guard let erased = lastErased, erased.transaction == database.transactionNumber, erased.table === table,
      erased.key == object.key
    else { return nil }
    return erased.row
  }

  private func eraseForSync(_ object: ObjectReference) throws {
    let table = try requireTopLevelTable(object.table)
    try checkKey(object.key, table)
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

  // MARK: Paths

  /// Returns the list, owner and index of a path that ends in a list element.
  private func element(of path: PropertyPath) throws -> (column: Column, row: Int64, index: Int) {
    try element(of: try resolve(path))
  }

  private func element(of place: ResolvedPath) throws -> (column: Column, row: Int64, index: Int) {
    let name = place.column.schema.name
    guard place.column.isList else { throw ObjectError(.wrongPath("'\(name)' is not a list")) }
    guard place.rest.count == 1, case .index(let index)? = place.rest.first else {
      throw ObjectError(.wrongPath("a path into '\(name)' must end in an index"))
    }
    return (place.column, place.row, Int(index))
  }

  private func value(_ payload: Payload) throws -> Value {
    switch payload {
    case .value(let value) where !value.isCollection: return value
    case .globalKey: return .null
    case .value, .object, .dictionary, .list, .set, .erased:
      throw ObjectError(.wrongPath("the property cannot hold the payload '\(payload)'"))
    }
  }

  /// Returns the value that a payload creates as an element of a collection, which may be of type mixed.
  private func value(_ payload: Payload, _ column: Column) throws -> Value {
    guard column.storage.type == .mixed else { return try value(payload) }
    switch payload {
    case .list: return .list([])
    case .dictionary: return .dictionary([])
    default: return try value(payload)
    }
  }

  // MARK: Values

  private func update(_ path: PropertyPath, _ payload: Payload) throws {
    if try updatePending(path, payload) { return }
    let place = try resolve(path)
    if place.column.schema.collection == .dictionary { return try updateEntry(place, payload) }
    if payload == .object { return try updateToObject(place) }
    guard place.rest.isEmpty else {
      let (column, row, index) = try element(of: place)
      return try listSet(try value(payload), at: index, row: row, column)
    }
    try set(try value(payload), row: place.row, place.column)
  }

  /// Updates the pending object if the path leads to one of its values.
  private func updatePending(_ path: PropertyPath, _ payload: Payload) throws -> Bool {
    guard let table = pending.table, path.path.isEmpty, pending.transaction == database.transactionNumber,
      pending.key == path.object.key, table.name == path.object.table,
      let column = table.column(named: path.field), !column.isEmbedded
    else { return false }
    let value = try value(payload)
    try checkSettable(value, column)
    pending.assign(column) { $0.bind(value, column.storage, at: $1) }
    return true
  }

  /// Creates an embedded object unless one exists.
  private func updateToObject(_ place: ResolvedPath) throws {
    guard place.column.isEmbedded, place.column.isSingle || !place.rest.isEmpty else {
      throw ObjectError(.wrongPath("'\(place.column.schema.name)' does not hold embedded objects"))
    }
    guard place.rest.isEmpty else {
      let (column, row, index) = try element(of: place)
      _ = try listValue(at: index, row: row, column)
      return
    }
    guard try storedValue(row: place.row, place.column) == .null else { return }
    _ = try embed(row: place.row, place.column)
  }

  private func add(_ delta: Int64, to path: PropertyPath) throws {
    let place = try resolve(path)
    let (column, row) = (place.column, place.row)
    guard place.rest.isEmpty, column.isSingle else {
      throw ObjectError(.wrongPath("only a property can be incremented"))
    }
    guard column.storage.type == .int || column.storage.type == .mixed else {
      throw ObjectError(.wrongType(expected: .int, found: column.storage.type))
    }
    switch try storedValue(row: row, column) {
    case .int(let value): try set(.int(value &+ delta), row: row, column)
    case .null: break
    case let value: throw ObjectError(.wrongType(expected: .int, found: value.type ?? .mixed))
    }
  }

  // MARK: Lists

  private func insert(_ payload: Payload, at path: PropertyPath, _ priorSize: Int) throws {
    let (column, row, index) = try element(of: path)
    try checkSize(priorSize, row: row, column)
    guard payload == .object else {
      return try listInsert(try value(payload, column), at: index, row: row, column)
    }
    _ = try listEmbed(at: index, row: row, column)
  }

  private func move(_ path: PropertyPath, to: Int, _ priorSize: Int) throws {
    let (column, row, index) = try element(of: path)
    try checkSize(priorSize, row: row, column)
    guard index != to else { throw ObjectError(.wrongPath("an element cannot move to its own index")) }
    try listMove(from: index, to: to, row: row, column)
  }

  private func erase(_ path: PropertyPath, _ priorSize: Int) throws {
    let (column, row, index) = try element(of: path)
    try checkSize(priorSize, row: row, column)
    try listErase(at: index, row: row, column)
  }

  private func checkSize(_ expected: Int, row: Int64, _ column: Column) throws {
    let size = try changeableEnd(row: row, column).count
    guard size == expected else { throw ObjectError(.wrongPriorSize(expected: expected, found: size)) }
  }

  // MARK: Sets and dictionaries

  private func set(of path: PropertyPath) throws -> (column: Column, row: Int64) {
    let place = try resolve(path)
    guard place.rest.isEmpty, place.column.schema.collection == .set else {
      throw ObjectError(.wrongPath("'\(place.column.schema.name)' is not a set"))
    }
    return (place.column, place.row)
  }

  private func setInsert(_ payload: Payload, _ path: PropertyPath) throws {
    let (column, row) = try set(of: path)
    try setInsert(try value(payload), row: row, column)
  }

  /// Erases a value from a set. This instruction cannot remove null from a typed set, because no peer implements
  /// that.
  private func setErase(_ payload: Payload, _ path: PropertyPath) throws {
    let (column, row) = try set(of: path)
    let value = try value(payload)
    guard value != .null || column.storage.type == .mixed else { throw ObjectError(.notNullable) }
    try setErase(value, row: row, column)
  }

  private func updateEntry(_ place: ResolvedPath, _ payload: Payload) throws {
    let (column, row) = (place.column, place.row)
    guard place.rest.count == 1, case .name(let key)? = place.rest.first else {
      throw ObjectError(.wrongPath("a path into '\(column.schema.name)' must end in a key"))
    }
    switch payload {
    case .erased: try dictionaryErase(key, row: row, column)
    case .object: _ = try dictionaryEmbed(key, row: row, column)
    default: try dictionarySet(try value(payload), of: key, row: row, column)
    }
  }

  // MARK: Collections

  /// Clears a collection. Peers that speak a protocol version before 13 write `.single`, meaning any kind of
  /// collection.
  private func clear(_ path: PropertyPath, _ kind: CollectionKind) throws {
    let place = try resolve(path)
    let (column, row) = (place.column, place.row)
    guard place.rest.isEmpty, !column.isSingle, kind == column.schema.collection || kind == .single else {
      throw ObjectError(.wrongPath("'\(column.schema.name)' is not a \(kind)"))
    }
    switch column.schema.collection {
    case .single: break
    case .list: try listClear(row: row, column)
    case .set: try setClear(row: row, column)
    case .dictionary: try dictionaryClear(row: row, column)
    }
  }
}
