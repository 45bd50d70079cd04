// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// The common part of collection handles: one property of one object, and whether cached reads of it are still
/// valid.
struct CollectionState {
  let object: ManagedObject
  let column: Column
  /// The realm's stamp at which the cached reads are valid.
  private var stamp: UInt64 = 0

  /// - Throws: `CoreError` OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH.
  init(_ object: ManagedObject, _ property: flx_property_key_t, _ kind: CollectionKind) throws {
    _ = try object.currentValues()
    column = try object.info.column(property)
    guard column.schema.collection == kind else {
      throw CoreError(.typeMismatch, "The property '\(column.path)' is not a \(kind).")
    }
    self.object = object
  }

  init(_ object: ManagedObject, _ column: Column) {
    self.object = object
    self.column = column
  }

  var realm: Realm { object.realm }
  var store: ObjectStore { object.realm.store }
  var row: Int64 { object.row }

  /// Whether cached reads are still valid. Afterwards they count as read at the current stamp.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED.
  mutating func isCurrent() throws -> Bool {
    _ = try object.currentValues()
    guard stamp != realm.stamp else { return true }
    let targetInfo = column.schema.linkTarget.flatMap { realm.schema[$0] }
    let isUnchanged =
      stamp >= realm.viewStamp && realm.writeMarks.stamp(object.info.key, object.row) <= stamp
      && targetInfo?.membershipStamp ?? 0 <= stamp
    stamp = realm.stamp
    return isUnchanged
  }

  /// - Throws: `CoreError` NOT_IN_WRITE_TRANSACTION, NO_SUBSCRIPTION_FOR_WRITE, OBJECT_INVALIDATED.
  func requireWrite() throws {
    try realm.requireWrite()
    try object.requireSubscription()
    _ = try object.currentValues()
  }

  /// Converts the element to write.
  func model(_ value: flx_value_t) throws -> Value {
    try realm.model(value, for: column, object.info.traits[column.index])
  }

  /// Converts a value to the form in which the collection would hold it; nil if it cannot hold it.
  func comparable(_ value: flx_value_t) throws -> Value? {
    try realm.comparable(value, for: column, object.info.traits[column.index])
  }

  /// Records a write to the collection, which may have erased embedded objects.
  func noteWritten() {
    if column.isEmbedded { realm.becomeOutdated() }
    realm.noteWrite(object.info, row: object.row, column: column.index)
  }
}
