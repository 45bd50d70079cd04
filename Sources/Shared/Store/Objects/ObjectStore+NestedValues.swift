// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Makes edits whose place is inside a value of type mixed, or that turn such a value into a collection.
extension ObjectStore {
  /// Makes an edit if it changes the inside of a mixed value.
  ///
  /// - Returns: Whether it did. If not, nothing has changed.
  func performInsideMixed(_ edit: Edit, at place: Place) throws -> Bool {
    guard place.column.storage.type == .mixed else { return false }
    if let open = openMixed, open.transaction == database.transactionNumber,
      let rest = open.inside(edit, place)
    {
      try perform(edit, rest, on: open)
      return true
    }
    guard edit.mayLeadIntoMixed(place), let root = try root(of: edit, place) else { return false }
    try perform(edit, root.inside(edit, place) ?? [], on: root)
    openMixed = root
    return true
  }

  private func perform(_ edit: Edit, _ rest: ArraySlice<PathElement>, on open: OpenMixed) throws {
    try database.requireWrite()
    try MixedEditor(check: checkScalar).apply(edit, to: &open.value, path: rest, depth: open.depth)
    open.isChanged = true
  }

  private func checkScalar(_ value: Value) throws {
    guard !value.isCollection else { throw ObjectError(.wrongPath("a collection is not a value")) }
    try checkMixed(value, depth: 0)
  }

  /// Returns the value inside which the edit makes a change, or nil if it changes the property's own collection.
  private func root(of edit: Edit, _ place: Place) throws -> OpenMixed? {
    let (row, column, steps) = (place.row, place.column, place.steps)
    // Another value may still be open: only one is at a time.
    try flush()
    let kind: OpenMixed.Kind
    let value: Value
    switch (column.schema.collection, steps.first) {
    case (.single, _):
      kind = .property
      value = try storedValue(row: row, column)
    case (.list, .index(let index)) where steps.count > 1 || edit.makesCollection:
      let element = try element(at: Int(index), row: row, column)
      kind = .element(ordinal: element.ordinal)
      value = element.value
    case (.dictionary, .name(let key)) where steps.count > 1 || edit.makesCollection:
      kind = .entry(key: key)
      value = try entryValue(of: key, row: row, column, mayBeNew: steps.count == 1 && edit.isUpdate)
    default: return nil
    }
    let root = Place(column, row: row, column.isSingle ? [] : steps.prefix(1))
    return OpenMixed(root, kind, value: value, transaction: database.transactionNumber)
  }

  private func entryValue(of key: String, row: Int64, _ column: Column, mayBeNew: Bool) throws -> Value {
    if let value = try dictionaryValue(of: key, row: row, column) { return value }
    guard mayBeNew else { throw ObjectError(.missingPlace("the dictionary has no key '\(key)'")) }
    return .null
  }

  /// Returns the value of a property if it is the one currently kept out of the database.
  func openValue(row: Int64, _ column: Column) -> Value? {
    guard let open = openMixed, open.place.row == row, open.place.column === column,
      case .property = open.kind,
      open.transaction == database.transactionNumber
    else { return nil }
    return open.value
  }

  /// Writes a value that was changed inside.
  func write(_ open: OpenMixed) throws {
    openMixed = nil
    guard open.isChanged, open.transaction == database.transactionNumber else { return }
    let (row, column) = (open.place.row, open.place.column)
    switch open.kind {
    case .property: try store(open.value, row: row, column)
    case .element(let ordinal): try updateElement(open.value, ordinal: ordinal, row: row, column)
    case .entry(let key): try dictionarySet(open.value, of: key, row: row, column)
    }
  }
}

extension Edit {
  /// Whether the edit can change anything other than a scalar in a property.
  fileprivate func mayLeadIntoMixed(_ place: Place) -> Bool {
    switch self {
    case .update: !place.steps.isEmpty || makesCollection
    case .addInteger, .arrayInsert, .arrayMove, .arrayErase, .clear: true
    case .setInsert, .setErase: false
    }
  }

  fileprivate var isUpdate: Bool {
    if case .update = self { true } else { false }
  }
}
