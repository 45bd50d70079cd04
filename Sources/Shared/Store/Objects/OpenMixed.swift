// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// A mixed value that instructions are changing, kept out of the database until a different operation begins.
/// Building a nested collection thus does not read and write the value once per element.
final class OpenMixed {
  /// The kind of place that holds the value.
  enum Place {
    case property
    /// An element of a list, by its ordinal.
    case element(ordinal: Int64)
    /// A dictionary entry.
    case entry(key: String)
  }

  /// The path to the value.
  let path: PropertyPath
  let column: Column
  let row: Int64
  let place: Place
  /// The transaction in which the value was read. A value from a transaction that was rolled back is void.
  let transaction: UInt64
  var value: Value
  var isChanged = false

  init(path: PropertyPath, column: Column, row: Int64, place: Place, value: Value, transaction: UInt64) {
    self.path = path
    self.column = column
    self.row = row
    self.place = place
    self.value = value
    self.transaction = transaction
  }

  /// Returns the steps from the value to the place that an instruction changes. Returns nil if it changes something
  /// else, such as the collection that contains the value as an element.
  func inside(_ instruction: Instruction, _ path: PropertyPath) -> ArraySlice<PathElement>? {
    guard path.object == self.path.object, path.field == self.path.field,
      path.path.starts(with: self.path.path)
    else { return nil }
    let rest = path.path.dropFirst(self.path.path.count)
    if !rest.isEmpty { return rest }
    if case .property = place { return instruction.changesPlaceItself ? rest : nil }
    return instruction.makesCollection ? rest : nil
  }

  /// The number of collections that enclose the value.
  var depth: Int {
    if case .property = place { 0 } else { 1 }
  }
}

extension Instruction {
  /// The place that the instruction changes; nil for instructions on the schema and on entire objects.
  public var path: PropertyPath? {
    switch self {
    case .addTable, .eraseTable, .addColumn, .eraseColumn, .createObject, .eraseObject: nil
    case .update(let path, _, _), .addInteger(let path, _), .arrayInsert(let path, _, _),
      .arrayMove(let path, _, _), .arrayErase(let path, _), .clear(let path, _), .setInsert(let path, _),
      .setErase(let path, _):
      path
    }
  }

  /// Whether the instruction turns its place into a collection, or clears the existing one.
  var makesCollection: Bool {
    switch self {
    case .update(_, let payload, _): payload == .list || payload == .dictionary
    case .clear: true
    default: false
    }
  }

  /// Whether the path of the instruction leads to the value that it changes, not to an element of it.
  fileprivate var changesPlaceItself: Bool {
    switch self {
    case .update, .clear, .addInteger: true
    default: false
    }
  }
}
