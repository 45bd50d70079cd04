// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStore

// Marks that identify a transaction.

extension ItemEdits {
  /// Performs the edits of a transaction between the marks that identify it.
  mutating func transaction(_ key: String, client: Int, _ edit: (inout ItemEdits) throws -> Void) throws {
    try mark(key, SimulationSchema.journal, client: client)
    try edit(&self)
    try appendToBoard(key)
    try mark(key, SimulationSchema.witness, client: client)
  }

  /// Creates the object of a class that marks the presence of a transaction.
  private mutating func mark(_ key: String, _ className: String, client: Int) throws {
    let object = ObjectReference(table: className, key: .string(key))
    try perform(.createObject(object))
    try set(PropertyPath(object: object, field: "client"), .int(Int64(client)))
  }

  /// Appends a transaction to the board's log and increments its counter.
  private mutating func appendToBoard(_ key: String) throws {
    let board = SimulationSchema.theBoard
    guard let table = try objects.table(named: board.table), let log = table.column(named: "log") else {
      throw SimulationFailure("a client has no class \(board.table)")
    }
    if try objects.row(of: board) == nil { try perform(.createObject(board)) }
    guard let row = try objects.row(of: board) else { return }
    let size = UInt32(try objects.listCount(row: row, log))
    let end = PropertyPath(object: board, field: "log", path: [.index(size)])
    try perform(.arrayInsert(end, .value(.string(key)), priorSize: size))
    try perform(.addInteger(PropertyPath(object: board, field: "hits"), delta: 1))
  }
}
