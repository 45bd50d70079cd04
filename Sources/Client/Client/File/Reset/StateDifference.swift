// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Collects the instructions that make a part of one store equal to the same part of another. Parts that are
/// already equal yield none.
///
/// Links are compared by the keys of their targets, dangling ones included. Embedded objects, which have no
/// identity beyond their place, are compared by their contents.
struct StateDifference {
  /// One side of a comparison: an object, top-level or embedded, of either store.
  struct Place {
    let row: Int64
    let table: ClassTable
  }

  let source: ObjectStore
  let target: ObjectStore
  private(set) var instructions: [Instruction] = []

  /// - Parameters:
  ///   - source: the store with the wanted state.
  ///   - target: the store to change.
  init(from source: ObjectStore, to target: ObjectStore) {
    self.source = source
    self.target = target
  }

  /// Compares all properties of an object. A property that the source lacks counts as new and empty.
  mutating func compareProperties(
    _ wanted: Place,
    _ present: Place,
    path: (String) -> PropertyPath
  ) throws {
    guard let wantedValues = try source.storedValues(row: wanted.row, in: wanted.table),
      let presentValues = try target.storedValues(row: present.row, in: present.table)
    else { throw ObjectError(.missingObject) }
    for column in present.table.columns.dropFirst() {
      let path = path(column.schema.name)
      let origin = wanted.table.column(named: column.schema.name)
      if column.isSingle {
        let value = origin.map { wantedValues[$0.index] } ?? present.table.zeroValues[column.index]
        try compareValue(value, origin, presentValues[column.index], column, at: path)
      } else {
        try compareCollection(
          CollectionPlace(wanted.row, origin),
          CollectionPlace(present.row, column),
          column,
          at: path
        )
      }
    }
  }

  /// A collection of an object; empty if there is no column.
  struct CollectionPlace {
    let row: Int64
    let column: Column?

    init(_ row: Int64, _ column: Column?) {
      self.row = row
      self.column = column
    }
  }

  /// Compares a list, a set or a dictionary.
  ///
  /// - Parameter column: determines the kind of collection.
  mutating func compareCollection(
    _ wanted: CollectionPlace,
    _ present: CollectionPlace,
    _ column: Column,
    at path: PropertyPath
  ) throws {
    switch column.schema.collection {
    case .single: break
    case .list: try compareList(wanted, present, column, at: path)
    case .set: try compareSet(wanted, present, column, at: path)
    case .dictionary: try compareDictionary(wanted, present, column, at: path)
    }
  }

  // MARK: Values

  /// Compares a property or a dictionary entry.
  private mutating func compareValue(
    _ wanted: Value,
    _ origin: Column?,
    _ present: Value,
    _ column: Column,
    at path: PropertyPath
  ) throws {
    guard column.isEmbedded else {
      if wanted != present { instructions += Instruction.placing(wanted, at: path, replacing: true) }
      return
    }
    let wantedRow = origin?.embeddedRow(wanted)
    switch (wantedRow, column.embeddedRow(present)) {
    case (nil, nil): break
    case (nil, .some): instructions.append(.update(path, .value(.null), .isDefault(false)))
    case (let wantedRow?, nil):
      instructions.append(.update(path, .object, .isDefault(false)))
      try fill(wantedRow, origin, at: path)
    case (let wantedRow?, let presentRow?):
      try compareEmbedded(wantedRow, origin, presentRow, column, at: path)
    }
  }

  /// Fills a new embedded object.
  private mutating func fill(_ row: Int64, _ origin: Column?, at path: PropertyPath) throws {
    guard let table = try embeddedTable(origin, source) else { return }
    instructions += try source.contents(ofEmbedded: row, in: table, at: path)
  }

  private mutating func compareEmbedded(
    _ wantedRow: Int64,
    _ origin: Column?,
    _ presentRow: Int64,
    _ column: Column,
    at path: PropertyPath
  ) throws {
    guard let wantedTable = try embeddedTable(origin, source),
      let presentTable = try embeddedTable(column, target)
    else { return }
    try compareProperties(
      Place(row: wantedRow, table: wantedTable),
      Place(row: presentRow, table: presentTable)
    ) { path.appending(.name($0)) }
  }

  private func embeddedTable(_ column: Column?, _ store: ObjectStore) throws -> ClassTable? {
    try column?.schema.linkTarget.map { try store.requireTable($0) }
  }

  // MARK: Lists

