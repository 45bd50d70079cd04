// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Writes entire objects to changesets, without an `Instruction` for each plain property.
extension ObjectStore {
  /// Writes what `fullState` returns for the object that `writer` has begun.
  ///
  /// - Parameters:
  ///   - statement: on the object's row, with the values of all single properties from column `first` on.
  package func writeState(
    of row: Int64,
    _ key: PrimaryKey,
    _ statement: Statement,
    from first: Int32,
    in table: ClassTable,
    to writer: ChangesetWriter
  ) throws {
    writer.appendCreation()
    let object = ObjectReference(table: table.name, key: key)
    func write(_ add: (PropertyPath, inout [Instruction]) throws -> Void, _ column: Column) throws {
      var instructions: [Instruction] = []
      try add(PropertyPath(object: object, field: column.schema.name), &instructions)
      for instruction in instructions { writer.append(instruction) }
    }
    var position = first + table.primaryKey.storage.width
    for column in table.singleColumns.dropFirst() {
      defer { position += column.storage.width }
      let cell = statement.cell(CellReader(column, position: position))
      if column.plainKind != nil {
        guard !cell.isInitial(of: column.storage) else { continue }
        writer.appendUpdate(writer.number(of: column.schema.name), cell)
      } else if cell.kind != .null || cell.isLink {
        try write({ try addValue(statement.value(position, column), column, at: $0, to: &$1) }, column)
      }
    }
    for column in table.collectionColumns {
      try write({ try addElements(of: row, column, at: $0, to: &$1) }, column)
    }
  }
}

extension Cell {
  /// Whether a new object has this value in a property with a plain type.
  fileprivate func isInitial(of storage: ValueStorage) -> Bool {
    if storage.isNullable { return kind == .null }
    switch kind {
    case .string, .binary: return second == 0
    case .decimal: return Decimal128(high: first, low: second) == .zero
    default: return first == 0 && second == 0
    }
  }
}
