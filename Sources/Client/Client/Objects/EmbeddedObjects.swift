// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

extension ManagedObject {
  /// Requires a subscription to the class of the top-level object, which also covers the objects embedded in it.
  ///
  /// - Throws: `CoreError` NO_SUBSCRIPTION_FOR_WRITE.
  func requireSubscription() throws {
    guard realm.isSynced, info.table.isEmbedded else { return try realm.requireSubscription(info) }
    let owner = try realm.store.topLevelObject(of: row, in: info.table)
    try realm.requireSubscription(realm.schema.requireClass(named: owner.table.name))
  }

  /// Creates an embedded object in a single property, replacing any existing one.
  ///
  /// - Throws: `CoreError`, `ObjectError`, `StorageError`.
  func setEmbedded(_ property: flx_property_key_t) throws -> ManagedObject {
    try realm.requireWrite()
    let column = try info.column(property)
    let target = try realm.embeddedClass(of: column)
    guard column.isSingle else {
      throw CoreError(
        .typeMismatch,
        "The property '\(column.path)' is a \(column.schema.collection)."
      )
    }
    let isReplacing = try value(of: property).type != .FLX_TYPE_NULL
    try requireSubscription()
    let place = Place(column, row: row)
    // On other devices, creating an object where one exists would change nothing.
    if isReplacing { try realm.store.write(.update(.value(.null)), at: place) }
    try realm.store.write(.update(.object), at: place)
    let embedded = try realm.store.storedValue(row: row, column)
    return try realm.noteEmbedded(embedded, target, in: self, column, isReplacing: isReplacing)
  }
}

extension ManagedList {
  /// Creates an embedded object as a new element.
  ///
  /// - Throws: `CoreError`, `ObjectError`, `StorageError`.
  func insertEmbedded(at index: Int) throws -> ManagedObject {
    try requireWrite()
    let target = try realm.embeddedClass(of: column)
    return try insertEmbedded(at: newElement(index), target, isReplacing: false)
  }

  /// Creates an embedded object in place of an element.
  ///
  /// - Throws: `CoreError`, `ObjectError`, `StorageError`.
  func setEmbedded(at index: Int) throws -> ManagedObject {
    let target = try realm.embeddedClass(of: column)
    let place = try existing(index)
    try realm.store.write(.arrayErase(priorSize: wireCount()), at: place)
    return try insertEmbedded(at: place, target, isReplacing: true)
  }

  private func insertEmbedded(at place: Place, _ target: ClassInfo, isReplacing: Bool) throws
    -> ManagedObject
  {
    try realm.store.write(.arrayInsert(.object, priorSize: wireCount()), at: place)
    let embedded = try realm.store.listValue(at: place.index(), row: object.row, column)
    return try realm.noteEmbedded(embedded, target, in: object, column, isReplacing: isReplacing)
  }

  /// Moves an embedded object. Other devices get a new object with the same contents, because moves do not converge
  /// with concurrent changes inside the element (protocol §7.3).
  func moveEmbedded(from: Int, to: Int) throws {
    try realm.store.moveEmbedded(from: from, to: to, row: object.row, column)
    noteWritten()
  }
}

extension ManagedDictionary {
  /// Creates an embedded object as the value of a key, replacing any existing one.
  ///
  /// - Throws: `CoreError`, `ObjectError`, `StorageError`.
  func setEmbedded(_ key: flx_string_t) throws -> ManagedObject {
    let place = try writableEntry(key)
    let target = try state.realm.embeddedClass(of: state.column)
    let isReplacing = try value(of: key).value.type != .FLX_TYPE_NULL
    // Write null first, even if there is no entry. Otherwise an object that two devices create at one key
    // concurrently would combine both on one device and be the later one on the other (protocol §6.7, §7.3).
    try state.store.write([([], .update(.value(.null))), ([], .update(.object))], at: place)
    let embedded = try state.store.dictionaryValue(of: place.key(), row: state.row, state.column)
    return try state.realm.noteEmbedded(
      embedded ?? .null,
      target,
      in: state.object,
      state.column,
      isReplacing: isReplacing
    )
  }
}

extension Realm {
  /// Returns the class of the embedded objects that a property holds.
  ///
  /// - Throws: `CoreError` TYPE_MISMATCH.
  func embeddedClass(of column: Column) throws -> ClassInfo {
    guard column.isEmbedded, let target = column.schema.linkTarget else {
      throw CoreError(
        .typeMismatch,
        "The property '\(column.path)' does not hold embedded objects."
      )
    }
    return try schema.requireClass(named: target)
  }

  /// Records the creation of an embedded object and returns a handle for it.
  ///
  /// - Parameter value: the value of the place that now holds the object.
  func noteEmbedded(
    _ value: Value,
    _ info: ClassInfo,
    in owner: ManagedObject,
    _ column: Column,
    isReplacing: Bool
  ) throws -> ManagedObject {
    guard let row = column.embeddedRow(value) else { throw owner.invalidated }
    if isReplacing { becomeOutdated() }
    noteWrite(owner.info, row: owner.row, column: column.index)
    writeLog.noteCreated(info.key, row: row)
    noteMembership(info, row: row)
    return ManagedObject(self, info, row: row)
  }

  /// Deletes an embedded object: the property that holds it becomes null, or its list element is removed.
  func delete(embedded row: Int64, _ info: ClassInfo) throws {
    let instruction = try store.localErase(embedded: row, in: info.table)
    record(instruction)
    noteMembership(info, row: row)
    // The owner was written as well.
    becomeOutdated()
  }
}

extension ClassInfo {
  /// - Throws: `CoreError` INVALID_ARGUMENT for an embedded class, whose objects have no key.
  func requireTopLevel() throws {
    guard table.isEmbedded else { return }
    throw CoreError.invalidArgument(
      "Objects of the embedded class '\(name)' have no primary key and exist only inside other objects. "
        + "Create one with flx_object_set_embedded, flx_list_insert_embedded or flx_dictionary_set_embedded."
    )
  }
}

extension CoreError {
  static func holdsEmbeddedObjects(_ column: Column) -> CoreError {
    let function =
      switch column.schema.collection {
      case .single, .set: "flx_object_set_embedded"
      case .list: "flx_list_set_embedded or flx_list_insert_embedded"
      case .dictionary: "flx_dictionary_set_embedded"
      }
    return CoreError(
      .typeMismatch,
      "The property '\(column.path)' holds embedded objects, which cannot be linked to. "
        + "Create one in its place with \(function)."
    )
  }
}
