// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStore

/// A live list: the one in a property of an object, or one nested in a mixed value, which shows whatever list is
/// currently at its place.
///
/// Indexes are those visible to the app: elements whose target is not on this device do not count. Instructions and
/// the storage do count them (protocol §6.7).
final class ManagedList {
  /// The number of value elements read at once.
  private static let windowSize = 256

  let object: ManagedObject
  let column: Column
  /// The list in a mixed value; nil for the list in a property.
  private let nested: NestedCollection?
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
    nested = nil
  }

  /// Creates the handle of a list in a mixed value.
  init(_ place: MixedPlace) {
    object = place.object
    column = place.column
    nested = NestedCollection(place, .list)
  }

  /// Returns the list of a property, or the one that a mixed property holds.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH.
  static func list(of object: ManagedObject, _ property: flx_property_key_t) throws -> ManagedList {
    guard let place = try object.mixedPlace(property) else { return try ManagedList(object, property) }
    return try place.list()
  }

  /// Returns the subject for an observer or a reference.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED.
  func watch() throws -> CollectionWatch {
    if let nested { _ = try nested.elements() } else { _ = try object.currentValues() }
    return CollectionWatch(object: object, column: column, nested: nested)
  }

  // MARK: Reading

  func count() throws -> Int {
    if let nested { return try nested.elements().count }
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
    guard isOfLinks, nested == nil else { return try realm.lent(element(at: index), &texts) }
    var value = flx_value_t()
    guard let target = column.schema.linkTarget, let info = realm.schema[target] else {
      value.type = .FLX_TYPE_NULL
      return value
    }
    value.type = .FLX_TYPE_LINK
    value.link = flx_link_t(row: targetRows[index], target_class: info.key)
    return value
  }

  /// Returns the index of the first element that equals a value; nil if there is none.
  func index(of value: flx_value_t) throws -> Int? {
    let count = try count()
    guard !column.isEmbedded else { return indexOfEmbedded(value) }
    guard let model = try realm.comparable(value, for: column, object.info.traits[column.index]) else {
      return nil
    }
    if isOfLinks, nested == nil { return targetRows.firstIndex(of: value.link.row) }
    return try (0..<count).first { SetElements.areSame(try element(at: $0), model) }
  }

  /// Embedded objects have no keys, by which links to other objects are stored.
  private func indexOfEmbedded(_ value: flx_value_t) -> Int? {
    guard value.type == .FLX_TYPE_LINK, let target = column.schema.linkTarget.flatMap({ realm.schema[$0] }),
      value.link.target_class == target.key
    else { return nil }
    return targetRows.firstIndex(of: value.link.row)
  }

  private func element(at index: Int) throws -> Value {
    if let nested { return try nested.elements()[index] }
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
    let place = try existing(index)
    let model = try realm.model(value, for: column, object.info.traits[column.index])
    try write(Edit.placing(model, .priorSize(wireCount()), replacing: false), at: place)
  }

  func insert(_ value: flx_value_t, at index: Int) throws {
    try requireWrite()
    try insert(realm.model(value, for: column, object.info.traits[column.index]), at: index)
  }

  /// Inserts a value, or an empty collection into a list of mixed.
  private func insert(_ model: Value, at index: Int) throws {
    try requireWrite()
    let place = try newElement(index)
    try realm.store.write(Edit.inserting(model, priorSize: wireCount()), at: place)
    noteWritten()
    nested?.noteInserted(model, at: index)
  }

  func erase(at index: Int) throws {
    let place = try existing(index)
    try write([([], .arrayErase(priorSize: wireCount()))], at: place)
    if column.isEmbedded { realm.becomeOutdated() }
  }

  func move(from: Int, to: Int) throws {
    let source = try existing(from)
    let target = try existing(to)
    guard from != to else { return }
    let size = try wireCount()
    if column.isEmbedded {
      try moveEmbedded(from: source.index(), to: target.index())
    } else if column.schema.type == .mixed {
      // Erase and reinsert it, because protocol §7.3 forbids sending a move in a list that may hold collections.
      let moved = try element(at: from)
      try write([([], .arrayErase(priorSize: size))], at: source)
      try write(Edit.inserting(moved, priorSize: size - 1), at: target)
    } else {
      let index = UInt32(truncatingIfNeeded: try target.index())
      try write([([], .arrayMove(to: index, priorSize: size))], at: source)
    }
  }

  /// Inserts an empty collection into a list of mixed.
  func insertCollection(_ collection: Value, at index: Int) throws {
    try column.requireMixedElements()
    try insert(collection, at: index)
  }

  /// Replaces an element with an empty collection.
  func putCollection(_ collection: Value, at index: Int) throws {
    let place = try existing(index)
    try column.requireMixedElements()
    try write(Edit.placing(collection, .priorSize(wireCount()), replacing: true), at: place)
  }

  /// Returns the place of an element of type mixed.
  ///
  /// - Throws: `CoreError` INDEX_OUT_OF_BOUNDS, OBJECT_INVALIDATED.
  func place(at index: Int) throws -> MixedPlace {
    let count = try count()
    guard index >= 0, index < count else { throw CoreError.indexOutOfBounds(index, count: count) }
    let step = PathElement.index(UInt32(truncatingIfNeeded: index))
    return MixedPlace(object: object, column: column, steps: steps + [step])
  }

  func clear() throws {
    try requireWrite()
    let count = try count()
    if nested?.place.isListElement == true {
      // From the end, so that the index of an element equals the number of elements left.
      let erasures = (0..<count).reversed().map { index -> Edit.Step in
        let index = UInt32(truncatingIfNeeded: index)
        return ([.index(index)], .arrayErase(priorSize: index + 1))
      }
      try write(erasures, at: Place(column, row: object.row, steps[...]))
    } else {
      try write([([], .clear(.list))], at: Place(column, row: object.row, steps[...]))
      if column.isEmbedded { realm.becomeOutdated() }
    }
  }

  func requireWrite() throws {
    if let nested { return try nested.place.requireWrite() }
    try realm.requireWrite()
    try object.requireSubscription()
    try revalidate()
  }

  // MARK: Places

  /// The steps from the property to the list.
  private var steps: [PathElement] { nested?.place.steps ?? [] }

  /// Checks that an element may be changed, and returns its place.
  func existing(_ index: Int) throws -> Place {
    try requireWrite()
    let count = try count()
    guard index >= 0, index < count else { throw CoreError.indexOutOfBounds(index, count: count) }
    return try element(wireIndex: wireIndex(index))
  }

  /// Checks that an element may be inserted, and returns its place.
  func newElement(_ index: Int) throws -> Place {
    let count = try count()
    guard index >= 0, index <= count else {
      throw CoreError.indexOutOfBounds(index, count: count, mayBeCount: true)
    }
    return try element(wireIndex: wireIndex(index))
  }

  private func wireIndex(_ index: Int) throws -> Int {
    nested == nil ? try realm.store.wireIndex(ofVisible: index, row: object.row, column) : index
  }

  private func element(wireIndex: Int) -> Place {
    Place(column, row: object.row, (steps + [.index(UInt32(truncatingIfNeeded: wireIndex))])[...])
  }

  /// The number of elements, including those whose target is not on this device.
  func wireCount() throws -> UInt32 {
    UInt32(truncatingIfNeeded: try nested?.elements().count ?? realm.store.listCount(row: object.row, column))
  }

  func write(_ edits: [Edit.Step], at place: Place) throws {
    nested?.reset()
    try realm.store.write(edits, at: place)
    noteWritten()
  }

  func noteWritten() { realm.noteWrite(object.info, row: object.row, column: column.index) }
}

extension Column {
  /// Checks that the elements can be collections.
  ///
  /// - Throws: `CoreError` TYPE_MISMATCH.
  func requireMixedElements() throws {
    guard schema.type == .mixed else {
      throw CoreError(
        .typeMismatch,
        "The elements of '\(path)' have type \(schema.type) and cannot be collections."
      )
    }
  }
}
