// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Applies changesets as they are decoded, which spares an `Instruction` for each property of each object.
extension ObjectStore {
  /// The object that consecutive instructions set properties of.
  private struct Target {
    let subject: Int
    let row: Int64
    let table: ClassTable
  }

  /// Applies the instructions of a changeset in order. If one is invalid, the caller must roll back.
  ///
  /// - Throws: `ChangesetError` for bytes that are not a changeset, and the errors of `apply(_:)`.
  public func apply(encoded changeset: [UInt8]) throws {
    try changeset.withUnsafeBytes { bytes in
      var reader = ChangesetReader(bytes)
      var target: Target?
      var columns = NamedColumns()
      while let step = try reader.next() {
        switch step {
        case .instruction(let instruction):
          // It may move or erase the object.
          target = nil
          try apply(instruction)
        case .update(let property, let cell):
          if target?.subject != reader.subjectNumber { target = try findTarget(reader) }
          guard let found = target, openMixed == nil,
            let column = columns.column(property, of: found.table, reader), column.canHold(cell)
          else {
            try apply(try reader.lastUpdate())
            continue
          }
          try setUncaptured(plain: cell, row: found.row, column)
        }
      }
    }
    try flush()
  }

  /// Returns nil if there is no such object, which `apply` then reports.
  private func findTarget(_ reader: ChangesetReader) throws -> Target? {
    let object = reader.subject
    guard let table = try table(named: object.table), !table.isEmbedded,
      let row = try row(of: object.key, in: table)
    else { return nil }
    return Target(subject: reader.subjectNumber, row: row, table: table)
  }
}

/// The columns of one class by the numbers of their names in a changeset.
private struct NamedColumns {
  private var table: ClassTable?
  private var columns: [Column?] = []

  @inline(__always)
  mutating func column(_ number: Int, of table: ClassTable, _ reader: ChangesetReader) -> Column? {
    if self.table === table, number < columns.count, let column = columns[number] { return column }
    return find(number, of: table, reader)
  }

  private mutating func find(_ number: Int, of table: ClassTable, _ reader: ChangesetReader) -> Column? {
    if self.table !== table {
      self.table = table
      columns = []
    }
    if number >= columns.count {
      columns += [Column?](repeating: nil, count: reader.nameCount - columns.count)
    }
    columns[number] = table.column(named: reader.name(number))
    return columns[number]
  }
}

extension Column {
  /// Whether nothing about the value needs to be checked but its type.
  @inline(__always)
  fileprivate func canHold(_ cell: Cell) -> Bool {
    guard let plainKind else { return false }
    return cell.kind == plainKind || cell.kind == .null && storage.isNullable
  }
}
