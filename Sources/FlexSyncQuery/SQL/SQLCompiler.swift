// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Writes predicates as SQLite conditions that hold for exactly the rows for which `Predicate.matches` does.
///
/// A condition is written in one of two modes. As a *filter* it may come out null where it does not hold, which keeps
/// columns bare so that indexes serve them. Under NOT it is *exact*: 1 or 0, never null.
public struct SQLCompiler {
  /// How the queried table is called in the statement: `… FROM <table> AS t0 WHERE …`.
  public static let rootAlias = "t0"

  let layout: any SQLLayout
  /// Values are written into the text, for queries with more of them than SQLite has placeholders.
  let writesLiterals: Bool
  private var aliasCount = 0

  /// SQLite's limit, with room for what a statement adds.
  private static let maximumBindingCount = 32_000

  init(layout: any SQLLayout, writesLiterals: Bool = false) {
    self.layout = layout
    self.writesLiterals = writesLiterals
  }

  /// The condition of a WHERE clause on the predicate's class.
  ///
  /// - Throws: `QueryError` of kind `unsupported` for types that have no SQL form yet.
  public static func condition(
    _ predicate: Predicate,
    layout: some SQLLayout
  ) throws(QueryError) -> SQLFragment {
    var compiler = SQLCompiler(layout: layout)
    let fragment = try compiler.condition(predicate, isExact: false)
    guard fragment.bindings.count > maximumBindingCount else { return fragment }
    compiler = SQLCompiler(layout: layout, writesLiterals: true)
    return try compiler.condition(predicate, isExact: false)
  }

  /// The ORDER BY terms and the limit of a query.
  ///
  /// - Returns: Terms without the words ORDER BY, ending in `flx_row`, the order of insertion; the limit if there is
  ///   one.
  /// - Throws: `QueryError` of kind `unsupported` for options that are not plain (see `rows`).
  public static func order(
    _ options: QueryOptions,
    layout: some SQLLayout
  ) throws(QueryError) -> (terms: String, limit: Int?) {
    var keys: [SortKey] = []
    var limit: Int?
    for step in options.steps {
      switch step {
      case .sort(let next):
        guard limit == nil else { throw .unsupported("SORT behind LIMIT") }
        // A later clause is the main one; the earlier ones break its ties.
        keys = next + keys
      case .limit(let count): limit = min(limit ?? count, count)
      case .distinct: throw .unsupported("DISTINCT")
      }
    }
    var compiler = SQLCompiler(layout: layout)
    var terms: [String] = []
    for key in keys { terms += try compiler.orderTerms(key) }
    return ((terms + ["\(rootAlias).flx_row"]).joined(separator: ", "), limit)
  }

  mutating func condition(_ predicate: Predicate, isExact: Bool) throws(QueryError) -> SQLFragment {
    switch predicate {
    case .always: return .isTrue
    case .never: return .isFalse
    case .and(let conditions): return .joined(try fragments(conditions, isExact), by: "AND")
    case .or(let conditions): return .joined(try fragments(conditions, isExact), by: "OR")
    case .not(let condition): return "NOT (\(try self.condition(condition, isExact: true)))"
    case .comparison(let comparison): return try compile(comparison, isExact: isExact)
    case .geoWithin: throw .unsupported("GEOWITHIN in SQL")
    }
  }

  private mutating func fragments(
    _ conditions: [Predicate],
    _ isExact: Bool
  ) throws(QueryError) -> [SQLFragment] {
    var fragments: [SQLFragment] = []
    for condition in conditions { fragments.append(try self.condition(condition, isExact: isExact)) }
    return fragments
  }

  /// A new name for a table in the statement.
  mutating func alias() -> String {
    aliasCount += 1
    return "q\(aliasCount)"
  }

  /// A placeholder, or the value itself.
  func bind(_ value: Value) -> SQLFragment {
    guard writesLiterals else { return SQLFragment("?", bindings: [value]) }
    return SQLLiteral.of(value).map { SQLFragment($0) } ?? SQLFragment("?", bindings: [value])
  }
}
