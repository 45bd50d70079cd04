// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel
import FlexSyncStore

/// A class as one realm sees it: the table, and the columns that the realm's schema has.
///
/// A property's key is the index of its column in the file, which never changes.
final class ClassInfo {
  let key: flx_class_key_t
  let name: String
  private(set) var table: ClassTable
  private(set) var declared: DeclaredClass
  /// The columns of the table that this realm knows; columns are only ever added.
  private(set) var columns: [Column] = []
  /// The single properties of the realm's schema, in the order in which rows are read.
  private(set) var readColumns: [Column] = []
  /// What reading and writing looks at, by column index: without references, since it is done very often.
  private(set) var traits: UnsafeMutablePointer<PropertyTraits>
  /// The realm's stamps when the columns were written last.
  private(set) var columnStamps: UnsafeMutablePointer<UInt64>
  /// The realm's stamp when an object was created or erased last.
  var membershipStamp: UInt64 = 0
  /// The number of the write transaction in which the class was known to be subscribed to.
  var subscribedInWrite: UInt64 = 0
  /// The columns that were asked for since somebody last looked.
  var usedColumns = UsedColumns.none
  /// Reads one row by its number.
  var rowReader: RowReader?
  /// Reads one row by its primary key.
  var keyReader: RowReader?
  /// Reads some columns of a range of rows.
  var rangeReader: RowReader?
  /// The newest description for C callers; older ones stay valid, too.
  private var descriptions: [ClassDescription] = []

  var schema: ClassSchema { declared.schema }

  init(_ table: ClassTable, _ declared: DeclaredClass, key: flx_class_key_t) {
    self.key = key
    name = table.name
    self.table = table
    self.declared = declared
    traits = .allocate(capacity: 0)
    columnStamps = .allocate(capacity: 0)
    attach(table, declared)
  }

  deinit {
    traits.deallocate()
    columnStamps.deallocate()
  }

  /// Takes over a schema that has grown. What was read of objects before is void.
  func attach(_ table: ClassTable, _ declared: DeclaredClass) {
    self.table = table
    self.declared = declared
    columns = table.columns
    let declaredColumns = declared.propertyNames.compactMap { table.column(named: $0) }
    readColumns = declaredColumns.filter(\.isSingle).sorted { $0.index < $1.index }
    rowReader = nil
    keyReader = nil
    rangeReader = nil

    traits.deallocate()
    traits = .allocate(capacity: columns.count)
    for (index, column) in columns.enumerated() {
      let isDeclared = declared.schema.property(named: column.schema.name) != nil
      traits.advanced(by: index).initialize(to: PropertyTraits(column, isDeclared: isDeclared))
    }
    columnStamps.deallocate()
    columnStamps = .allocate(capacity: columns.count)
    columnStamps.initialize(repeating: 0, count: columns.count)
    descriptions.append(ClassDescription(self, declaredColumns))
  }

  /// The class for C callers, lent by the realm.
  var description: flx_class_info_t { descriptions.last?.info ?? flx_class_info_t() }

  /// A property for C callers; nil if the realm does not have it.
  func property(named name: String) -> flx_property_info_t? {
    guard let column = table.column(named: name) else { return nil }
    return descriptions.last?.property(of: column)
  }

  /// The column of a property.
  /// - Throws: `CoreError` NO_SUCH_PROPERTY.
  func column(_ property: flx_property_key_t) throws -> Column {
    let index = Int(property)
    guard index < columns.count, traits[index].kind != .hidden else {
      throw CoreError(
        .FLX_STATUS_NO_SUCH_PROPERTY,
        "The class '\(name)' has no property with the key \(property)."
      )
    }
    return columns[index]
  }
}
