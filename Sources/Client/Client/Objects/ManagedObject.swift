// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// A handle for one object: class and row, with the row's values read once and cached until they may have changed.
final class ManagedObject {
  // Kept alive by the buffer, or else by `keeper`: objects of results share a buffer and need not each retain the
  // realm.
  private let realmReference: Unmanaged<Realm>
  /// The thread claim of the realm.
  let claim: ThreadClaim
  private let keeper: Realm?
  // The realm keeps its classes alive for as long as it lives.
  private let infoReference: Unmanaged<ClassInfo>
  private(set) var row: Int64
  /// The number of the write transaction in which the handle was created; outside of one, that of the realm's last
  /// invalidation.
  private var transaction: UInt64
  private var knownKey: PrimaryKey?
  private var buffer: RowBuffer?
  private var cache = Cache()
  /// The address of the realm's stamp.
  private let realmStamp: UnsafePointer<UInt64>

  /// The values read from the row.
  private struct Cache {
    var values: UnsafeMutablePointer<flx_value_t>?
    var count = 0
    /// The realm's stamp at which the values are known to be valid.
    var stamp: UInt64 = 0
  }

  /// Creates a handle that reads the row when a value is first requested.
  init(_ realm: Realm, _ info: ClassInfo, row: Int64, key: PrimaryKey? = nil) {
    knownKey = key
    realmReference = .passUnretained(realm)
    claim = realm.claim
    keeper = realm
    infoReference = .passUnretained(info)
    self.row = row
    transaction = realm.currentTransaction
    realmStamp = UnsafePointer(realm.stampCell)
  }

  /// Creates a handle for a row that has been read, possibly together with others.
  @inline(__always)
  init(_ buffer: RowBuffer, at position: Int, stamp: UInt64) {
    let realm = buffer.realm
    realmReference = .passUnretained(realm)
    claim = realm.claim
    keeper = nil
    infoReference = .passUnretained(buffer.info)
    row = buffer.row(at: position)
    transaction = realm.currentTransaction
    realmStamp = UnsafePointer(realm.stampCell)
    self.buffer = buffer
    cache = Cache(values: buffer.values(at: position), count: buffer.columnCount, stamp: stamp)
  }

  var realm: Realm { realmReference.takeUnretainedValue() }
  var info: ClassInfo { infoReference.takeUnretainedValue() }

  /// Makes this the handle of another row of the same class that has been read. Only for a handle that nobody else
  /// refers to.
  @inline(__always)
  func become(_ buffer: RowBuffer, at position: Int, stamp: UInt64) {
    row = buffer.row(at: position)
    transaction = realmReference._withUnsafeGuaranteedRef { $0.currentTransaction }
    knownKey = nil
    if self.buffer !== buffer { self.buffer = buffer }
    cache = Cache(values: buffer.values(at: position), count: buffer.columnCount, stamp: stamp)
  }

  /// Whether the row has been read.
  var isRead: Bool { cache.values != nil }

  /// Drops the values of the row, for a handle that is to become one of another row.
  func forgetValues() {
    cache = Cache()
    buffer = nil
  }

  /// The class and the row, for C.
  var link: flx_link_t { flx_link_t(row: row, target_class: info.key) }

  // MARK: Reading

  /// Whether the realm was invalidated since the handle was created.
  var isOfEarlierEra: Bool { transaction < realm.writeLog.era }

  /// Whether the object still exists.
  var isValid: Bool {
    do {
      _ = try currentValues()
      return true
    } catch {
      return false
    }
  }

  /// Returns a cached value that is still valid; nil if it takes more than that.
  @inline(__always)
  func cachedValue(of property: flx_property_key_t) -> UnsafeMutablePointer<flx_value_t>? {
    let cache = cache
    guard cache.stamp == realmStamp.pointee, Int(property) < cache.count, let values = cache.values else {
      return nil
    }
    info.usedColumns.insert(Int(property))
    let value = values + Int(property)
    return value.pointee.type.isPlain ? value : nil
  }

  /// Returns the values of the row, reading them again if they may have changed.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED.
  func currentValues() throws -> UnsafeMutablePointer<flx_value_t> {
    if cache.stamp == realm.stamp, let values = cache.values { return values }
    return try revalidate()
  }

  @inline(never)
  private func revalidate() throws -> UnsafeMutablePointer<flx_value_t> {
    try requireExisting()
    if let values = cache.values, isUntouched {
      cache.stamp = realm.stamp
      return values
    }
    return try readWhole()
  }

  /// Reads all single properties of the row.
  private func readWhole() throws -> UnsafeMutablePointer<flx_value_t> {
    let own = ownBuffer()
    cache = Cache()
    guard try realm.read(row, info, into: own) else { throw invalidated }
    cache = Cache(values: own.values(at: 0), count: own.columnCount, stamp: realm.stamp)
    return own.values(at: 0)
  }

  /// Returns a buffer that no other object uses.
  private func ownBuffer() -> RowBuffer {
    if isKnownUniquelyReferenced(&buffer), let buffer, buffer.columnCount == info.columns.count {
      return buffer
    }
    let own = RowBuffer(realm, info, capacity: 1)
    buffer = own
    return own
  }

  /// Returns the value of a single property as the buffer holds it.
  private func storedValue(_ index: Int) throws -> flx_value_t {
    info.usedColumns.insert(index)
    let value = try currentValues()[index]
    // Rows of results are read with only the properties that have been requested of other rows.
    return value.type == .unread ? try readWhole()[index] : value
  }

