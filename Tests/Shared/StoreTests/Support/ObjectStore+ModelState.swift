// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

@testable import FlexSyncStore
@testable import FlexSyncVectors

extension ObjectStore {
  /// What the app sees, for comparison with the model of the vectors.
  func state() throws -> ModelState {
    var objects: [String: [PrimaryKey: [String: ModelState.Node]]] = [:]
    for (name, table) in try tables where !table.isEmbedded {
      var byKey: [PrimaryKey: [String: ModelState.Node]] = [:]
      for row in try rows(table) {
        if let key = try key(of: row, in: table) { byKey[key] = try fields(row: row, table) }
      }
      objects[name] = byKey
    }
    return ModelState(objects: objects)
  }

  private func fields(row: Int64, _ table: ClassTable) throws -> [String: ModelState.Node] {
    var fields: [String: ModelState.Node] = [:]
    for column in table.columns.dropFirst() { fields[column.schema.name] = try node(row: row, column) }
    return fields
  }

  private func node(row: Int64, _ column: Column) throws -> ModelState.Node {
    switch column.schema.collection {
    case .single: return try node(try value(row: row, column), column)
    case .list:
      return .list(
        try visibleWireIndexes(row: row, column).map {
          try node(try visible(listValue(at: $0, row: row, column)), column)
        }
      )
    case .set:
      let stored = try setValues(row: row, column)
      return .set(Set(try visibleWireIndexes(row: row, column).map { try visible(stored[$0]) }))
    case .dictionary:
      var entries: [[UInt8]: ModelState.Node] = [:]
      for entry in try dictionaryEntries(row: row, column) {
        entries[Array(entry.key.utf8)] = try node(try visible(entry.value), column)
      }
      return .dictionary(entries)
    }
  }

  private func node(_ value: Value, _ column: Column) throws -> ModelState.Node {
    guard column.isEmbedded, case .link(let link) = value, case .int(let row) = link.key,
      let table = try table(named: link.className)
    else { return .value(value) }
    return .object(try fields(row: row, table))
  }
}

extension ModelState.Node {
  /// A value, or what is nested in it.
  static func value(_ value: Value) -> Self {
    switch value {
    case .list(let elements): .list(elements.map { .value($0) })
    case .dictionary(let entries):
      .dictionary(
        Dictionary(
          entries.map { (Array($0.key.utf8), .value($0.value)) },
          uniquingKeysWith: { first, _ in first }
        )
      )
    default: .scalar(value)
    }
  }
}
