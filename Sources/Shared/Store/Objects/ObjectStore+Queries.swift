// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Maps the classes of a store to tables for the query compiler.
public struct StoreLayout: SQLLayout {
  private let tables: [String: ClassTable]

  init(tables: [String: ClassTable]) { self.tables = tables }

  /// Returns the table of a class.
  public func table(of className: String) -> String { tables[className]?.sqlName ?? missing }

  /// Returns the column that links to the class refer to.
  public func primaryKeyColumn(of className: String) -> String {
    tables[className]?.primaryKey.sqlName ?? missing
  }

  /// Returns the column of a single-valued property. For timestamps, this is the column of the seconds.
  public func column(_ property: String, of className: String) -> String {
    guard let table = tables[className] else { return missing }
    if property == PropertySchema.row.name { return table.primaryKey.sqlName }
    return table.column(named: property)?.sqlName ?? missing
  }

  /// Returns the second column of a timestamp.
  public func nanosecondsColumn(_ property: String, of className: String) -> String {
    tables[className]?.column(named: property)?.nanosecondsSQLName ?? missing
  }

  /// Returns the table of a list, set or dictionary.
  public func collectionTable(_ property: String, of className: String) -> String {
    column(property, of: className)
  }

  /// Returns the properties whose links lead to a class, or nil if values of type mixed may also hold such links.
  public func incomingLinks(to className: String) -> [(owner: String, property: PropertySchema)]? {
    guard !tables.values.contains(where: { $0.columns.contains { $0.schema.type == .mixed } }) else {
      return nil
    }
    return tables.values.sorted { $0.id < $1.id }.flatMap { table in
      table.columns.filter { $0.schema.linkTarget == className }.map { (table.name, $0.schema) }
    }
  }

  /// Whether the primary key may be null.
  public func isKeyNullable(of className: String) -> Bool {
    tables[className]?.primaryKey.schema.isNullable ?? false
  }

  /// A name that no table has, which makes SQLite reject a query on anything undeclared.
  private var missing: String { "\"flx_missing\"" }
}

extension ObjectStore {
  /// The layout for compiling queries on the currently declared classes.
  public var layout: StoreLayout {
    get throws { StoreLayout(tables: try tables) }
  }

  /// Compiles a query on this store's tables.
  ///
  /// - Parameters:
  ///   - predicate: The condition on the objects.
  ///   - className: The class of the objects.
  ///   - options: The order and number of the objects.
  /// - Precondition: The options are plain (`QueryOptions.isPlain`).
  public func selection(_ predicate: Predicate, on className: String, _ options: QueryOptions? = nil) throws
    -> RowSelection
  {
    let layout = try layout
    let condition = SQLCompiler.condition(try resolved(predicate), on: className, layout: layout)
    let order = options.map { SQLCompiler.order($0, on: className, layout: layout) }
    return RowSelection(condition: condition, order: order?.terms, limit: order?.limit)
  }
}
