// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// Where the classes of a store are, for the query compiler.
public struct StoreLayout: SQLLayout {
  private let tables: [String: ClassTable]

  init(tables: [String: ClassTable]) { self.tables = tables }

  /// The table of a class.
  public func table(of className: String) -> String { tables[className]?.sqlName ?? missing }

  /// The column that links to the class refer to.
  public func primaryKeyColumn(of className: String) -> String {
    tables[className]?.primaryKey.sqlName ?? missing
  }

  /// The column of a single property; for timestamps the seconds.
  public func column(_ property: String, of className: String) -> String {
    tables[className]?.column(named: property)?.sqlName ?? missing
  }

  /// The second column of a timestamp.
  public func nanosecondsColumn(_ property: String, of className: String) -> String {
    tables[className]?.column(named: property)?.nanosecondsSQLName ?? missing
  }

  /// The table of a list, set or dictionary.
  public func collectionTable(_ property: String, of className: String) -> String {
    column(property, of: className)
  }

  /// The properties whose links lead to a class; nil if values of type mixed may hold such links, too.
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

  /// A name that no table has, so that a query on what is not declared is refused by SQLite.
  private var missing: String { "\"flx_missing\"" }
}

extension ObjectStore {
  /// The layout for compiling queries on the classes declared now.
  public var layout: StoreLayout {
    get throws { StoreLayout(tables: try tables) }
  }

  /// Compiles a query on this store's tables.
  ///
  /// - Parameters:
  ///   - predicate: which objects.
  ///   - className: their class.
  ///   - options: in which order and how many.
  /// - Precondition: the options are plain (`QueryOptions.isPlain`).
  public func selection(
    _ predicate: Predicate,
    on className: String,
    _ options: QueryOptions? = nil
  ) throws -> RowSelection {
    let layout = try layout
    let condition = SQLCompiler.condition(try resolved(predicate), on: className, layout: layout)
    let order = options.map { SQLCompiler.order($0, on: className, layout: layout) }
    return RowSelection(condition: condition, order: order?.terms, limit: order?.limit)
  }
}
