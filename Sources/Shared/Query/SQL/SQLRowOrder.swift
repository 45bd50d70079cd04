// SPDX-License-Identifier: Apache-2.0

extension QueryOptions {
  /// Whether ORDER BY and LIMIT can express the clauses: no DISTINCT, and no SORT after a LIMIT.
  public var isPlain: Bool {
    var hasLimit = false
    for step in steps {
      switch step {
      case .sort where hasLimit: return false
      case .sort: break
      case .limit: hasLimit = true
      case .distinct: return false
      }
    }
    return true
  }
}

extension SQLCompiler {
  /// Returns a complete statement that yields the `flx_row` of each object that a query finds, in the query's order.
  ///
  /// It supports every sequence of SORT, DISTINCT and LIMIT. If the options are plain, SQLite pages through an index;
  /// otherwise each clause numbers the rows of the previous one. Without options the order is left open so that an
  /// index can serve the condition. The order of insertion is the order of `flx_row`.
  public static func rows(_ query: BoundQuery, layout: some SQLLayout) -> SQLFragment {
    let table: SQLFragment = "\(raw: layout.table(of: query.className)) AS \(raw: rootAlias)"
    let condition = condition(query.predicate, on: query.className, layout: layout)
    if query.options.isEmpty { return "SELECT t0.flx_row FROM \(table) WHERE \(condition)" }
    if query.options.isPlain {
      let order = order(query.options, on: query.className, layout: layout)
      let limit = order.limit.map { " LIMIT \($0)" } ?? ""
      return "SELECT t0.flx_row FROM \(table) WHERE \(condition) ORDER BY \(order.terms)\(raw: limit)"
    }
    var compiler = SQLCompiler(query.className, layout: layout)
    let number = "row_number() OVER (ORDER BY t0.flx_row) AS n"
    var source: SQLFragment = "SELECT t0.flx_row AS flx_row, \(raw: number) FROM \(table) WHERE \(condition)"
    for step in query.options.steps { source = compiler.stage(step, after: source, table) }
    return "SELECT flx_row FROM (\(source)) ORDER BY n"
  }

  /// Returns one clause applied to the numbered rows of the preceding clauses.
  private mutating func stage(_ step: QueryOptions.Step, after source: SQLFragment, _ table: SQLFragment)
    -> SQLFragment
  {
    let objects: SQLFragment = "(\(source)) AS s JOIN \(table) ON t0.flx_row = s.flx_row"
    switch step {
    case .limit(let count): return "SELECT flx_row, n FROM (\(source)) ORDER BY n LIMIT \(raw: String(count))"
    case .sort(let keys):
      let order = (keys.flatMap { orderTerms($0) } + ["s.n"]).separated(by: ", ")
      return "SELECT t0.flx_row AS flx_row, row_number() OVER (ORDER BY \(order)) AS n FROM \(objects)"
    case .distinct(let paths):
      let keys = paths.map { keyColumns($0) }
      let terms = keys.flatMap(\.terms).separated(by: ", ")
      let condition = (["1"] + keys.compactMap(\.isReached)).separated(by: " AND ")
      let rank: SQLFragment = "row_number() OVER (PARTITION BY \(terms) ORDER BY s.n) AS k"
      let ranked: SQLFragment = "SELECT t0.flx_row AS flx_row, s.n AS n, \(rank) FROM \(objects)"
      return "SELECT flx_row, n FROM (\(ranked) WHERE \(condition)) WHERE k = 1"
    }
  }
}
