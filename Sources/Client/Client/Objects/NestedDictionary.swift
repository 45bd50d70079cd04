// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel

/// The live dictionary nested in a mixed. It shows whatever dictionary is currently at its place.
final class NestedDictionary: ManagedDictionary {
  private let place: MixedPlace
  private var texts = TextArena()
  private var cache: [DictionaryEntry]?
  /// The realm's stamp at which the cache is valid.
  private var stamp: UInt64 = 0

  init(_ place: MixedPlace) {
    self.place = place
    super.init(nestedIn: place.object, place.column)
  }

  // MARK: Reading

  override func count() throws -> Int { try entries().count }

  override func entry(at index: Int) throws -> (key: flx_string_t, value: flx_value_t) {
    let entries = try entries()
    guard index >= 0, index < entries.count else {
      throw CoreError.indexOutOfBounds(index, count: entries.count)
    }
    texts.removeAll()
    return (texts.keep(entries[index].key), try place.object.realm.lent(entries[index].value, &texts))
  }

  override func value(of key: flx_string_t) throws -> (value: flx_value_t, isThere: Bool) {
    let key = try text(key)
    let value = try entries().first { UTF8Order.areEqual($0.key, key) }?.value
    texts.removeAll()
    return (try place.object.realm.lent(value ?? .null, &texts), value != nil)
  }

  override func place(of key: flx_string_t) throws -> MixedPlace { place.appending(.name(try text(key))) }

  private func text(_ key: flx_string_t) throws -> String {
    try key.text("The key of a dictionary in '\(place.column.path)'")
  }

  private func entries() throws -> [DictionaryEntry] {
    try place.object.requireExisting()
    if let cache, stamp == place.object.realm.stamp { return cache }
    guard case .dictionary(let entries) = try place.value() else { throw place.isGone("dictionary") }
    cache = entries
    stamp = place.object.realm.stamp
    return entries
  }

  /// - Throws: `CoreError` UNSUPPORTED.
  override func watch() throws -> CollectionWatch { throw place.cannotBeObserved }

  // MARK: Writing

  override func set(_ value: flx_value_t, of key: flx_string_t) throws {
    try place.requireWrite()
    _ = try entries()
    let entry = try place(of: checked(key))
    try change(Instruction.placing(place.model(value), at: entry.path(), replacing: false))
  }

  override func erase(_ key: flx_string_t) throws -> Bool {
    try place.requireWrite()
    guard try value(of: key).isThere else { return false }
    try change([.update(place(of: key).path(), .erased, .isDefault(false))])
    return true
  }

  override func clear() throws {
    try place.requireWrite()
    let entries = try entries()
    guard place.isListElement else { return try change([.clear(place.path(), .dictionary)]) }
    let erasures = try entries.map { entry in
      Instruction.update(try place.appending(.name(entry.key)).path(), .erased, .isDefault(false))
    }
    try change(erasures)
  }

  override func putCollection(_ collection: Value, of key: flx_string_t) throws {
    try place.requireWrite()
    _ = try entries()
    try place(of: checked(key)).place(collection)
    cache = nil
  }

  private func checked(_ key: flx_string_t) throws -> flx_string_t {
    try checkKey(try text(key))
    return key
  }

  private func change(_ instructions: [Instruction]) throws {
    cache = nil
    try place.apply(instructions)
  }
}
