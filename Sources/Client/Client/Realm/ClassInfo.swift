// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncModel
import FlexSyncStore

/// A class as one realm sees it: the table, and the columns in the realm's schema.
///
/// A property's key is the index of its column in the file, which never changes.
final class ClassInfo {
  /// A property of the realm's schema, as it was when the class adopted the schema.
  struct DeclaredProperty {
    let schema: PropertySchema
    let index: Int
    let isPrimaryKey: Bool
  }

  let key: flx_class_key_t
  let name: String
  @exclusivity(unchecked) private(set) var table: ClassTable
  private(set) var declared: DeclaredClass
  /// The columns of the table that this realm has seen; columns are only ever added.
  @exclusivity(unchecked) private(set) var columns: [Column] = []
  /// The single properties of the realm's schema, in the order in which rows are read.
  private(set) var readColumns: [Column] = []
  /// The traits that reads and writes need, by column index. They hold no references, because access is very
  /// frequent.
  @exclusivity(unchecked) private(set) var traits: UnsafeMutablePointer<PropertyTraits>
  @exclusivity(unchecked) private var traitsCount = 0
  /// The realm's stamp at the last write to each column.
  @exclusivity(unchecked) private(set) var columnStamps: UnsafeMutablePointer<UInt64>
  /// The realm's stamp at which an object was last created or erased.
  @exclusivity(unchecked) var membershipStamp: UInt64 = 0
  /// The number of the last write transaction in which the class was found to have a subscription.
  @exclusivity(unchecked) var subscribedInWrite: UInt64 = 0
  /// The columns requested since a `ResultsPage` last collected them.
  @exclusivity(unchecked) var usedColumns = UsedColumns.none
  /// The reader of a single row by its number.
  var rowReader: RowReader?
  /// The reader of a single row by its primary key.
  var keyReader: RowReader?
  /// The reader of some columns of a range of rows.
  var rangeReader: RowReader?
  /// The properties of the realm's schema, in the order of their declaration.
  private(set) var properties: [DeclaredProperty] = []
  /// How often the class has adopted a schema.
  private(set) var revision = 0
  /// The descriptions of this class that the C interface has lent, newest last. All stay valid as long as the class.
  var loans: [AnyObject] = []

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

  /// Adopts a schema that has grown. Everything read of objects before becomes invalid.
  func attach(_ table: ClassTable, _ declared: DeclaredClass) {
    self.table = table
    self.declared = declared
    columns = table.columns
    revision += 1
    let declaredColumns = declared.propertyNames.compactMap { table.column(named: $0) }
    properties = declaredColumns.map {
      DeclaredProperty(schema: $0.schema, index: $0.index, isPrimaryKey: $0.isPrimaryKey)
    }
    readColumns = declaredColumns.filter(\.isSingle).sorted { $0.index < $1.index }
    rowReader = nil
    keyReader = nil
    rangeReader = nil

    traits.deallocate()
    traits = .allocate(capacity: columns.count)
    traitsCount = columns.count
    for (index, column) in columns.enumerated() {
      let isDeclared = declared.schema.property(named: column.schema.name) != nil
      traits.advanced(by: index).initialize(to: PropertyTraits(column, isDeclared: isDeclared))
    }
    columnStamps.deallocate()
    columnStamps = .allocate(capacity: columns.count)
    columnStamps.initialize(repeating: 0, count: columns.count)
  }

  /// Returns the traits of a property; nil if there is none with that key.
  @inline(__always)
  func traits(of property: flx_property_key_t) -> PropertyTraits? {
    Int(property) < traitsCount ? traits[Int(property)] : nil
  }

  /// Returns the column of a property.
  /// - Throws: `CoreError` NO_SUCH_PROPERTY.
  func column(_ property: flx_property_key_t) throws -> Column {
    let index = Int(property)
    guard index < columns.count, traits[index].kind != .hidden else {
      throw CoreError(
        .noSuchProperty,
        "The class '\(name)' has no property with the key \(property)."
      )
    }
    return columns[index]
  }
}
