// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// A compiled query that gives the rows of the objects that it finds, as often as it is asked.
public final class RowQuery {
  private let store: ObjectStore
  private let table: ClassTable
  private let query: BoundQuery
  private let condition: SQLFragment
  private var rowsStatement: Statement?
  private var countStatement: Statement?
  private var testStatement: Statement?

  init(store: ObjectStore, table: ClassTable, query: BoundQuery) throws {
    self.store = store
    self.table = table
    self.query = query
    condition = try SQLCompiler.condition(query.predicate, layout: store.layout)
  }

  /// The rows in the query's order.
  public func rows() throws -> [Int64] {
    try store.flush()
    let statement = try rowsStatement ?? prepareRows()
    defer { statement.reset() }
    var rows: [Int64] = []
    while try statement.step() { rows.append(statement.int(0)) }
    return rows
  }

  /// The number of rows.
  public func count() throws -> Int {
    guard query.options.keepsAllRows else { return try rows().count }
    try store.flush()
    let statement = try countStatement ?? prepareCount()
    defer { statement.reset() }
    return try statement.step() ? Int(statement.int(0)) : 0
  }

  /// Whether an object meets the query's condition now; false if it is gone.
  public func isMet(by row: Int64) throws -> Bool {
    try store.flush()
    let statement = try testStatement ?? prepareTest()
    statement.bind(row, at: Int32(clamping: condition.bindings.count + 1))
    defer { statement.reset() }
    return try statement.step()
  }

  private func prepareRows() throws -> Statement {
    let fragment = try SQLCompiler.rows(query, layout: store.layout)
    let statement = try store.database.prepare(fragment.text)
    statement.bind(fragment.bindings)
    rowsStatement = statement
    return statement
  }

  private func prepareCount() throws -> Statement {
    let statement = try store.database.prepare(
      "SELECT count(*) FROM \(table.sqlName) AS t0 WHERE \(condition.text)"
    )
    statement.bind(condition.bindings)
    countStatement = statement
    return statement
  }

  private func prepareTest() throws -> Statement {
    let statement = try store.database.prepare(
      "SELECT 1 FROM \(table.sqlName) AS t0 WHERE (\(condition.text)) AND t0.flx_row = ?"
    )
    statement.bind(condition.bindings)
    testStatement = statement
    return statement
  }
}

extension QueryOptions {
  /// Whether every object that meets the condition is found: the options only order them.
  public var keepsAllRows: Bool {
    steps.allSatisfy { step in
      if case .sort = step { true } else { false }
    }
  }
}

extension ObjectStore {
  /// Compiles a query on a class of this store.
  ///
  /// - Throws: `QueryError` of kind `unsupported` for what has no SQL form yet, `ObjectError` for an unknown class.
  public func rowQuery(_ query: BoundQuery) throws -> RowQuery {
    try RowQuery(store: self, table: try requireTable(query.className), query: query)
  }
}
