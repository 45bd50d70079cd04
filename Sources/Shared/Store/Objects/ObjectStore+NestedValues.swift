// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Applies instructions whose path leads into a value of type mixed, or that turn such a value into a collection.
extension ObjectStore {
  /// Applies an instruction if it changes the inside of a mixed value.
  ///
  /// - Returns: Whether it did. If not, nothing has changed.
  func applyInsideMixed(_ instruction: Instruction) throws -> Bool {
    guard let path = instruction.path else {
      try flush()
      return false
    }
    if let open = openMixed, open.transaction == database.transactionNumber,
      let rest = open.inside(instruction, path)
    {
      try apply(instruction, rest, to: open)
      return true
    }
    try catalog.refresh()
    guard !catalog.mixedColumns.isEmpty, instruction.mayLeadIntoMixed else { return false }
    let resolved = try resolve(path)
    let (column, row, rest) = (resolved.column, resolved.row, resolved.rest)
    guard column.storage.type == .mixed, let root = try root(of: instruction, path, column, row: row, rest)
    else {
      return false
    }
    try apply(instruction, root.inside(instruction, path) ?? [], to: root)
    openMixed = root
    return true
  }

  private func apply(_ instruction: Instruction, _ rest: ArraySlice<PathElement>, to open: OpenMixed) throws {
    try database.requireWrite()
    try MixedEditor(check: checkScalar).apply(instruction, to: &open.value, path: rest, depth: open.depth)
    open.isChanged = true
  }

  private func checkScalar(_ value: Value) throws {
    guard !value.isCollection else { throw ObjectError(.wrongPath("a collection is not a value")) }
    try checkMixed(value, depth: 0)
  }

  /// Returns the value inside which the instruction makes a change, or nil if it changes the property's own
  /// collection.
  private func root(
    of instruction: Instruction,
    _ path: PropertyPath,
    _ column: Column,
    row: Int64,
    _ rest: ArraySlice<PathElement>
  ) throws -> OpenMixed? {
    var root = path
    let place: OpenMixed.Place
    let value: Value
    switch (column.schema.collection, rest.first) {
    case (.single, _):
      root.path.removeLast(rest.count)
      place = .property
      value = try storedValue(row: row, column)
    case (.list, .index(let index)) where rest.count > 1 || instruction.makesCollection:
      root.path.removeLast(rest.count - 1)
      let element = try element(at: Int(index), row: row, column)
      place = .element(ordinal: element.ordinal)
      value = element.value
    case (.dictionary, .name(let key)) where rest.count > 1 || instruction.makesCollection:
      root.path.removeLast(rest.count - 1)
      place = .entry(key: key)
      value = try entryValue(of: key, row: row, column, mayBeNew: rest.count == 1 && instruction.isUpdate)
    default: return nil
    }
    return OpenMixed(
      path: root,
      column: column,
      row: row,
      place: place,
      value: value,
      transaction: database.transactionNumber
    )
  }

  private func entryValue(of key: String, row: Int64, _ column: Column, mayBeNew: Bool) throws -> Value {
    if let value = try dictionaryValue(of: key, row: row, column) { return value }
    guard mayBeNew else { throw ObjectError(.missingPlace("the dictionary has no key '\(key)'")) }
    return .null
  }

  /// Returns the value of a property if it is the one currently kept out of the database.
  func openValue(row: Int64, _ column: Column) -> Value? {
    guard let open = openMixed, open.row == row, open.column === column, case .property = open.place,
      open.transaction == database.transactionNumber
    else { return nil }
    return open.value
  }

  /// Writes a value that was changed inside.
  func write(_ open: OpenMixed) throws {
    openMixed = nil
    guard open.isChanged, open.transaction == database.transactionNumber else { return }
    switch open.place {
    case .property: try store(open.value, row: open.row, open.column)
    case .element(let ordinal): try updateElement(open.value, ordinal: ordinal, row: open.row, open.column)
    case .entry(let key): try dictionarySet(open.value, of: key, row: open.row, open.column)
    }
  }
}

extension Instruction {
  /// Whether the instruction can change anything other than a scalar in a property.
  fileprivate var mayLeadIntoMixed: Bool {
    switch self {
    case .update(let path, _, _): !path.path.isEmpty || makesCollection
    case .addInteger, .arrayInsert, .arrayMove, .arrayErase, .clear: true
    default: false
    }
  }

  fileprivate var isUpdate: Bool {
    if case .update = self { true } else { false }
  }
}
