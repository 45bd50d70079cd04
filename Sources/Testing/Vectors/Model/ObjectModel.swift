// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// The simplest possible store that follows the rules for applying instructions (protocol §6.7).
///
/// It serves as a reference for tests: of merges, which must lead to one state, and of storage engines, which must
/// hold the same state. Links are stored by class and key, so a link to a missing object dangles until the object
/// appears.
public struct ObjectModel: Sendable {
  struct Table: Sendable {
    let kind: ClassKind
    let primaryKey: PropertySchema?
    var columns: [String: ModelColumn] = [:]
    var objects: [PrimaryKey: [ModelColumn.ID: ModelNode]] = [:]
  }

  private(set) var tables: [String: Table] = [:]
  private var nextColumnID = 0

  public init() {}

  /// Applies the instructions in order. If one fails, those before it remain applied.
  public mutating func apply(_ instructions: [Instruction]) throws(ModelError) {
    for instruction in instructions { try apply(instruction) }
  }

  /// Applies one instruction.
  ///
  /// - Throws: `ModelError` if the rules refuse it; the model is then unchanged.
  public mutating func apply(_ instruction: Instruction) throws(ModelError) {
    switch instruction {
    case .addTable(let name, let kind, let key): try addTable(name, kind, key)
    case .eraseTable(let name): try eraseTable(name)
    case .addColumn(let table, let property, let keyType): try addColumn(table, property, keyType)
    case .eraseColumn(let name, let column):
      guard tables[name]?.columns.removeValue(forKey: column) != nil else {
        throw ModelError("no property \(name).\(column) to erase")
      }
    case .createObject(let object): try create(object)
    case .eraseObject(let object):
      _ = try table(object.table)
      tables[object.table]?.objects[object.key] = nil
    case .update(let path, _, _), .addInteger(let path, _), .arrayInsert(let path, _, _),
      .arrayMove(let path, _, _), .arrayErase(let path, _), .clear(let path, _), .setInsert(let path, _),
      .setErase(let path, _):
      try apply(instruction, at: path)
    }
  }

  private mutating func apply(_ instruction: Instruction, at path: PropertyPath) throws(ModelError) {
    let table = try table(path.object.table)
    guard var object = table.objects[path.object.key] else {
      throw ModelError("no object \(path.object.table)(\(path.object.key))")
    }
    guard let column = table.columns[path.field] else {
      throw ModelError("no property \(path.object.table).\(path.field)")
    }
    let slot = ModelSlot(column.schema)
    var node = object[column.id] ?? .initial(slot)
    try apply(instruction, to: &node, slot, path: path.path[...])
    object[column.id] = node
    tables[path.object.table]?.objects[path.object.key] = object
  }

  func table(_ name: String) throws(ModelError) -> Table {
    guard let table = tables[name] else { throw ModelError("no class \(name)") }
    return table
  }
}

// MARK: - Schema and objects

extension ObjectModel {
  private mutating func addTable(
    _ name: String,
    _ kind: ClassKind,
    _ key: PropertySchema?
  ) throws(ModelError) {
    if let existing = tables[name] {
      guard existing.kind == kind, existing.primaryKey == key else {
        throw ModelError("class \(name) is there with another declaration")
      }
    } else {
      tables[name] = Table(kind: kind, primaryKey: key)
    }
  }

  private mutating func eraseTable(_ name: String) throws(ModelError) {
    _ = try table(name)
    for (owner, table) in tables where owner != name {
      guard table.columns.values.allSatisfy({ $0.schema.linkTarget != name }) else {
        throw ModelError("\(owner) has links to the class \(name)")
      }
    }
    tables[name] = nil
  }

  /// Whether the property can be null is not compared if the property already exists.
  private mutating func addColumn(
    _ name: String,
    _ property: PropertySchema,
    _ keyType: ValueType?
  ) throws(ModelError) {
    let table = try table(name)
    guard keyType == nil || keyType == .string else {
      throw ModelError("dictionary \(name).\(property.name) with such keys")
    }
    if let target = property.linkTarget { _ = try self.table(target) }
    if let existing = table.columns[property.name]?.schema {
      guard existing.type == property.type, existing.collection == property.collection,
        existing.linkTarget == property.linkTarget
      else { throw ModelError("property \(name).\(property.name) is there with another declaration") }
    } else {
      nextColumnID += 1
      tables[name]?.columns[property.name] = ModelColumn(id: nextColumnID, schema: property)
    }
  }

  private mutating func create(_ object: ObjectReference) throws(ModelError) {
    let table = try table(object.table)
    guard table.kind != .embedded, let declaration = table.primaryKey else {
      throw ModelError("\(object.table) has no objects of its own")
    }
    guard let value = object.key.value,
      value.type == declaration.type || value == .null && declaration.isNullable
    else { throw ModelError("no key of \(object.table): \(object.key)") }
    if table.objects[object.key] == nil { tables[object.table]?.objects[object.key] = [:] }
  }
}
