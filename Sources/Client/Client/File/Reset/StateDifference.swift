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
  mutating func compareProperties(_ wanted: Place, _ present: Place, path: (String) -> PropertyPath) throws {
    guard let wantedValues = try source.storedValues(row: wanted.row, in: wanted.table),
      let presentValues = try target.storedValues(row: present.row, in: present.table)
    else { throw ObjectError(.missingObject) }
    for column in present.table.columns.dropFirst() {
      let path = path(column.schema.name)
      let origin = wanted.table.column(named: column.schema.name)
      if column.isSingle {
        let value = origin.map { wantedValues[$0.index] } ?? present.table.zeroValues[column.index]
        try compare(Element(value, origin), Element(presentValues[column.index], column), at: path)
      } else {
        try compareCollection(
          origin.map { CollectionPlace(row: wanted.row, column: $0) },
          CollectionPlace(row: present.row, column: column),
          at: path
        )
      }
    }
  }

  /// A collection of an object.
  struct CollectionPlace {
    let row: Int64
    let column: Column
  }

  /// Compares a list, a set or a dictionary; one that the source lacks counts as empty.
  mutating func compareCollection(
    _ wanted: CollectionPlace?,
    _ present: CollectionPlace,
    at path: PropertyPath
  ) throws {
    switch present.column.schema.collection {
    case .single: break
    case .list: try compareList(wanted, present, at: path)
    case .set: try compareSet(wanted, present, at: path)
    case .dictionary: try compareDictionary(wanted, present, at: path)
    }
  }

  // MARK: Values

  /// A value of a property, or an element of a collection.
  private struct Element {
    let value: Value
    /// The column of the property; nil if the source lacks it.
    let column: Column?

    init(_ value: Value, _ column: Column?) {
      self.value = value
      self.column = column
    }

    /// The row of an embedded object; nil for another value.
    var embeddedRow: Int64? { column?.embeddedRow(value) }
  }

  /// Compares a property or a dictionary entry.
  private mutating func compare(_ wanted: Element, _ present: Element, at path: PropertyPath) throws {
    guard present.column?.isEmbedded == true else {
      guard wanted.value != present.value else { return }
      instructions += Instruction.placing(wanted.value, at: path, replacing: true)
      return
    }
    switch (wanted.embeddedRow, present.embeddedRow) {
    case (nil, nil): break
    case (nil, .some): instructions.append(.update(path, .value(.null), .isDefault(false)))
    case (let row?, nil):
      instructions.append(.update(path, .object, .isDefault(false)))
      try fill(row, wanted.column, at: path)
    case (.some, .some): try compareEmbedded(wanted, present, at: path)
    }
  }

  /// Fills a new embedded object.
  private mutating func fill(_ row: Int64, _ origin: Column?, at path: PropertyPath) throws {
    guard let table = try embeddedTable(origin, source) else { return }
    instructions += try source.contents(ofEmbedded: row, in: table, at: path)
  }

  private mutating func compareEmbedded(_ wanted: Element, _ present: Element, at path: PropertyPath) throws {
    guard let wantedRow = wanted.embeddedRow, let wantedTable = try embeddedTable(wanted.column, source),
      let presentRow = present.embeddedRow, let presentTable = try embeddedTable(present.column, target)
    else { return }
    try compareProperties(
      Place(row: wantedRow, table: wantedTable),
      Place(row: presentRow, table: presentTable)
    ) { path.appending(.name($0)) }
  }

  private func embeddedTable(_ column: Column?, _ store: ObjectStore) throws -> ClassTable? {
    try column?.schema.linkTarget.map { try store.requireTable($0) }
  }

  /// Reads a collection in both states; it is empty in the wanted one if it is not there.
  private func contents<Content>(
    _ wanted: CollectionPlace?,
    _ present: CollectionPlace,
    _ read: (ObjectStore, Int64, Column) throws -> [Content]
  ) throws -> (wanted: [Content], present: [Content]) {
    let wanted = try wanted.map { try read(source, $0.row, $0.column) } ?? []
    return (wanted, try read(target, present.row, present.column))
  }

  // MARK: Lists

  private mutating func compareList(
    _ wanted: CollectionPlace?,
    _ present: CollectionPlace,
    at path: PropertyPath
  ) throws {
    let (wantedValues, presentValues) = try contents(wanted, present) { try $0.listValues(row: $1, $2) }
    let hunks =
      present.column.isEmbedded
      ? ListDifference.hunks(
        from: try contents(of: presentValues, present.column, target),
        to: try contents(of: wantedValues, wanted?.column, source)
      ) : ListDifference.hunks(from: presentValues, to: wantedValues)
    var count = presentValues.count
    for hunk in hunks {
      let common = min(hunk.old.count, hunk.new.count)
      for offset in 0..<common {
        let index = hunk.new.lowerBound + offset
        let path = path.appending(.index(UInt32(truncatingIfNeeded: index)))
        let element = Element(presentValues[hunk.old.lowerBound + offset], present.column)
        try compareElement(Element(wantedValues[index], wanted?.column), element, count: count, at: path)
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
        try insertElement(Element(wantedValues[index], wanted?.column), count: count, at: path)
        count += 1
      }
    }
  }

  private mutating func compareElement(
    _ wanted: Element,
    _ present: Element,
    count: Int,
    at path: PropertyPath
  ) throws {
    guard wanted.embeddedRow == nil || present.embeddedRow == nil else {
      return try compareEmbedded(wanted, present, at: path)
    }
    let detail = UpdateDetail.priorSize(UInt32(truncatingIfNeeded: count))
    instructions += Instruction.placing(wanted.value, at: path, detail, replacing: true)
  }

  private mutating func insertElement(_ wanted: Element, count: Int, at path: PropertyPath) throws {
    let count = UInt32(truncatingIfNeeded: count)
    guard let row = wanted.embeddedRow else {
      instructions += Instruction.inserting(wanted.value, at: path, priorSize: count)
      return
    }
    instructions.append(.arrayInsert(path, .object, priorSize: count))
    try fill(row, wanted.column, at: path)
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
    _ wanted: CollectionPlace?,
    _ present: CollectionPlace,
    at path: PropertyPath
  ) throws {
    let (wantedValues, presentValues) = try contents(wanted, present) { try $0.setValues(row: $1, $2) }
    let (wantedSet, presentSet) = (Set(wantedValues), Set(presentValues))
    let surplus = presentValues.filter { !wantedSet.contains($0) }
    // Null cannot be erased individually from a typed set.
    if surplus.contains(.null), present.column.storage.type != .mixed {
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
    _ wanted: CollectionPlace?,
    _ present: CollectionPlace,
    at path: PropertyPath
  ) throws {
    var (wantedEntries, presentEntries) = try contents(wanted, present) {
      try $0.dictionaryEntries(row: $1, $2)
    }
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
        let element = Element(next.value, present.column)
        try compare(Element(entry.value, wanted?.column), element, at: entryPath)
      } else {
        try insertEntry(Element(entry.value, wanted?.column), at: entryPath)
      }
    }
    for entry in presentEntries.reversed() { erase(entry.key, at: path) }
  }

  private mutating func erase(_ key: String, at path: PropertyPath) {
    instructions.append(.update(path.appending(.name(key)), .erased, .isDefault(false)))
  }

  private mutating func insertEntry(_ wanted: Element, at path: PropertyPath) throws {
    guard let row = wanted.embeddedRow else {
      instructions += Instruction.placing(wanted.value, at: path, replacing: false)
      return
    }
    instructions.append(.update(path, .object, .isDefault(false)))
    try fill(row, wanted.column, at: path)
  }
}
