// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// The live list in a property of an object; `NestedList` is the one inside a mixed.
///
/// Indexes are those visible to the app: elements whose target is not on this device do not count. Instructions and
/// the storage do count them (protocol §6.7).
class ManagedList {
  /// The number of value elements read at once.
  private static let windowSize = 256

  let object: ManagedObject
  let column: Column
  private var texts = TextArena()
  /// The realm's stamp at which the caches below are valid.
  private var stamp: UInt64 = 0
  private var cachedCount: Int?
  /// The elements from `windowStart` on; not used for lists of links.
  private var window: [Value] = []
  private var windowStart = 0
  /// For links: the rows of the existing targets.
  private var targetRows: [Int64] = []

  var realm: Realm { object.realm }
  private var isOfLinks: Bool { column.schema.type == .link }

  /// - Throws: `CoreError` OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH.
  init(_ object: ManagedObject, _ property: flx_property_key_t) throws {
    _ = try object.currentValues()
    column = try object.info.column(property)
    guard column.isList else {
      throw CoreError(.typeMismatch, "The property '\(column.path)' is not a list.")
    }
    self.object = object
  }

  /// Creates the handle of a list nested in a mixed property.
  init(nestedIn object: ManagedObject, _ column: Column) {
    self.object = object
    self.column = column
  }

  /// Returns the list of a property, or the one that a mixed property holds.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH.
  static func list(of object: ManagedObject, _ property: flx_property_key_t) throws -> ManagedList {
    guard let place = try object.mixedPlace(property) else { return try ManagedList(object, property) }
    return try place.list()
  }

  /// Returns the subject for an observer.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED.
  func watch() throws -> CollectionWatch {
    _ = try object.currentValues()
    return CollectionWatch(object: object, column: column)
  }

  // MARK: Reading

  func count() throws -> Int {
    try revalidate()
    if isOfLinks { return targetRows.count }
    if let cachedCount { return cachedCount }
    let count = try realm.store.listCount(row: object.row, column)
    cachedCount = count
    return count
  }

  /// - Throws: `CoreError` INDEX_OUT_OF_BOUNDS, OBJECT_INVALIDATED.
  func value(at index: Int) throws -> flx_value_t {
    let count = try count()
    guard index >= 0, index < count else { throw CoreError.indexOutOfBounds(index, count: count) }
    texts.removeAll()
    guard isOfLinks else { return try realm.lent(element(at: index), &texts) }
    var value = flx_value_t()
    guard let target = column.schema.linkTarget, let info = realm.schema[target] else {
      value.type = .FLX_TYPE_NULL
      return value
    }
    value.type = .FLX_TYPE_LINK
    value.link = flx_link_t(row: targetRows[index], target_class: info.key)
    return value
  }

  private func element(at index: Int) throws -> Value {
    if index < windowStart || index >= windowStart + window.count {
      window = try realm.store.listValues(from: index, limit: Self.windowSize, row: object.row, column)
      windowStart = index
    }
    return window[index - windowStart]
  }

  /// Clears the caches if they may be out of date.
  private func revalidate() throws {
    _ = try object.currentValues()
    guard stamp != realm.stamp else { return }
    let targetInfo = column.schema.linkTarget.flatMap { realm.schema[$0] }
    let isUnchanged =
      stamp >= realm.viewStamp && realm.writeMarks.stamp(object.info.key, object.row) <= stamp
      && targetInfo?.membershipStamp ?? 0 <= stamp
    if !isUnchanged {
      cachedCount = nil
      window = []
      targetRows = isOfLinks ? try realm.store.visibleTargetRows(row: object.row, column) : []
    }
    stamp = realm.stamp
  }

  // MARK: Writing

  func set(_ value: flx_value_t, at index: Int) throws {
    let wireIndex = try existing(index)
    let model = try realm.model(value, for: column, object.info.traits[column.index])
    let size = try wireCount()
    try realm.store.listSet(model, at: wireIndex, row: object.row, column)
    try realm.record(.update(path(wireIndex), .value(model), .priorSize(size)))
    noteWritten()
  }

