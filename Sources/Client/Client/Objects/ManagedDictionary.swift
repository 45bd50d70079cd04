// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// A live dictionary: the one in a property of an object, or one nested in a mixed value, which shows whatever dictionary
/// is currently at its place. A link whose target is not on this device reads as null.
final class ManagedDictionary {
  private(set) var state: CollectionState
  /// The dictionary in a mixed value; nil for the dictionary in a property.
  private let nested: NestedCollection?
  private var texts = TextArena()
  private var cachedCount: Int?
  /// All entries as stored, read when one is first requested by position.
  private var cachedEntries: [DictionaryEntry]?

  /// - Throws: `CoreError` OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH.
  init(_ object: ManagedObject, _ property: flx_property_key_t) throws {
    state = try CollectionState(object, property, .dictionary)
    nested = nil
  }

  /// Creates the handle of a dictionary in a mixed value.
  init(_ place: MixedPlace) {
    state = CollectionState(place.object, place.column)
    nested = NestedCollection(place, .dictionary)
  }

  /// Returns the dictionary of a property, or the one that a mixed property holds.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH.
  static func dictionary(of object: ManagedObject, _ property: flx_property_key_t) throws -> ManagedDictionary
  {
    guard let place = try object.mixedPlace(property) else { return try ManagedDictionary(object, property) }
    return try place.dictionary()
  }

  /// Returns the subject for an observer or a reference.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED.
  func watch() throws -> CollectionWatch {
    if let nested { _ = try nested.entries() } else { _ = try state.object.currentValues() }
    return CollectionWatch(object: state.object, column: state.column, nested: nested)
  }

  // MARK: Reading

  func count() throws -> Int {
    if let nested { return try nested.entries().count }
    try revalidate()
    if let known = cachedEntries?.count ?? cachedCount { return known }
    let count = try state.store.dictionaryCount(row: state.row, state.column)
    cachedCount = count
    return count
  }

  /// - Throws: `CoreError` INDEX_OUT_OF_BOUNDS, OBJECT_INVALIDATED.
  func entry(at index: Int) throws -> (key: flx_string_t, value: flx_value_t) {
    let entries = try entries()
    guard index >= 0, index < entries.count else {
      throw CoreError.indexOutOfBounds(index, count: entries.count)
    }
    texts.removeAll()
    return (texts.keep(entries[index].key), try state.realm.lent(entries[index].value, &texts))
  }

  private func entries() throws -> [DictionaryEntry] {
    if let nested { return try nested.entries() }
    try revalidate()
    let entries = try cachedEntries ?? state.store.dictionaryEntries(row: state.row, state.column)
    cachedEntries = entries
    return entries
  }

  /// Returns the value of a key; null if there is no such entry.
  func value(of key: flx_string_t) throws -> (value: flx_value_t, isThere: Bool) {
    let value = try storedValue(of: text(key))
    texts.removeAll()
    return (try state.realm.lent(value ?? .null, &texts), value != nil)
  }

  private func storedValue(of key: String) throws -> Value? {
    if let nested { return try nested.entries().first { UTF8Order.areEqual($0.key, key) }?.value }
    try revalidate()
    return try state.store.dictionaryValue(of: key, row: state.row, state.column)
  }

  private func text(_ key: flx_string_t) throws -> String {
    try key.text("The key of \(nested == nil ? "" : "a dictionary in ")'\(state.column.path)'")
  }

  private func revalidate() throws {
    guard try !state.isCurrent() else { return }
    cachedCount = nil
    cachedEntries = nil
  }

  // MARK: Writing

  func set(_ value: flx_value_t, of key: flx_string_t) throws {
    let place = try writableEntry(key)
    try write(Edit.placing(state.model(value), replacing: false), at: place)
  }

  /// Checks that an entry may be set, and returns its place.
  ///
  /// Peers refuse keys that are not valid, because the server cannot store them as fields of a document.
  func writableEntry(_ key: flx_string_t) throws -> Place {
    try requireWrite()
    _ = try nested?.entries()
    let key = try text(key)
    guard DictionaryKey.isValid(key) else {
      throw CoreError.invalidArgument(
        "The key '\(DictionaryKey.text(key))' is not valid in '\(state.column.path)': \(DictionaryKey.rule). "
          + "Encode these characters, for example as '%24' and '%2E'."
      )
    }
    return entry(key)
  }

  /// Replaces the value of an entry with an empty collection.
  func putCollection(_ collection: Value, of key: flx_string_t) throws {
    let place = try writableEntry(key)
    try state.column.requireMixedElements()
    try write(Edit.placing(collection, replacing: true), at: place)
  }

  /// Returns the place of an entry of type mixed.
  func place(of key: flx_string_t) throws -> MixedPlace {
    MixedPlace(object: state.object, column: state.column, steps: steps + [.name(try text(key))])
  }

  /// - Returns: whether the entry existed.
  func erase(_ key: flx_string_t) throws -> Bool {
    try requireWrite()
    let key = try text(key)
    guard try storedValue(of: key) != nil else { return false }
    try write([([], .update(.erased))], at: entry(key))
    return true
  }

  func clear() throws {
    try requireWrite()
    let entries = try nested?.entries() ?? []
    let place = Place(state.column, row: state.row, steps[...])
    guard nested?.place.isListElement == true else {
      return try write([([], .clear(.dictionary))], at: place)
    }
    try write(entries.map { ([.name($0.key)], .update(.erased)) }, at: place)
  }

  private func requireWrite() throws {
    if let nested { try nested.place.requireWrite() } else { try state.requireWrite() }
  }

  /// The steps from the property to the dictionary.
  private var steps: [PathElement] { nested?.place.steps ?? [] }

  private func entry(_ key: String) -> Place {
    Place(state.column, row: state.row, (steps + [.name(key)])[...])
  }

  private func write(_ edits: [Edit.Step], at place: Place) throws {
    nested?.reset()
    try state.store.write(edits, at: place)
    state.noteWritten()
  }
}
