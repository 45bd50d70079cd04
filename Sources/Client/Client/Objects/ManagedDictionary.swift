// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// The live dictionary in a property of an object; `NestedDictionary` is the one inside a mixed. A link whose
/// target is not on this device reads as null.
class ManagedDictionary {
  private(set) var state: CollectionState
  private var texts = TextArena()
  private var cachedCount: Int?
  /// All entries as stored, read when one is first requested by position.
  private var cachedEntries: [DictionaryEntry]?

  /// - Throws: `CoreError` OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH.
  init(_ object: ManagedObject, _ property: flx_property_key_t) throws {
    state = try CollectionState(object, property, .dictionary)
  }

  /// Creates the handle of a dictionary nested in a mixed property.
  init(nestedIn object: ManagedObject, _ column: Column) { state = CollectionState(object, column) }

  /// Returns the dictionary of a property, or the one that a mixed property holds.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH.
  static func dictionary(of object: ManagedObject, _ property: flx_property_key_t) throws -> ManagedDictionary
  {
    guard let place = try object.mixedPlace(property) else { return try ManagedDictionary(object, property) }
    return try place.dictionary()
  }

  /// Returns the subject for an observer.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED.
  func watch() throws -> CollectionWatch {
    _ = try state.object.currentValues()
    return CollectionWatch(object: state.object, column: state.column)
  }

  // MARK: Reading

  func count() throws -> Int {
    try revalidate()
    if let cachedEntries { return cachedEntries.count }
    if let cachedCount { return cachedCount }
    let count = try state.store.dictionaryCount(row: state.row, state.column)
    cachedCount = count
    return count
  }

  /// - Throws: `CoreError` INDEX_OUT_OF_BOUNDS, OBJECT_INVALIDATED.
  func entry(at index: Int) throws -> (key: flx_string_t, value: flx_value_t) {
    try revalidate()
    let entries = try cachedEntries ?? state.store.dictionaryEntries(row: state.row, state.column)
    cachedEntries = entries
    guard index >= 0, index < entries.count else {
      throw CoreError.indexOutOfBounds(index, count: entries.count)
    }
    texts.removeAll()
    return (texts.keep(entries[index].key), try state.realm.lent(entries[index].value, &texts))
  }

  /// Returns the value of a key; null if there is no such entry.
  func value(of key: flx_string_t) throws -> (value: flx_value_t, isThere: Bool) {
    try revalidate()
    let key = try key.text("The key of '\(state.column.path)'")
    let value = try state.store.dictionaryValue(of: key, row: state.row, state.column)
    texts.removeAll()
    return (try state.realm.lent(value ?? .null, &texts), value != nil)
  }

  private func revalidate() throws {
    guard try !state.isCurrent() else { return }
    cachedCount = nil
    cachedEntries = nil
  }

  // MARK: Writing

  func set(_ value: flx_value_t, of key: flx_string_t) throws {
    try state.requireWrite()
    let key = try key.text("The key of '\(state.column.path)'")
    try checkKey(key)
    let model = try state.model(value)
    try state.store.dictionarySet(model, of: key, row: state.row, state.column)
    try state.realm.record(.update(state.path(key), .value(model), .isDefault(false)))
    state.noteWritten()
  }

  /// Checks that a key is valid. Peers refuse other keys, because the server cannot store them as fields of a
  /// document.
  func checkKey(_ key: String) throws {
    guard DictionaryKey.isValid(key) else {
      throw CoreError.invalidArgument(
        "The key '\(DictionaryKey.text(key))' is not valid in '\(state.column.path)': \(DictionaryKey.rule). "
          + "Encode these characters, for example as '%24' and '%2E'."
      )
    }
  }

  /// Replaces the value of an entry with an empty collection.
  func putCollection(_ collection: Value, of key: flx_string_t) throws {
    try state.requireWrite()
    try checkKey(key.text("The key of '\(state.column.path)'"))
    try place(of: key).place(collection)
  }

  /// Returns the place of an entry of type mixed.
  func place(of key: flx_string_t) throws -> MixedPlace {
    let key = try key.text("The key of '\(state.column.path)'")
    return MixedPlace(object: state.object, column: state.column, steps: [.name(key)])
  }

  /// - Returns: whether the entry existed.
  func erase(_ key: flx_string_t) throws -> Bool {
    try state.requireWrite()
    let key = try key.text("The key of '\(state.column.path)'")
    guard try state.store.dictionaryErase(key, row: state.row, state.column) else { return false }
    try state.realm.record(.update(state.path(key), .erased, .isDefault(false)))
    state.noteWritten()
    return true
  }

  func clear() throws {
    try state.requireWrite()
    try state.store.dictionaryClear(row: state.row, state.column)
    try state.realm.record(.clear(state.path(), .dictionary))
    state.noteWritten()
  }
}
