// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// The changeset of the open write transaction, written as the rows change.
public final class ChangeCapture {
  private let writer = ChangesetWriter()
  /// Distinguishes changesets: the numbers that a changeset gives to names are worthless in the next one.
  @exclusivity(unchecked) private var generation: UInt64 = 1
  /// The object that the writer has begun, and the changeset for which it has.
  @exclusivity(unchecked) private var subject: (row: Int64, table: ClassTable, generation: UInt64)?

  public init() {}

  /// Whether nothing has changed.
  public var isEmpty: Bool { writer.isEmpty }

  /// The changeset so far, lent until the next change.
  public var bytes: UnsafeBufferPointer<UInt8> { writer.bytes }

  /// Starts the changeset of another transaction.
  public func reset() {
    writer.removeAll()
    generation += 1
    subject = nil
  }

  /// Writes an instruction.
  public func append(_ instruction: Instruction) { writer.append(instruction) }

  /// Writes that a top-level object is created.
  func appendCreation(of key: PrimaryKey, row: Int64, in table: ClassTable) {
    begin(key, row: row, table)
    writer.appendCreation()
  }

  /// Writes that a property of a top-level object is set to a plain value.
  @inline(__always)
  func appendUpdate(_ cell: Cell, row: Int64, _ column: Column, key: () throws -> PrimaryKey) rethrows {
    if subject?.row != row || subject?.table !== column.table || subject?.generation != generation {
      begin(try key(), row: row, column.table)
    }
    if column.captured.generation != generation {
      column.captured = (generation, writer.number(of: column.schema.name))
    }
    writer.appendUpdate(column.captured.number, cell)
  }

  private func begin(_ key: PrimaryKey, row: Int64, _ table: ClassTable) {
    writer.begin(table: table.name, key: key)
    subject = (row, table, generation)
  }
}
