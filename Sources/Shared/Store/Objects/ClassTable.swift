// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The table of a class. The same instance exists as long as the store. Columns are only ever added, so a column's
/// index never changes.
public final class ClassTable {
  /// The number of the class in this file.
  public let id: Int64
  /// The name of the class.
  public let name: String
  /// The kind of objects that the class contains.
  public let kind: ClassKind
  /// The name of the table in double quotes.
  public let sqlName: String
  /// The primary key at index 0, or the row for a class without one, followed by the properties in the order of their
  /// declaration.
  @exclusivity(unchecked) public internal(set) var columns: [Column] = [] {
    didSet { columnsChanged() }
  }

  private var indexByName: [String: Int] = [:]
  /// The index of the column that is likely to be named next: changesets name those of an object in their order.
  @exclusivity(unchecked) private var likelyIndex = 0
  /// The initial values of a new object, by column index. Collections have null.
  package private(set) var zeroValues: [Value] = []
  /// The properties that are lists, sets and dictionaries.
  private(set) var collectionColumns: [Column] = []
  private(set) var singleColumns: [Column] = []
  /// The columns that an INSERT names after the row.
  var insertedColumns: ArraySlice<Column> { singleColumns.dropFirst(isKeyedByRow ? 1 : 0) }
  /// The names to select for the values of all single properties, in the order of `singleColumns`.
  package var selectList: String { singleColumns.map(\.selectList).joined(separator: ", ") }
  /// Properties that hold embedded objects.
  public private(set) var embeddedColumns: [Column] = []
  /// The values that an INSERT binds after the row, in this order.
  private(set) var insertSteps: [InsertStep] = []
  /// The folded SQL names of the columns, for finding unused names.
  var takenColumnNames: Set<String> = []

  /// The next free row, valid within one write transaction.
  @exclusivity(unchecked) var nextRow: Int64 = 0
  @exclusivity(unchecked) var nextRowTransaction: UInt64 = 0
  /// An upper bound of the class's keys, valid within one write transaction. Apps usually generate ascending keys, so
  /// most new objects need no lookup.
  @exclusivity(unchecked) var greatestKey: PrimaryKey?
  @exclusivity(unchecked) var greatestKeyTransaction: UInt64 = 0
  /// The first row after those erased in this transaction.
  @exclusivity(unchecked) var firstRowAfterErased: Int64 = 0

  /// The statements prepared so far.
  @exclusivity(unchecked) var statements = [Statement?](repeating: nil, count: ClassStatement.allCases.count)

  init(id: Int64, name: String, kind: ClassKind, tableName: String) {
    self.id = id
    self.name = name
    self.kind = kind
    sqlName = SQLText.quoted(tableName)
  }

  /// The column of the primary key. For a class without one, this is the column of the row, which identifies its
  /// objects within the file.
  public var primaryKey: Column { columns[0] }

  /// Whether rows identify the objects: those of embedded classes, and in local realms those of classes without a
  /// primary key.
  public private(set) var isKeyedByRow = false

  /// Whether objects of the class exist only inside others.
  public var isEmbedded: Bool { kind == .embedded }

  /// Returns the column of a property, including the primary key.
  public func column(named name: String) -> Column? {
    if likelyIndex < columns.count, columns[likelyIndex].schema.name == name, !isKeyedByRow || likelyIndex > 0
    {
      likelyIndex += 1
      return columns[likelyIndex - 1]
    }
    guard let index = indexByName[name] else { return nil }
    likelyIndex = index + 1
    return columns[index]
  }

  /// The declaration of the class.
  public var schema: ClassSchema {
    ClassSchema(
      name: name,
      kind: kind,
      primaryKey: isKeyedByRow ? nil : columns[0].schema,
      properties: columns.dropFirst().map(\.schema)
    )
  }

