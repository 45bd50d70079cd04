// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncStore

/// The live set in a property of an object. Elements whose target is not on this device are not visible.
final class ManagedSet {
  private(set) var state: CollectionState
  private var texts = TextArena()
  private var cachedCount: Int?
  /// The elements visible to the app, read when one is first requested.
  private var cachedElements: [Value]?

  private var isOfLinks: Bool { state.column.schema.type == .link }

  /// - Throws: `CoreError` OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH.
  init(_ object: ManagedObject, _ property: flx_property_key_t) throws {
    state = try CollectionState(object, property, .set)
  }

  /// Returns the subject for an observer or a reference.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED.
  func watch() throws -> CollectionWatch {
    _ = try state.object.currentValues()
    return CollectionWatch(object: state.object, column: state.column)
  }

  // MARK: Reading

  func count() throws -> Int {
    try revalidate()
    if let known = cachedElements?.count ?? cachedCount { return known }
    let count = try state.store.visibleCount(row: state.row, state.column)
    cachedCount = count
    return count
  }

  /// - Throws: `CoreError` INDEX_OUT_OF_BOUNDS, OBJECT_INVALIDATED.
  func value(at index: Int) throws -> flx_value_t {
    try revalidate()
    let elements = try elements()
    guard index >= 0, index < elements.count else {
      throw CoreError.indexOutOfBounds(index, count: elements.count)
    }
    texts.removeAll()
    return try state.realm.lent(elements[index], &texts)
  }

  /// Returns the index of a value; nil if the set does not contain it.
  func index(of value: flx_value_t) throws -> Int? {
    try revalidate()
    guard let model = try state.comparable(value),
      try state.store.setContains(model, row: state.row, state.column)
    else { return nil }
    return try elements().firstIndex { SetElements.areSame($0, model) }
  }

  private func elements() throws -> [Value] {
    if let cachedElements { return cachedElements }
    var elements = try state.store.setValues(row: state.row, state.column)
    if isOfLinks {
      elements = try state.store.visibleWireIndexes(row: state.row, state.column).map { elements[$0] }
    }
    cachedElements = elements
    return elements
  }

  private func revalidate() throws {
    guard try !state.isCurrent() else { return }
    cachedCount = nil
    cachedElements = nil
  }

  // MARK: Writing

  /// - Returns: whether the value was not in the set before.
  func insert(_ value: flx_value_t) throws -> Bool {
    try state.requireWrite()
    return try write(.setInsert(.value(state.model(value))))
  }

  /// - Returns: whether the value was in the set.
  func erase(_ value: flx_value_t) throws -> Bool {
    try state.requireWrite()
    let model = try state.model(value)
    guard model == .null, state.column.schema.type != .mixed else {
      return try write(.setErase(.value(model)))
    }
    guard try state.store.setContains(.null, row: state.row, state.column) else { return false }
    // Peers refuse an instruction that erases null from a typed set: the others are inserted again.
    let others = try state.store.setValues(row: state.row, state.column).filter { $0 != .null }
    try write(.clear(.set))
    for element in others { try write(.setInsert(.value(element))) }
    return true
  }

  func clear() throws {
    try state.requireWrite()
    try write(.clear(.set))
  }

  @discardableResult
  private func write(_ edit: Edit) throws -> Bool {
    guard try state.store.write(edit, at: Place(state.column, row: state.row)) else { return false }
    state.noteWritten()
    return true
  }
}