  func insert(_ value: flx_value_t, at index: Int) throws {
    try insert(realm.model(value, for: column, object.info.traits[column.index]), at: index)
  }

  /// Inserts a value, or an empty collection into a list of mixed.
  func insert(_ model: Value, at index: Int) throws {
    try requireWrite()
    let count = try count()
    guard index >= 0, index <= count else { throw CoreError.indexOutOfBounds(index, count: count + 1) }
    let wireIndex = try realm.store.wireIndex(ofVisible: index, row: object.row, column)
    let size = try wireCount()
    try realm.store.listInsert(model, at: wireIndex, row: object.row, column)
    try realm.record(.arrayInsert(path(wireIndex), Payload(placing: model), priorSize: size))
    noteWritten()
  }

  func erase(at index: Int) throws {
    let wireIndex = try existing(index)
    let size = try wireCount()
    try realm.store.listErase(at: wireIndex, row: object.row, column)
    try realm.record(.arrayErase(path(wireIndex), priorSize: size))
    noteErased()
  }

  func move(from: Int, to: Int) throws {
    let source = try existing(from)
    let target = try existing(to)
    guard from != to else { return }
    if column.isEmbedded { return try moveEmbedded(from: source, to: target) }
    if column.schema.type == .mixed { return try moveAnything(from: from, to: to) }
    let size = try wireCount()
    try realm.store.listMove(from: source, to: target, row: object.row, column)
    try realm.record(
      .arrayMove(path(source), to: UInt32(truncatingIfNeeded: target), priorSize: size)
    )
    noteWritten()
  }

  /// Erases and reinserts an element, because protocol §7.3 forbids sending a move in a list that may hold
  /// collections.
  private func moveAnything(from: Int, to: Int) throws {
    let moved = try realm.store.listValue(at: from, row: object.row, column)
    let size = try wireCount()
    let instructions =
      [.arrayErase(try path(from), priorSize: size)]
      + Instruction.inserting(moved, at: try path(to), priorSize: size - 1)
    try MixedPlace(object: object, column: column, steps: []).apply(instructions)
  }

  /// Inserts an empty collection into a list of mixed.
  func insertCollection(_ collection: Value, at index: Int) throws {
    guard column.schema.type == .mixed else {
      throw CoreError(
        .typeMismatch,
        "The elements of '\(column.path)' have type \(column.schema.type) and cannot be collections."
      )
    }
    try insert(collection, at: index)
  }

  /// Replaces an element with an empty collection.
  func putCollection(_ collection: Value, at index: Int) throws {
    let place = try place(at: existing(index))
    try place.place(collection, .priorSize(wireCount()))
  }

  /// Returns the place of an element of type mixed.
  ///
  /// - Throws: `CoreError` INDEX_OUT_OF_BOUNDS, OBJECT_INVALIDATED.
  func place(at index: Int) throws -> MixedPlace {
    let count = try count()
    guard index >= 0, index < count else { throw CoreError.indexOutOfBounds(index, count: count) }
    return MixedPlace(
      object: object,
      column: column,
      steps: [.index(UInt32(truncatingIfNeeded: index))]
    )
  }

  func clear() throws {
    try requireWrite()
    try realm.store.listClear(row: object.row, column)
    try realm.record(
      .clear(object.path(to: column), .list)
    )
    noteErased()
  }

  func requireWrite() throws {
    try realm.requireWrite()
    try object.requireSubscription()
    try revalidate()
  }

  /// Checks that an element may be changed, and returns its wire index.
  func existing(_ index: Int) throws -> Int {
    try requireWrite()
    let count = try count()
    guard index >= 0, index < count else { throw CoreError.indexOutOfBounds(index, count: count) }
    return try realm.store.wireIndex(ofVisible: index, row: object.row, column)
  }

  func wireCount() throws -> UInt32 {
    UInt32(truncatingIfNeeded: try realm.store.listCount(row: object.row, column))
  }

  func path(_ wireIndex: Int) throws -> PropertyPath {
    try object.path(to: column).appending(.index(UInt32(truncatingIfNeeded: wireIndex)))
  }

  func noteWritten() { realm.noteWrite(object.info, row: object.row, column: column.index) }
}