  /// Whether the row has not been written since it was read.
  private var isUntouched: Bool {
    cache.stamp >= realm.viewStamp && realm.writeMarks.stamp(info.key, row) <= cache.stamp
  }

  /// Throws the errors that can be detected without reading the row.
  func requireExisting() throws {
    try realm.requireOpen()
    if realm.writeLog.isCanceled(transaction, info.key, row: row) { throw invalidated }
  }

  var invalidated: CoreError {
    CoreError(.objectInvalidated, "The object of class '\(info.name)' was deleted.")
  }

  /// Returns the value of a single property.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH for a collection.
  func value(of property: flx_property_key_t) throws -> flx_value_t {
    let column = try info.column(property)
    guard column.isSingle else {
      throw CoreError(
        .typeMismatch,
        "The property '\(column.path)' is a \(column.schema.collection)."
      )
    }
    let value = try storedValue(column.index)
    return value.type.isPlain ? value : try realm.link(to: value, column)
  }

  /// Returns the primary key, which never changes.
  func primaryKey() throws -> PrimaryKey {
    if let knownKey { return knownKey }
    if info.table.isKeyedByRow { return .int(row) }
    guard let key = PrimaryKey(try storedValue(0).model("The primary key")) else { throw invalidated }
    knownKey = key
    return key
  }

  // MARK: Writing

  /// Writes a single property.
  ///
  /// - Throws: `CoreError`, `ObjectError`, `StorageError`.
  func set(_ property: flx_property_key_t, _ value: flx_value_t) throws {
    try realm.requireWrite()
    let column = try info.column(property)
    guard column.isSingle else {
      throw CoreError(.typeMismatch, "The property '\(column.path)' is a \(column.schema.collection).")
    }
    let model = try realm.model(value, for: column, info.traits[column.index])
    try write(.update(.value(model)), column)
    if column.isEmbedded { realm.becomeOutdated() }
    noteWritten(column.index, value, realm, info)
  }

  /// Throws the errors of `set` that do not depend on the property.
  func requireSettable() throws {
    try realm.requireWrite()
    _ = try currentValues()
    try requireSubscription()
  }

  /// Writes a single property, if its type and the value are plain; otherwise `set` has to be called.
  ///
  /// It counts no references on the way to the store: programs call it for every property of every new object.
  ///
  /// - Throws: the same errors as `set`.
  func setPlain(_ property: flx_property_key_t, _ value: flx_value_t) throws -> Bool {
    try realmReference._withUnsafeGuaranteedRef { realm in
      try infoReference._withUnsafeGuaranteedRef { info in
        guard realm.isInWrite, !realm.isClosed, let traits = info.traits(of: property),
          let cell = Cell(value, fitting: traits)
        else { return false }
        if realm.writeLog.isCanceled(transaction, info.key, row: row) { throw invalidated }
        try realm.requireSubscription(info)
        try traits.column._withUnsafeGuaranteedRef { column in
          try settingExisting { try realm.store.set(plain: cell, row: row, column) { try primaryKey() } }
          noteWritten(column.index, value, realm, info)
        }
        return true
      }
    }
  }

  /// Adds to an int property; null stays null.
  func add(_ delta: Int64, to property: flx_property_key_t) throws {
    try realm.requireWrite()
    let column = try info.column(property)
    guard column.schema.type == .int, column.isSingle else {
      throw CoreError(
        .typeMismatch,
        "The property '\(info.name).\(column.schema.name)' is not an int."
      )
    }
    var value = try storedValue(column.index)
    guard value.type == .FLX_TYPE_INT else { return }
    value.integer &+= delta
    try write(.addInteger(delta), column)
    noteWritten(column.index, value, realm, info)
  }

  private func write(_ edit: Edit, _ column: Column) throws {
    try requireExisting()
    try requireSubscription()
    try settingExisting { try realm.store.write(edit, at: Place(column, row: row)) }
  }

  /// Runs `body`, which writes to the row and fails if there is none.
  @inline(__always)
  private func settingExisting(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as ObjectError where error.reason == .missingObject {
      throw invalidated
    }
  }

  /// Keeps the cached values in step with a write.
  @inline(__always)
  private func noteWritten(_ index: Int, _ value: flx_value_t, _ realm: Realm, _ info: ClassInfo) {
    let wasCurrent = cache.values != nil && (cache.stamp == realm.stamp || isUntouched)
    realm.noteWrite(info, row: row, column: index)
    guard wasCurrent, let values = cache.values, info.traits[index].kind == .plain else { return }
    // Text belongs to the caller: it is read again on request.
    // The target of a link in a mixed may disappear without a write to this row.
    if [.FLX_TYPE_STRING, .FLX_TYPE_BINARY, .FLX_TYPE_LINK].contains(value.type) { return }
    values[index] = value
    cache.stamp = realm.stamp
  }

  /// Deletes the object; links to it become null.
  func delete() throws {
    try realm.requireWrite()
    _ = try currentValues()
    try requireSubscription()
    if info.table.isEmbedded { return try realm.delete(embedded: row, info) }
    try realm.delete(reference(), info, row: row)
  }

  /// Returns the reference by which instructions name the top-level object.
  func reference() throws -> ObjectReference { ObjectReference(table: info.name, key: try primaryKey()) }
}
