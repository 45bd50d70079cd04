// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel
import FlexSyncStorage

/// A class as one realm sees it: the table, and the columns that the realm's schema has.
///
/// A property's key is the index of its column in the file, which never changes.
final class ClassInfo {
  /// How a property is read.
  enum Access: UInt8 {
    /// A value that the row holds.
    case plain
    /// The primary key of another object, which has to be looked up.
    case link
    /// A list, in a table of its own.
    case list
    /// A property of the file that the realm was not opened with.
    case hidden
  }

  let table: ClassTable
  let schema: ClassSchema
  let key: flx_class_key_t
  let name: String
  /// The columns of the table when the realm was opened; columns are only ever added.
  let columns: [Column]
  /// The single properties of the realm's schema, in the order in which rows are read.
  let readColumns: [Column]
  let access: UnsafeMutablePointer<Access>
  /// The realm's stamp when an object was created or erased last.
  var membershipStamp: UInt64 = 0
  /// The realm's stamps when the columns were written last.
  let columnStamps: UnsafeMutablePointer<UInt64>
  /// The number of the write transaction in which the class was known to be subscribed to.
  var subscribedInWrite: UInt64 = 0
  /// Reads one row by its number.
  var rowScan: RowScan?
  /// Reads a range of rows.
  var rangeScan: RowScan?
  /// The description for C callers.
  private(set) var description = flx_class_info_t()

  private let lentName: LentText
  private let lentPropertyNames: [LentText]
  private let lentTargets: [LentText?]
  private let properties: UnsafeMutablePointer<flx_property_info_t>

  init(_ table: ClassTable, _ declared: DeclaredClass) {
    self.table = table
    schema = declared.schema
    key = flx_class_key_t(truncatingIfNeeded: table.id)
    name = table.name
    columns = table.columns
    let declaredColumns = declared.propertyNames.compactMap { table.column(named: $0) }
    readColumns = declaredColumns.filter { !$0.isList }.sorted { $0.index < $1.index }
    access = .allocate(capacity: columns.count)
    access.initialize(repeating: .hidden, count: columns.count)
    columnStamps = .allocate(capacity: columns.count)
    columnStamps.initialize(repeating: 0, count: columns.count)
    for column in declaredColumns {
      access[column.index] = column.isList ? .list : column.schema.type == .link ? .link : .plain
    }
    lentName = LentText(table.name)
    lentPropertyNames = declaredColumns.map { LentText($0.schema.name) }
    lentTargets = declaredColumns.map { $0.schema.linkTarget.map { LentText($0) } }
    properties = .allocate(capacity: declaredColumns.count)
    for (position, column) in declaredColumns.enumerated() {
      properties.advanced(by: position).initialize(to: describe(column, at: position))
    }
    description.name = lentName.string
    description.kind = flx_class_kind_t(rawValue: UInt32(schema.kind.rawValue)) ?? .FLX_CLASS_TOP_LEVEL
    description.properties = UnsafePointer(properties)
    description.property_count = declaredColumns.count
    description.key = key
  }

  deinit {
    access.deallocate()
    columnStamps.deallocate()
    properties.deallocate()
  }

  private func describe(_ column: Column, at position: Int) -> flx_property_info_t {
    var info = flx_property_info_t()
    info.name = lentPropertyNames[position].string
    info.type = flx_type_t(rawValue: Int32(column.schema.type.rawValue)) ?? .FLX_TYPE_MIXED
    info.collection =
      flx_collection_t(rawValue: UInt32(column.schema.collection.rawValue)) ?? .FLX_COLLECTION_NONE
    info.link_target = lentTargets[position]?.string ?? flx_string_t()
    info.is_nullable = column.schema.isNullable
    info.is_primary_key = column.isPrimaryKey
    info.is_indexed = column.schema.isIndexed
    info.key = flx_property_key_t(column.index)
    return info
  }

  /// The description of a property for C callers; nil if the realm was not opened with it.
  func property(named name: String) -> flx_property_info_t? {
    guard let column = table.column(named: name) else { return nil }
    return UnsafeBufferPointer(start: properties, count: description.property_count).first {
      Int($0.key) == column.index
    }
  }

  /// The column of a property.
  /// - Throws: `CoreError` NO_SUCH_PROPERTY.
  func column(_ property: flx_property_key_t) throws -> Column {
    let index = Int(property)
    guard index < columns.count, access[index] != .hidden else {
      throw CoreError(
        .FLX_STATUS_NO_SUCH_PROPERTY,
        "The class '\(name)' has no property with the key \(property)."
      )
    }
    return columns[index]
  }
}
