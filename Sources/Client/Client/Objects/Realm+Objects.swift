// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

extension Realm {
  // MARK: Finding

  /// Creates an object with its primary key and default values.
  ///
  /// - Throws: `CoreError`, `ObjectError`, `StorageError`.
  func create(_ info: ClassInfo, _ primaryKey: flx_value_t) throws -> ManagedObject {
    try requireWrite()
    try info.requireTopLevel()
    let key = info.table.isKeyedByRow ? try noKey(primaryKey, info) : try key(primaryKey, info)
    try requireSubscription(info)
    let row = try createRow(info, key)
    writeLog.noteCreated(info.key, row: row)
    noteMembership(info, row: row)
    return ManagedObject(self, info, row: row, key: key)
  }

  /// Creates an object in the store.
  ///
  /// - Parameter key: nil for a class without a primary key.
  /// - Throws: `CoreError` DUPLICATE_PRIMARY_KEY, `ObjectError`, `StorageError`.
  func createRow(_ info: ClassInfo, _ key: PrimaryKey?) throws -> Int64 {
    guard let key else { return try store.create(in: info.table) }
    let (row, isNew) = try store.create(key, in: info.table)
    guard isNew else {
      throw CoreError(
        .duplicatePrimaryKey,
        "Attempting to create an object of type '\(info.name)' with an existing primary key value '\(key)'."
      )
    }
    return row
  }

  /// Returns the object with a primary key; nil if there is none.
  func find(_ info: ClassInfo, _ primaryKey: flx_value_t) throws -> ManagedObject? {
    try requireOpen()
    try info.requireTopLevel()
    try info.requireKept()
    guard !info.table.isKeyedByRow else {
      throw CoreError.invalidArgument("The class '\(info.name)' has no primary key to find objects by.")
    }
    let key = try key(primaryKey, info)
    let reader = try keyReader(info)
    try reader.scan.restart(key: key)
    guard try reader.scan.next() else { return nil }
    // The caller is likely to read the object next.
    let buffer = RowBuffer(self, info, capacity: 1)
    reader.read(into: buffer, at: 0)
    reader.scan.stop()
    return ManagedObject(buffer, at: 0, stamp: stamp)
  }

  /// Returns the object that a link leads to; nil if it no longer exists.
  func object(_ link: flx_link_t) throws -> ManagedObject? {
    try requireOpen()
    let object = ManagedObject(self, try schema.requireClass(of: link), row: link.row)
    return object.isValid ? object : nil
  }

  /// Deletes an object: links to it become null, and it is removed from lists.
  func delete(_ object: ObjectReference, _ info: ClassInfo, row: Int64) throws {
    let instructions = try store.localErase(object)
    writeLog.record(instructions)
    noteMembership(info, row: row)
    // Other rows were written as well: those that link to it, and those of the objects it embeds.
    if instructions.count > 1 || !info.table.embeddedColumns.isEmpty { becomeOutdated() }
  }

  /// Deletes an object of a local realm to which nothing can link.
  func delete(unlinked row: Int64, _ info: ClassInfo) throws {
    try store.erase(row: row, in: info.table)
    noteMembership(info, row: row)
    if !info.table.embeddedColumns.isEmpty { becomeOutdated() }
  }

  /// Reads a row; returns false if it no longer exists.
  func read(_ row: Int64, _ info: ClassInfo, into buffer: RowBuffer) throws -> Bool {
    let reader = try info.rowReader ?? prepareRowReader(info)
    try reader.scan.restart(bindings: [.int(row)])
    guard try reader.scan.next() else { return false }
    buffer.removeAll()
    reader.read(into: buffer, at: 0)
    reader.scan.stop()
    return true
  }

  func prepareRowReader(_ info: ClassInfo) throws -> RowReader {
    let selection = RowSelection(condition: "t0.flx_row = ?1")
    let reader = try RowReader(info) { try store.scan(info.table, selection, columns: $0) }
    info.rowReader = reader
    return reader
  }

  /// Returns a reader of what has been requested of objects of the class so far: programs find many objects to read
  /// the same properties of each. Others are read on request.
  @inline(__always)
  private func keyReader(_ info: ClassInfo) throws -> RowReader {
    if let reader = info.keyReader, info.usedColumns.isSubset(of: reader.columns) { return reader }
    return try prepareKeyReader(info)
  }

  private func prepareKeyReader(_ info: ClassInfo) throws -> RowReader {
    var columns = info.usedColumns
    if let reader = info.keyReader { columns.formUnion(reader.columns) }
    let reader = try RowReader(info, columns) { try store.keyScan(info.table, columns: $0) }
    info.keyReader = reader
    return reader
  }

  // MARK: Values

  /// Converts a value to the form in which a property, or an element of a collection, would hold it; nil if it cannot
  /// hold it.
  func comparable(_ value: flx_value_t, for column: Column, _ traits: PropertyTraits) throws -> Value? {
    do {
      return try model(value, for: column, traits)
    } catch let error as CoreError
      where [.typeMismatch, .nullNotAllowed, .objectInvalidated, .valueTooLarge]
      .contains(error.status)
    {
      return nil
    }
  }

