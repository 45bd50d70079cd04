// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// A compiled query that returns the rows of the objects it finds. It can run any number of times.
public final class RowQuery {
  private let store: ObjectStore
  private let table: ClassTable
  private let query: BoundQuery
  private let linkConstants: LinkConstants
  /// The links in the query that were dangling when the statements were compiled.
  private var danglingLinks: Set<Link> = []
  private var condition: SQLFragment?
  private var rowsStatement: Statement?
  private var countStatement: Statement?
  private var testStatement: Statement?
  /// The scan handed out last, and the columns that it reads.
  private var scan: (columns: [Column], readsRow: Bool, scan: RowScan)?

  init(store: ObjectStore, table: ClassTable, query: BoundQuery) {
    self.store = store
    self.table = table
    self.query = query
    linkConstants = LinkConstants(query.predicate)
  }

  /// Returns the rows in the query's order.
  public func rows() throws -> [Int64] {
    try prepareForUse()
    let statement = try rowsStatement ?? prepareRows()
    defer { statement.reset() }
    var rows: [Int64] = []
    while try statement.step() { rows.append(statement.int(0)) }
    // Without options the statement leaves the order open.
    if query.options.isEmpty, !rows.isAscending { rows.sort() }
    return rows
  }

  /// Returns the number of rows.
  public func count() throws -> Int {
    guard query.options.keepsAllRows else { return try rows().count }
    try prepareForUse()
    let statement = try countStatement ?? prepareCount()
    defer { statement.reset() }
    return try statement.step() ? Int(statement.int(0)) : 0
  }

  /// Returns the values of a single-valued property of the objects, as stored, in the query's order and without
  /// nulls.
  public func values(of column: Column) throws -> [Value] {
    try prepareForUse()
    let values: SQLFragment = "SELECT \(raw: column.selectList) FROM"
    let table: SQLFragment = "\(raw: table.sqlName) AS t0"
    let statement = try prepare(
      query.options.isEmpty
        ? "\(values) \(table) WHERE \(try conditionFragment()) ORDER BY t0.flx_row"
        : "\(values) (\(try rowsFragment())) AS r CROSS JOIN \(table) ON t0.flx_row = r.flx_row"
    )
    var result: [Value] = []
    while try statement.step() {
      if !statement.isNull(0) { result.append(statement.value(0, column)) }
    }
    return result
  }

  /// Returns a scan, to be started with `restart`, of the objects in the query's order that reads some of their
  /// single-valued properties. The query may lend the same scan again.
  ///
  /// - Parameter readsRow: whether the caller asks for the numbers of the rows, too.
  /// - Precondition: The options are plain (`QueryOptions.isPlain`).
  public func scan(of columns: [Column], readsRow: Bool = true) throws -> RowScan {
    try prepareForUse()
    if let scan, scan.readsRow == readsRow, scan.columns.elementsEqual(columns, by: ===) { return scan.scan }
    let list = SelectList(columns, includesRow: readsRow)
    let statement = try prepare(try scanFragment(list.text))
    let scan = RowScan(store: store, statement: statement, columns: columns, positions: list.positions)
    self.scan = (columns, readsRow, scan)
    return scan
  }

  private func scanFragment(_ list: String) throws -> SQLFragment {
    let table: SQLFragment = "\(raw: table.sqlName) AS t0"
    precondition(query.options.isPlain)
    let unordered: SQLFragment = "SELECT \(raw: list) FROM \(table) WHERE \(try conditionFragment())"
    guard !query.options.isEmpty else { return try inOrderOfInsertion(unordered) }
    let order = SQLCompiler.order(query.options, on: query.className, layout: try store.layout)
    return "\(unordered) ORDER BY \(order.terms)\(raw: order.limit.map { " LIMIT \($0)" } ?? "")"
  }

