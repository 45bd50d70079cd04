// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Lookups of paths whose steps are names; nil if there is no such place.
extension ObjectStore {
  /// Returns the number of elements of a list, whether a property or nested in a mixed.
  func listCount(at path: PropertyPath) throws -> Int? {
    if let list = try listProperty(at: path) { return try listCount(row: list.row, list.column) }
    guard case .list(let elements)? = try nestedValue(at: path) else { return nil }
    return elements.count
  }

  /// Returns the row and the column of a list that is a property.
  func listProperty(at path: PropertyPath) throws -> (row: Int64, column: Column)? {
    guard let place = try place(path), place.steps.isEmpty, place.column.isList else { return nil }
    return (place.row, place.column)
  }

  /// Returns the value at a place of type mixed.
  func nestedValue(at path: PropertyPath) throws -> Value? {
    guard let place = try place(path), place.column.storage.type == .mixed else { return nil }
    var rest = place.steps
    var value: Value?
    switch (place.column.schema.collection, rest.first) {
    case (.single, _): value = try storedValue(row: place.row, place.column)
    case (.dictionary, .name(let key)):
      value = try dictionaryValue(of: key, row: place.row, place.column)
      rest = rest.dropFirst()
    default: return nil
    }
    for step in rest {
      guard case .name(let key) = step, case .dictionary(let entries)? = value else { return nil }
      let (index, isThere) = MixedEditor.position(of: key, in: entries)
      value = isThere ? entries[index].value : nil
    }
    return value
  }

  /// Whether an instruction that creates an embedded object here keeps the existing one.
  func embeddedObjectStays(at path: PropertyPath) throws -> Bool {
    guard let place = try place(path), place.steps.isEmpty, place.column.isEmbedded, place.column.isSingle
    else { return false }
    return try storedValue(row: place.row, place.column) != .null
  }

  private func place(_ path: PropertyPath) throws -> Place? {
    do {
      return try resolve(path)
    } catch is ObjectError {
      return nil
    }
  }
}