  private func columnsChanged() {
    indexByName = [:]
    isKeyedByRow = columns.first?.schema.name == PropertySchema.row.name
    for column in columns.dropFirst(isKeyedByRow ? 1 : 0) { indexByName[column.schema.name] = column.index }
    zeroValues = columns.map { $0.isSingle ? $0.storage.zero : .null }
    collectionColumns = columns.filter { !$0.isSingle }
    singleColumns = columns.filter(\.isSingle)
    embeddedColumns = columns.filter(\.isEmbedded)
    // A row that is the key is parameter 1.
    if isKeyedByRow { columns[0].insertParameter = 1 }
    var parameter: Int32 = 2
    insertSteps = insertedColumns.map { column in
      column.insertParameter = parameter
      defer { parameter += column.storage.width }
      return InsertStep(column)
    }
    statements[ClassStatement.insert.rawValue] = nil
    statements[ClassStatement.row.rawValue] = nil
  }
}

extension PropertySchema {
  /// Replaces the primary key in a class without one. No property has an empty name.
  static let row = PropertySchema(name: "", type: .int)
}

/// A column of an INSERT that has its initial value unless another one is set.
struct InsertStep {
  let index: Int
  let storage: ValueStorage
  /// The first parameter of the value.
  let parameter: Int32
  /// The initial value.
  let zero: Value

  init(_ column: Column) {
    index = column.index
    storage = column.storage
    parameter = column.insertParameter
    zero = column.storage.zero
  }
}

/// A property as stored in the file: one column, two for timestamps, or a separate table for a collection.
public final class Column {
  /// The class that has the property.
  public unowned(unsafe) let table: ClassTable
  /// Identifies the table, for comparisons that count no references.
  let tableIdentity: ObjectIdentifier
  /// The index among the table's columns.
  public let index: Int
  /// The declaration of the property.
  public internal(set) var schema: PropertySchema
  /// The name of the column in double quotes; for a collection the name of its table.
  public let sqlName: String
  /// The name of a timestamp's second column, which contains the nanoseconds, in double quotes.
  public let nanosecondsSQLName: String?
  /// Whether the property holds embedded objects: links to rows of a separate class that nothing else links to.
  public let isEmbedded: Bool
  package let storage: ValueStorage
  /// The kind of the cells that a changeset may set the property to; nil if more than the kind has to be checked.
  let plainKind: Cell.Kind?
  /// The parameter of the class's INSERT that takes the value, or the first of two.
  fileprivate(set) var insertParameter: Int32 = 0
  /// The number of the property's name in a changeset, and the generation of that changeset (`ChangeCapture`).
  @exclusivity(unchecked) var captured: (generation: UInt64, number: UInt64) = (0, 0)

  /// The statements prepared so far.
  @exclusivity(unchecked) var statements = [Statement?](repeating: nil, count: ColumnStatement.allCases.count)

  init(
    table: ClassTable,
    index: Int,
    schema: PropertySchema,
    storage: ValueStorage,
    name: String,
    isEmbedded: Bool
  ) {
    self.table = table
    tableIdentity = ObjectIdentifier(table)
    self.index = index
    self.schema = schema
    self.storage = storage
    self.isEmbedded = isEmbedded
    plainKind = index > 0 && schema.collection == .single && !isEmbedded ? storage.plainKind : nil
    sqlName = SQLText.quoted(name)
    nanosecondsSQLName =
      schema.collection == .single && schema.type == .timestamp ? SQLText.quoted("\(name)$ns") : nil
  }

  /// Whether the property holds a single value instead of a collection.
  public var isSingle: Bool { schema.collection == .single }
  /// Whether the property is a list.
  public var isList: Bool { schema.collection == .list }
  /// Whether the property is the primary key.
  public var isPrimaryKey: Bool { index == 0 }

  /// The column names to select for one value of a single-valued property.
  var selectList: String { nanosecondsSQLName.map { "\(sqlName), \($0)" } ?? sqlName }
  /// The column names to select for one element of a collection.
  var elementList: String { storage.width == 2 ? "value, value_ns" : "value" }
}
