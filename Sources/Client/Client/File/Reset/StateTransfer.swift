// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Gives one store the objects of another, touching only what differs (protocol §9.4.2). Objects keep their rows,
/// so the app's handles stay valid.
struct StateTransfer {
  /// The store with the wanted state.
  let source: ObjectStore
  /// The store to change, in a write transaction; it must declare everything that the source declares.
  let target: ObjectStore

  /// Erases, creates and changes objects as needed.
  ///
  /// - Throws: `ApplyError` if the target's schema cannot hold the state, `StorageError`.
  func run() throws {
    for table in try tables(of: target) { try eraseSurplus(in: table) }
    for table in try tables(of: source) { try copy(table) }
    try target.flush()
  }

  /// Returns the classes of top-level objects, sorted by name.
  private func tables(of store: ObjectStore) throws -> [ClassTable] {
    try store.tables.values.filter { $0.kind == .topLevel }.sorted { $0.name < $1.name }
  }

  private func eraseSurplus(in table: ClassTable) throws {
    for row in try target.rows(table) {
      guard let key = try target.key(of: row, in: table) else { continue }
      let object = ObjectReference(table: table.name, key: key)
      if try source.row(of: object) == nil { try target.apply(.eraseObject(object)) }
    }
  }

  private func copy(_ table: ClassTable) throws {
    let present = try target.requireTable(table.name)
    for row in try source.rows(table) {
      guard let key = try source.key(of: row, in: table) else { continue }
      let object = ObjectReference(table: table.name, key: key)
      guard let presentRow = try target.row(of: key, in: present) else {
        try target.apply(try source.fullState(of: row, in: table))
        continue
      }
      var difference = StateDifference(from: source, to: target)
      try difference.compareProperties(
        StateDifference.Place(row: row, table: table),
        StateDifference.Place(row: presentRow, table: present)
      ) { PropertyPath(object: object, field: $0) }
      try target.apply(difference.instructions)
    }
  }
}
