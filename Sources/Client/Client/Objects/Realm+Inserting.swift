// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

extension Realm {
  /// Creates objects from columns of values. A failed object does not exist; those before it do.
  ///
  /// - Parameter inserted: counts the objects created.
  /// - Throws: `CoreError`, `ObjectError`, `StorageError`.
  func insert(_ info: ClassInfo, _ sources: [flx_column_t], count: Int, inserted: inout Int) throws {
    try requireWrite()
    try info.requireTopLevel()
    try requireSubscription(info)
    var batch = try InsertedBatch(self, info, sources, count: count)
    defer { batch.deallocate() }
    defer { noteMembership(info) }
    for index in 0..<count {
      do {
        try batch.insert(index)
      } catch let error where error is CoreError || error is ObjectError {
        let error = CoreError(mapping: error)
        throw CoreError(error.status, "Object \(index): \(error.message)")
      }
      inserted += 1
    }
  }
}

/// Columns of values that become objects of one class.
private struct InsertedBatch {
  private let realm: Realm
  private let info: ClassInfo
  /// Nil for a class without a primary key.
  private let key: InsertedColumn?
  /// The columns of plain values, with space for the values of one object. In plain memory, because an array would be
  /// retained for each value.
  private let plain: UnsafeMutableBufferPointer<InsertedColumn>
  private let cells: UnsafeMutablePointer<Cell>
  /// The columns of links and mixed values.
  private let others: [InsertedColumn]
  private var hasNotedCreation = false

  init(_ realm: Realm, _ info: ClassInfo, _ sources: [flx_column_t], count: Int) throws {
    let columns = try sources.map { try InsertedColumn($0, info, count: count) }
    var indexes: Set<Int> = []
    for column in columns where !indexes.insert(column.column.index).inserted {
      throw CoreError.invalidArgument("There are two columns of the property '\(column.column.path)'.")
    }
    let key = columns.first(where: \.column.isPrimaryKey)
    guard key != nil || info.table.isKeyedByRow else {
      throw CoreError.invalidArgument(
        "There is no column of the primary key '\(info.table.primaryKey.path)', which each object needs."
      )
    }
    self.realm = realm
    self.info = info
    self.key = key
    let plain = columns.filter { $0.holdsCells && !$0.column.isPrimaryKey }
    self.plain = .allocate(capacity: plain.count)
    _ = self.plain.initialize(from: plain)
    others = columns.filter { !$0.holdsCells }
    cells = .allocate(capacity: plain.count)
  }

  func deallocate() {
    plain.deallocate()
    cells.deallocate()
  }

  mutating func insert(_ index: Int) throws {
    // Every value is checked before the object is created.
    let key = try primaryKey(at: index)
    for position in plain.indices {
      guard let cell = plain[position].cell(at: index) else {
        throw try refusal(of: plain[position], at: index)
      }
      (cells + position).initialize(to: cell)
    }
    let values =
      others.isEmpty ? [] : try others.map { try realm.model($0.value(at: index), for: $0.column, $0.traits) }
    for (column, value) in zip(others, values) { try realm.store.checkSettable(value, column.column) }
    let row = try realm.createRow(info, key)
    if !hasNotedCreation {
      realm.writeLog.noteCreated(info.key, row: row)
      hasNotedCreation = true
    }
    for position in plain.indices {
      try plain[position].traits.column._withUnsafeGuaranteedRef { column in
        try realm.store.set(plain: cells[position], row: row, column) { key ?? .int(row) }
      }
    }
    for (column, value) in zip(others, values) {
      try realm.store.write(.update(.value(value)), at: Place(column.column, row: row))
    }
  }

  private func primaryKey(at index: Int) throws -> PrimaryKey? {
    try key.map { try realm.key($0.value(at: index), info) }
  }

  /// Returns the error for a value that the property cannot hold.
  private func refusal(of column: InsertedColumn, at index: Int) throws -> CoreError {
    _ = try realm.model(column.value(at: index), for: column.column, column.traits)
    return CoreError.invalidArgument("The value for '\(column.column.path)' is not valid.")
  }
}
