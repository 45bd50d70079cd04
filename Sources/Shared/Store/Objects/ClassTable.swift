// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The table of a class. One object for as long as the store exists; columns are only ever added, so a column's
/// index is stable.
public final class ClassTable {
  /// The number of the class in this file.
  public let id: Int64
  /// The name of the class.
  public let name: String
  /// What kind of objects the class holds.
  public let kind: ClassKind
  /// The name of the table in double quotes.
  public let sqlName: String
  /// The primary key at index 0, or the row for an embedded class, then the properties in the order of their
  /// declaration.
  public internal(set) var columns: [Column] = [] {
    didSet { columnsChanged() }
  }

  private var indexByName: [String: Int] = [:]
  /// What a new object has, by column index; collections count as null.
  package private(set) var zeroValues: [Value] = []
  /// The properties that are lists, sets and dictionaries.
  private(set) var collectionColumns: [Column] = []
  private(set) var singleColumns: [Column] = []
  /// Properties that hold embedded objects.
  public private(set) var embeddedColumns: [Column] = []
  /// What an INSERT binds behind the row, in this order.
  private(set) var insertSteps: [InsertStep] = []
  /// Folded SQL names of columns, to find free ones.
  var takenColumnNames: Set<String> = []

  /// The next free row, known during one write transaction.
  var nextRow: Int64 = 0
  var nextRowTransaction: UInt64 = 0
  /// No object has a greater key; known during one write transaction. Apps make ascending keys, so most new objects
  /// need not be looked for.
  var greatestKey: PrimaryKey?
  var greatestKeyTransaction: UInt64 = 0
  /// The first row after those that were erased in this transaction.
  var firstRowAfterErased: Int64 = 0

  var insertStatement: Statement?
  var findStatement: Statement?
  var eraseStatement: Statement?
  var keyStatement: Statement?
  var nextRowStatement: Statement?
  var rowStatement: Statement?
  var ownerStatement: Statement?

  init(id: Int64, name: String, kind: ClassKind, tableName: String) {
    self.id = id
    self.name = name
    self.kind = kind
    sqlName = SQLText.quoted(tableName)
  }

  /// The column of the primary key; for an embedded class that of the row, which is the identity of its objects
  /// within the file.
  public var primaryKey: Column { columns[0] }

  /// Whether the objects of the class live inside others.
  public var isEmbedded: Bool { kind == .embedded }

  /// The column of a property, the primary key included.
  public func column(named name: String) -> Column? {
    indexByName[name].map { columns[$0] }
  }

  /// The declaration of the class.
  public var schema: ClassSchema {
    ClassSchema(
      name: name,
      kind: kind,
      primaryKey: isEmbedded ? nil : columns[0].schema,
      properties: columns.dropFirst().map(\.schema)
    )
  }

  private func columnsChanged() {
    indexByName = [:]
    for column in columns.dropFirst(isEmbedded ? 1 : 0) { indexByName[column.schema.name] = column.index }
    zeroValues = columns.map { $0.isSingle ? $0.storage.zero : .null }
    collectionColumns = columns.filter { !$0.isSingle }
    singleColumns = columns.filter(\.isSingle)
    embeddedColumns = columns.filter(\.isEmbedded)
    insertSteps = singleColumns.map { InsertStep(index: $0.index, storage: $0.storage) }
    insertStatement = nil
    rowStatement = nil
  }
}

extension PropertySchema {
  /// What stands in the place of the primary key in an embedded class. No property has an empty name.
  static let row = PropertySchema(name: "", type: .int)
}

/// One value of an INSERT: plain data, so that the loop over it counts no references.
struct InsertStep {
  let index: Int
  let storage: ValueStorage
}

/// A property as the file stores it: one column, two for timestamps, or a table of its own for a
/// collection.
public final class Column {
  /// The class that has the property.
  public unowned(unsafe) let table: ClassTable
  /// The position among the table's columns.
  public let index: Int
  /// The declaration of the property.
  public internal(set) var schema: PropertySchema
  /// The name of the column in double quotes; for a collection that of its table.
  public let sqlName: String
  /// The second column of a timestamp in double quotes, which holds the nanoseconds.
  public let nanosecondsSQLName: String?
  /// Whether the property holds embedded objects: links to rows of a class of their own, which nothing else leads to.
  public let isEmbedded: Bool
  package let storage: ValueStorage

  var selectStatement: Statement?
  var updateStatement: Statement?
  var incomingStatement: Statement?
  var visibleStatement: Statement?
  let list: ListStatements?
  let set: SetStatements?
  let dictionary: DictionaryStatements?

  init(
    table: ClassTable,
    index: Int,
    schema: PropertySchema,
    storage: ValueStorage,
    name: String,
    isEmbedded: Bool
  ) {
    self.table = table
    self.index = index
    self.schema = schema
    self.storage = storage
    self.isEmbedded = isEmbedded
    sqlName = SQLText.quoted(name)
    nanosecondsSQLName =
      schema.collection == .single && schema.type == .timestamp ? SQLText.quoted("\(name)$ns") : nil
    list = schema.collection == .list ? ListStatements() : nil
    set = schema.collection == .set ? SetStatements() : nil
    dictionary = schema.collection == .dictionary ? DictionaryStatements() : nil
  }

  /// Whether the property holds one value rather than a collection.
  public var isSingle: Bool { schema.collection == .single }
  /// Whether the property is a list.
  public var isList: Bool { schema.collection == .list }
  /// Whether the property is the primary key.
  public var isPrimaryKey: Bool { index == 0 }

  /// The column names to select for one value of a single property.
  var selectList: String { nanosecondsSQLName.map { "\(sqlName), \($0)" } ?? sqlName }
  /// The column names to select for one element of a collection.
  var elementList: String { storage.width == 2 ? "value, value_ns" : "value" }
}
