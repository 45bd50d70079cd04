// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// A place of type mixed: a property, an element or an entry, or one inside of a collection nested there.
///
/// It is named by the steps that lead to it, so it is another one when elements in front of it are inserted or removed.
struct MixedPlace {
  let object: ManagedObject
  let column: Column
  /// The steps from the property.
  let steps: [PathElement]

  private var store: ObjectStore { object.realm.store }

  /// The place inside of the collection that is here.
  func appending(_ step: PathElement) -> MixedPlace {
    MixedPlace(object: object, column: column, steps: steps + [step])
  }

  // MARK: Reading

  /// What is stored here; nil if there is no such place any more.
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

  /// The value in the property, element or entry, and the steps behind it.
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

  /// A handle of the list that is here.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED, TYPE_MISMATCH.
  func list() throws -> NestedList {
    guard case .list = try value() else { throw mismatch("list") }
    return NestedList(self)
  }

  /// A handle of the dictionary that is here.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED, TYPE_MISMATCH.
  func dictionary() throws -> NestedDictionary {
    guard case .dictionary = try value() else { throw mismatch("dictionary") }
    return NestedDictionary(self)
  }

  private func mismatch(_ kind: String) -> CoreError {
    CoreError(.FLX_STATUS_TYPE_MISMATCH, "There is no \(kind) in the mixed value of '\(column.path)'.")
  }

  /// Whether this is an element of a list.
  ///
  /// What is there must not be cleared as a whole: Realm peers do not move the index of a Clear when they merge it with
  /// what is inserted or erased beside it, and clear another element, or fail if there is none (protocol §7.4).
  var isListElement: Bool {
    guard case .index = steps.last else { return false }
    return true
  }

  // MARK: Writing

  /// The path of instructions on this place.
  func path() throws -> PropertyPath {
    steps.reduce(try object.path(to: column)) { $0.appending($1) }
  }

  /// Puts an empty collection here, in the place of what is there.
  ///
  /// - Parameter detail: the length of the list, if the place is an element.
  func place(_ collection: Value, _ detail: UpdateDetail = .isDefault(false)) throws {
    try apply(Instruction.placing(collection, at: path(), detail, replacing: true))
  }

  /// Applies and records instructions on this place or inside of it.
  ///
  /// - Throws: `CoreError`, `ObjectError`, `StorageError`.
  func apply(_ instructions: [Instruction]) throws {
    try requireWrite()
    do {
      // One by one, which leaves the value in memory for the next: building a large collection is not quadratic.
      for instruction in instructions { try store.apply(instruction) }
    } catch let error as ApplyError {
      throw ObjectError(error.reason)
    }
    object.realm.writeLog.record(instructions)
    object.realm.noteWrite(object.info, row: object.row, column: column.index)
  }

  /// - Throws: `CoreError` NOT_IN_WRITE_TRANSACTION, NO_SUBSCRIPTION_FOR_WRITE, OBJECT_INVALIDATED.
  func requireWrite() throws {
    try object.realm.requireWrite()
    try object.requireSubscription()
    try object.requireExisting()
  }

  /// The value that is to be written.
  func model(_ value: flx_value_t) throws -> Value {
    try object.realm.model(value, for: column, object.info.traits[column.index])
  }
}

extension Value {
  /// The value to which a step leads from a collection; nil if there is none.
  fileprivate func element(at step: PathElement) -> Value? {
    switch (self, step) {
    case (.list(let elements), .index(let index)): Int(index) < elements.count ? elements[Int(index)] : nil
    case (.dictionary(let entries), .name(let key)): entries.first { UTF8Order.areEqual($0.key, key) }?.value
    default: nil
    }
  }
}

extension ManagedObject {
  /// The place of a property of type mixed; nil if it is of another type, or a collection of its own.
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
        .FLX_STATUS_TYPE_MISMATCH,
        "The property '\(try info.column(property).path)' is not a mixed; a collection cannot be put there."
      )
    }
    try place.place(collection)
  }
}