  /// Returns a statement in the order of insertion. SQLite may choose to visit all rows in this order, although an index
  /// would find the few that meet the condition; in that case they are found as without an order, and then sorted.
  private func inOrderOfInsertion(_ unordered: SQLFragment) throws -> SQLFragment {
    let ordered: SQLFragment = "\(unordered) ORDER BY t0.flx_row"
    let isPlanKept = try query.predicate == .always || plan(of: ordered) == plan(of: unordered)
    return isPlanKept ? ordered : "\(unordered) ORDER BY +t0.flx_row"
  }

  /// Whether an object currently meets the query's condition. False if it does not exist.
  public func isMet(by row: Int64) throws -> Bool {
    try prepareForUse()
    let statement = try testStatement ?? prepareTest()
    statement.bind(row, at: statement.parameterCount)
    defer { statement.reset() }
    return try statement.step()
  }

  /// Returns the statement that finds the rows, and SQLite's plan for it.
  public func explain() throws -> QueryExplanation {
    try prepareForUse()
    let fragment = try rowsFragment()
    return QueryExplanation(sql: fragment.text, plan: try plan(of: fragment))
  }

  private func plan(of fragment: SQLFragment) throws -> [String] {
    let statement = try prepare("EXPLAIN QUERY PLAN \(fragment)")
    var plan: [String] = []
    while try statement.step() { plan.append(statement.text(3)) }
    return plan
  }

  /// Writes pending changes, and discards the statements if the set of dangling links has changed.
  private func prepareForUse() throws {
    try store.flush()
    let dangling = try linkConstants.dangling(in: store)
    guard dangling != danglingLinks else { return }
    danglingLinks = dangling
    condition = nil
    scan = nil
    (rowsStatement, countStatement, testStatement) = (nil, nil, nil)
  }

  private func rowsFragment() throws -> SQLFragment {
    var query = query
    query.predicate = query.predicate.replacing(danglingLinks)
    return SQLCompiler.rows(query, layout: try store.layout)
  }

  private func conditionFragment() throws -> SQLFragment {
    if let condition { return condition }
    let condition = SQLCompiler.condition(
      query.predicate.replacing(danglingLinks),
      on: query.className,
      layout: try store.layout
    )
    self.condition = condition
    return condition
  }

  private func prepareRows() throws -> Statement {
    let statement = try prepare(try rowsFragment())
    rowsStatement = statement
    return statement
  }

  private func prepareCount() throws -> Statement {
    let statement = try prepare(
      "SELECT count(*) FROM \(raw: table.sqlName) AS t0 WHERE \(try conditionFragment())"
    )
    countStatement = statement
    return statement
  }

  private func prepareTest() throws -> Statement {
    let statement = try prepare(
      "SELECT 1 FROM \(raw: table.sqlName) AS t0 WHERE (\(try conditionFragment())) AND t0.flx_row = ?"
    )
    testStatement = statement
    return statement
  }

  private func prepare(_ fragment: SQLFragment) throws -> Statement {
    let statement = try store.database.prepare(fragment.text)
    try statement.bind(fragment.bindings, store)
    return statement
  }
}

/// The way a query is executed.
public struct QueryExplanation: Hashable, Sendable {
  /// The SQL statement, with `?` for values.
  public let sql: String
  /// The steps of SQLite's plan as named by EXPLAIN QUERY PLAN: "SEARCH …" uses an index, "SCAN …" visits all rows.
  public let plan: [String]
}

extension [Int64] {
  fileprivate var isAscending: Bool {
    for index in indices.dropFirst() where self[index] < self[index - 1] { return false }
    return true
  }
}

extension QueryOptions {
  /// Whether the query returns every object that meets the condition, because the options only sort.
  public var keepsAllRows: Bool {
    steps.allSatisfy { step in
      if case .sort = step { true } else { false }
    }
  }
}

extension ObjectStore {
  /// Compiles a query on a class of this store.
  ///
  /// - Throws: `ObjectError` for an undeclared class.
  public func rowQuery(_ query: BoundQuery) throws -> RowQuery {
    RowQuery(store: self, table: try requireTable(query.className), query: query)
  }
}
