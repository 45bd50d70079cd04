// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// A place of type mixed: a property, an element or an entry, or a place inside a collection nested there.
///
/// It is identified by the steps that lead to it, so it refers to a different value once elements before it are
/// inserted or removed.
struct MixedPlace {
  let object: ManagedObject
  let column: Column
  /// The steps from the property.
  let steps: [PathElement]

  private var store: ObjectStore { object.realm.store }

  // MARK: Reading

  /// Returns the value stored here; nil if the place no longer exists.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED.
  func value() throws -> Value? {
    try object.requireExisting()
    guard let (root, rest) = try root() else { return nil }
    var value = root
    for step in rest {
      guard let inner = value.element(at: step) else { return nil }
      value = inner
    }
    return value
  }

  /// Returns the value in the property, element or entry, and the remaining steps.
  private func root() throws -> (Value, ArraySlice<PathElement>)? {
    let rest = steps.dropFirst()
    switch (column.schema.collection, steps.first) {
    case (.single, _): return (try store.storedValue(row: object.row, column), steps[...])
    case (.list, .index(let index)) where try index < store.listCount(row: object.row, column):
      return (try store.listValue(at: Int(index), row: object.row, column), rest)
    case (.dictionary, .name(let key)):
      return try store.dictionaryValue(of: key, row: object.row, column).map { ($0, rest) }
    default: return nil
    }
  }

  /// Returns a handle for the list stored here.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED, TYPE_MISMATCH.
  func list() throws -> ManagedList {
    guard case .list = try value() else { throw mismatch("list") }
    return ManagedList(self)
  }

  /// Returns a handle for the dictionary stored here.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED, TYPE_MISMATCH.
  func dictionary() throws -> ManagedDictionary {
    guard case .dictionary = try value() else { throw mismatch("dictionary") }
    return ManagedDictionary(self)
  }

  private func mismatch(_ kind: String) -> CoreError {
    CoreError(.typeMismatch, "The mixed value of '\(column.path)' is not a \(kind).")
  }

  /// Whether this is an element of a list.
  ///
  /// A collection in such a place must not be cleared with Clear: Realm peers do not move the index of a Clear when
  /// they merge it with insertions or erasures next to it, and so clear another element, or fail if there is none
  /// (protocol §7.4).
  var isListElement: Bool {
    guard case .index = steps.last else { return false }
    return true
  }

  // MARK: Writing

  /// Replaces the value stored here with an empty collection.
  ///
  /// - Throws: `CoreError`, `ObjectError`, `StorageError`.
  func place(_ collection: Value) throws {
    try requireWrite()
    let place = Place(column, row: object.row, steps[...])
    try store.write(Edit.placing(collection, replacing: true), at: place)
    object.realm.noteWrite(object.info, row: object.row, column: column.index)
  }

  /// - Throws: `CoreError` NOT_IN_WRITE_TRANSACTION, NO_SUBSCRIPTION_FOR_WRITE, OBJECT_INVALIDATED.
  func requireWrite() throws {
    try object.realm.requireWrite()
    try object.requireSubscription()
    try object.requireExisting()
  }
}

extension Value {
  /// Returns the value that a step leads to inside a collection; nil if there is none.
  fileprivate func element(at step: PathElement) -> Value? {
    switch (self, step) {
    case (.list(let elements), .index(let index)): Int(index) < elements.count ? elements[Int(index)] : nil
    case (.dictionary(let entries), .name(let key)): entries.first { UTF8Order.areEqual($0.key, key) }?.value
    default: nil
    }
  }
}

extension ManagedObject {
  /// Returns the place of a mixed property; nil if the property has another type or is itself a collection.
  ///
  /// - Throws: `CoreError` NO_SUCH_PROPERTY.
  func mixedPlace(_ property: flx_property_key_t) throws -> MixedPlace? {
    let column = try info.column(property)
    guard column.isSingle, column.schema.type == .mixed else { return nil }
    return MixedPlace(object: self, column: column, steps: [])
  }

  /// Puts an empty collection into a property of type mixed.
  ///
  /// - Throws: `CoreError`, `ObjectError`, `StorageError`.
  func putCollection(_ collection: Value, _ property: flx_property_key_t) throws {
    guard let place = try mixedPlace(property) else {
      throw CoreError(
        .typeMismatch,
        "The property '\(try info.column(property).path)' is not of type mixed and cannot hold a nested collection."
      )
    }
    try place.place(collection)
  }
}
