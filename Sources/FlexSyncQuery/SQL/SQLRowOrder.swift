// SPDX-License-Identifier: Apache-2.0

extension QueryOptions {
  /// Whether ORDER BY and LIMIT express the clauses: no DISTINCT, and no SORT behind a LIMIT.
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
  /// A complete statement that yields the `flx_row` of each object that a query finds, in the query's order.
  ///
  /// It takes every sequence of SORT, DISTINCT and LIMIT. Where the options are plain, `condition` and `order` make a
  /// statement that SQLite can page through without numbering all rows.
  ///
  /// - Throws: `QueryError` of kind `unsupported` for types that have no SQL form yet.
  public static func rows(_ query: BoundQuery, layout: some SQLLayout) throws(QueryError) -> SQLFragment {
    let table: SQLFragment = "\(raw: layout.table(of: query.className)) AS \(raw: rootAlias)"
    let condition = try condition(query.predicate, layout: layout)
    if query.options.isPlain {
      let order = try order(query.options, layout: layout)
      let limit = order.limit.map { " LIMIT \($0)" } ?? ""
      return "SELECT t0.flx_row FROM \(table) WHERE \(condition) ORDER BY \(raw: order.terms)\(raw: limit)"
    }
    var compiler = SQLCompiler(layout: layout)
    let number = "row_number() OVER (ORDER BY t0.flx_row) AS n"
    var source: SQLFragment = "SELECT t0.flx_row AS flx_row, \(raw: number) FROM \(table) WHERE \(condition)"
    for step in query.options.steps { source = try compiler.stage(step, after: source, table) }
    return "SELECT flx_row FROM (\(source)) ORDER BY n"
  }

  /// One clause on the numbered rows of the clauses before it.
  private mutating func stage(
    _ step: QueryOptions.Step,
    after source: SQLFragment,
    _ table: SQLFragment
  ) throws(QueryError) -> SQLFragment {
    let objects: SQLFragment = "(\(source)) AS s JOIN \(table) ON t0.flx_row = s.flx_row"
    switch step {
    case .limit(let count): return "SELECT flx_row, n FROM (\(source)) ORDER BY n LIMIT \(raw: String(count))"
    case .sort(let keys):
      var terms: [String] = []
      for key in keys { terms += try orderTerms(key) }
      let order = (terms + ["s.n"]).joined(separator: ", ")
      return "SELECT t0.flx_row AS flx_row, row_number() OVER (ORDER BY \(raw: order)) AS n FROM \(objects)"
    case .distinct(let paths):
      let (keys, condition) = try distinctKeys(paths)
      let rank = "row_number() OVER (PARTITION BY \(keys) ORDER BY s.n) AS k"
      let ranked: SQLFragment = "SELECT t0.flx_row AS flx_row, s.n AS n, \(raw: rank) FROM \(objects)"
      return "SELECT flx_row, n FROM (\(ranked) WHERE \(raw: condition)) WHERE k = 1"
    }
  }

  /// The columns that must differ, and the condition that no link on the way is null.
  private mutating func distinctKeys(
    _ paths: [PropertyPath]
  ) throws(QueryError) -> (keys: String, condition: String) {
    var keys: [String] = []
    var conditions = ["1"]
    for path in paths {
      let column = try column(path)
      keys.append(column.value.text)
      if let nanoseconds = column.nanoseconds { keys.append(nanoseconds.text) }
      if let link = try lastLink(of: path) { conditions.append("\(link) IS NOT NULL") }
    }
    return (keys.joined(separator: ", "), conditions.joined(separator: " AND "))
  }
}