  /// Converts the value to write to a column, or to an element of its collection.
  ///
  /// - Throws: `CoreError` TYPE_MISMATCH, NULL_NOT_ALLOWED, VALUE_TOO_LARGE, INVALID_ARGUMENT.
  func model(_ value: flx_value_t, for column: Column, _ traits: PropertyTraits) throws -> Value {
    if value.type == .FLX_TYPE_NULL {
      guard traits.isNullable else {
        throw CoreError(
          .nullNotAllowed,
          "The property '\(column.path)' is required and cannot be null."
        )
      }
      return .null
    }
    guard value.type.rawValue == Int32(traits.type.rawValue) || traits.type == .mixed else {
      throw CoreError(
        .typeMismatch,
        "The property '\(column.path)' has type \(traits.type), but the value has type \(value.type.name)."
      )
    }
    if column.isEmbedded { throw CoreError.holdsEmbeddedObjects(column) }
    if value.type == .FLX_TYPE_LINK {
      guard column.table.kind != .asymmetric || column.schema.type != .mixed else {
        throw CoreError.invalidArgument("Links not allowed in asymmetric tables: '\(column.path)'.")
      }
      return .link(try target(value.link, column))
    }
    let size = value.type == .FLX_TYPE_STRING || value.type == .FLX_TYPE_BINARY ? value.string.size : 0
    guard UInt(bitPattern: size) <= SchemaLimits.valueByteCount else {
      throw CoreError(
        .valueTooLarge,
        "The value for '\(column.path)' has \(UInt(bitPattern: size)) bytes; the limit is "
          + "\(SchemaLimits.valueByteCount) bytes."
      )
    }
    return try value.model("The value for '\(column.path)'")
  }

  private func target(_ link: flx_link_t, _ column: Column) throws -> Link {
    let info = try schema.requireClass(of: link)
    guard info.schema.kind != .asymmetric else {
      throw CoreError.invalidArgument(
        "The property '\(column.path)' cannot link to an object of the asymmetric class '\(info.name)'."
      )
    }
    guard info.name == column.schema.linkTarget || column.schema.type == .mixed else {
      throw CoreError(
        .typeMismatch,
        "The property '\(column.path)' links to '\(column.schema.linkTarget ?? "")', not to '\(info.name)'."
      )
    }
    guard let key = try store.key(of: link.row, in: info.table) else {
      throw CoreError(
        .objectInvalidated,
        "Cannot link to an object of class '\(info.name)' that was deleted."
      )
    }
    return Link(className: info.name, key: key)
  }

  /// Returns the link for C, given the key of its target as a row stores it; null if there is no such object.
  func link(to key: flx_value_t, _ column: Column) throws -> flx_value_t {
    var result = flx_value_t()
    result.type = .FLX_TYPE_NULL
    if key.type == .mixedLink {
      return try MixedLink.link(of: key.binary.bytes).map { try link(to: $0) } ?? result
    }
    guard let name = column.schema.linkTarget, let info = schema[name] else {
      return result
    }
    var key = key
    key.type = key.type.keyType
    let value = try key.model("The key of a link")
    guard let key = PrimaryKey(value), let row = try store.row(of: key, in: info.table) else { return result }
    result.link = flx_link_t(row: row, target_class: info.key)
    result.type = .FLX_TYPE_LINK
    return result
  }

  /// Returns a link for C; null if there is no such object.
  private func link(to link: Link) throws -> flx_value_t {
    var result = flx_value_t()
    result.type = .FLX_TYPE_NULL
    guard let info = schema[link.className], let row = try store.row(of: link.key, in: info.table) else {
      return result
    }
    result.link = flx_link_t(row: row, target_class: info.key)
    result.type = .FLX_TYPE_LINK
    return result
  }

  /// Returns a value of any type for C; text and bytes are copied into `texts`.
  func lent(_ value: Value, _ texts: inout TextArena) throws -> flx_value_t {
    if case .link(let link) = value { return try self.link(to: link) }
    return value.lent(&texts)
  }

  /// Checks that no primary key is passed by C for a class without one.
  private func noKey(_ value: flx_value_t, _ info: ClassInfo) throws -> PrimaryKey? {
    guard value.type == .FLX_TYPE_NULL else {
      throw CoreError.invalidArgument(
        "The class '\(info.name)' has no primary key; create its objects with null in place of one."
      )
    }
    return nil
  }

  /// Converts a primary key passed by C.
  func key(_ value: flx_value_t, _ info: ClassInfo) throws -> PrimaryKey {
    guard let key = PrimaryKey(try model(value, for: info.table.primaryKey, info.traits[0])) else {
      throw CoreError(
        .typeMismatch,
        "The primary key of '\(info.name)' cannot be of type \(value.type.name)."
      )
    }
    return key
  }
}

extension Column {
  /// The class and the property as named in messages.
  var path: String { "\(table.name).\(schema.name)" }
}

extension flx_type_t {
  /// The name of the type in messages.
  var name: String {
    if self == .FLX_TYPE_NULL { return "null" }
    return UInt8(exactly: rawValue).flatMap(ValueType.init(rawValue:))?.description ?? "unknown (\(rawValue))"
  }
}