  private mutating func compareList(
    _ wanted: CollectionPlace,
    _ present: CollectionPlace,
    _ column: Column,
    at path: PropertyPath
  ) throws {
    let wantedValues = try wanted.column.map { try source.listValues(row: wanted.row, $0) } ?? []
    let presentValues = try present.column.map { try target.listValues(row: present.row, $0) } ?? []
    let hunks =
      column.isEmbedded
      ? ListDifference.hunks(
        from: try contents(of: presentValues, column, target),
        to: try contents(of: wantedValues, wanted.column, source)
      ) : ListDifference.hunks(from: presentValues, to: wantedValues)
    var count = presentValues.count
    for hunk in hunks {
      let common = min(hunk.old.count, hunk.new.count)
      for offset in 0..<common {
        let index = hunk.new.lowerBound + offset
        let path = path.appending(.index(UInt32(truncatingIfNeeded: index)))
        let present = presentValues[hunk.old.lowerBound + offset]
        try compareElement(wantedValues[index], wanted.column, present, column, count: count, at: path)
      }
      // Everything before this place already matches.
      let place = hunk.new.lowerBound + common
      for _ in common..<max(common, hunk.old.count) {
        let path = path.appending(.index(UInt32(truncatingIfNeeded: place)))
        instructions.append(.arrayErase(path, priorSize: UInt32(truncatingIfNeeded: count)))
        count -= 1
      }
      for index in place..<max(place, hunk.new.upperBound) {
        let path = path.appending(.index(UInt32(truncatingIfNeeded: index)))
        try insertElement(wantedValues[index], wanted.column, count: count, at: path)
        count += 1
      }
    }
  }

  private mutating func compareElement(
    _ wanted: Value,
    _ origin: Column?,
    _ present: Value,
    _ column: Column,
    count: Int,
    at path: PropertyPath
  ) throws {
    if let wantedRow = origin?.embeddedRow(wanted), let presentRow = column.embeddedRow(present) {
      return try compareEmbedded(wantedRow, origin, presentRow, column, at: path)
    }
    let detail = UpdateDetail.priorSize(UInt32(truncatingIfNeeded: count))
    instructions += Instruction.placing(wanted, at: path, detail, replacing: true)
  }

  private mutating func insertElement(
    _ wanted: Value,
    _ origin: Column?,
    count: Int,
    at path: PropertyPath
  ) throws {
    let count = UInt32(truncatingIfNeeded: count)
    guard let row = origin?.embeddedRow(wanted) else {
      instructions += Instruction.inserting(wanted, at: path, priorSize: count)
      return
    }
    instructions.append(.arrayInsert(path, .object, priorSize: count))
    try fill(row, origin, at: path)
  }

  /// Returns the contents of embedded objects, for comparison.
  private func contents(of values: [Value], _ column: Column?, _ store: ObjectStore) throws
    -> [[Instruction]]
  {
    guard let column, let table = try embeddedTable(column, store) else { return [] }
    let root = PropertyPath(object: ObjectReference(table: "", key: .null), field: "")
    return try values.map { value in
      guard let row = column.embeddedRow(value) else { return [] }
      return try store.contents(ofEmbedded: row, in: table, at: root)
    }
  }

  // MARK: Sets and dictionaries

  private mutating func compareSet(
    _ wanted: CollectionPlace,
    _ present: CollectionPlace,
    _ column: Column,
    at path: PropertyPath
  ) throws {
    let wantedValues = try wanted.column.map { try source.setValues(row: wanted.row, $0) } ?? []
    let presentValues = try present.column.map { try target.setValues(row: present.row, $0) } ?? []
    let (wantedSet, presentSet) = (Set(wantedValues), Set(presentValues))
    let surplus = presentValues.filter { !wantedSet.contains($0) }
    // Null cannot be erased individually from a typed set.
    if surplus.contains(.null), column.storage.type != .mixed {
      instructions.append(.clear(path, .set))
      instructions += wantedValues.map { .setInsert(path, .value($0)) }
      return
    }
    instructions += surplus.map { .setErase(path, .value($0)) }
    instructions += wantedValues.filter { !presentSet.contains($0) }.map {
      .setInsert(path, .value($0))
    }
  }

  private mutating func compareDictionary(
    _ wanted: CollectionPlace,
    _ present: CollectionPlace,
    _ column: Column,
    at path: PropertyPath
  ) throws {
    let wantedEntries = try wanted.column.map { try source.dictionaryEntries(row: wanted.row, $0) } ?? []
    var presentEntries = try present.column.map { try target.dictionaryEntries(row: present.row, $0) } ?? []
    presentEntries.reverse()
    // Both are sorted by key.
    for entry in wantedEntries {
      while let next = presentEntries.last, UTF8Order.isLess(next.key, entry.key) {
        presentEntries.removeLast()
        erase(next.key, at: path)
      }
      let entryPath = path.appending(.name(entry.key))
      if let next = presentEntries.last, UTF8Order.areEqual(next.key, entry.key) {
        presentEntries.removeLast()
        try compareValue(entry.value, wanted.column, next.value, column, at: entryPath)
      } else {
        try insertEntry(entry.value, wanted.column, at: entryPath)
      }
    }
    for entry in presentEntries.reversed() { erase(entry.key, at: path) }
  }

  private mutating func erase(_ key: String, at path: PropertyPath) {
    instructions.append(.update(path.appending(.name(key)), .erased, .isDefault(false)))
  }

  private mutating func insertEntry(_ value: Value, _ origin: Column?, at path: PropertyPath) throws {
    guard let row = origin?.embeddedRow(value) else {
      instructions += Instruction.placing(value, at: path, replacing: false)
      return
    }
    instructions.append(.update(path, .object, .isDefault(false)))
    try fill(row, origin, at: path)
  }
}
