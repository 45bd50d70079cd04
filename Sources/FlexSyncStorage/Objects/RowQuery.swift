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
    condition = SQLCompiler.condition(
      query.predicate,
      on: query.className,
      layout: try store.layout
    )
  }

  /// The rows in the query's order.
  public func rows() throws -> [Int64] {
    try store.flush()
    let statement = try rowsStatement ?? prepareRows()
    defer { statement.reset() }
    var rows: [Int64] = []
    while try statement.step() { rows.append(statement.int(0)) }
    // Without a clause the statement leaves the order open.
    if query.options.isEmpty, !rows.isAscending { rows.sort() }
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

  /// The statement that gives the rows, and how SQLite goes about it.
  public func explain() throws -> QueryExplanation {
    let fragment = SQLCompiler.rows(query, layout: try store.layout)
    let statement = try store.database.prepare("EXPLAIN QUERY PLAN \(fragment.text)")
    try statement.bind(fragment.bindings, store)
    var plan: [String] = []
    while try statement.step() { plan.append(statement.text(3)) }
    return QueryExplanation(sql: fragment.text, plan: plan)
  }

  private func prepareRows() throws -> Statement {
    let fragment = SQLCompiler.rows(query, layout: try store.layout)
    let statement = try store.database.prepare(fragment.text)
    try statement.bind(fragment.bindings, store)
    rowsStatement = statement
    return statement
  }

  private func prepareCount() throws -> Statement {
    let statement = try store.database.prepare(
      "SELECT count(*) FROM \(table.sqlName) AS t0 WHERE \(condition.text)"
    )
    try statement.bind(condition.bindings, store)
    countStatement = statement
    return statement
  }

  private func prepareTest() throws -> Statement {
    let statement = try store.database.prepare(
      "SELECT 1 FROM \(table.sqlName) AS t0 WHERE (\(condition.text)) AND t0.flx_row = ?"
    )
    try statement.bind(condition.bindings, store)
    testStatement = statement
    return statement
  }
}

/// How a query is carried out.
public struct QueryExplanation: Hashable, Sendable {
  /// The SQL statement, with `?` for values.
  public let sql: String
  /// The steps of SQLite's plan, as EXPLAIN QUERY PLAN names them: "SEARCH …" goes through an index, "SCAN …" through
  /// all rows.
  public let plan: [String]
}

extension [Int64] {
  fileprivate var isAscending: Bool {
    for index in indices.dropFirst() where self[index] < self[index - 1] { return false }
    return true
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
  /// - Throws: `ObjectError` for an unknown class.
  public func rowQuery(_ query: BoundQuery) throws -> RowQuery {
    try RowQuery(store: self, table: try requireTable(query.className), query: query)
  }
}
