// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// The ORDER BY terms and the limit of a query whose options are plain.
  ///
  /// - Returns: Terms without the words ORDER BY, ending in `flx_row`, the order of insertion; the limit if there is
  ///   one.
  public static func order(
    _ options: QueryOptions,
    on className: String,
    layout: some SQLLayout
  ) -> (terms: SQLFragment, limit: Int?) {
    precondition(options.isPlain)
    var keys: [SortKey] = []
    var limit: Int?
    for step in options.steps {
      switch step {
      // A later clause is the main one; the earlier ones break its ties.
      case .sort(let next): keys = next + keys
      case .limit(let count): limit = min(limit ?? count, count)
      case .distinct: break
      }
    }
    var compiler = SQLCompiler(className, layout: layout)
    let terms = keys.flatMap { compiler.orderTerms($0) } + ["\(raw: rootAlias).flx_row"]
    return (terms.separated(by: ", "), limit)
  }

  /// The ORDER BY terms of one sort key (QueryLanguage §7): null sorts lowest, then not-a-number; rows whose link on the way is
  /// null come last when ascending.
  mutating func orderTerms(_ key: SortKey) -> [SQLFragment] {
    let direction = key.isAscending ? "ASC" : "DESC"
    return keyColumns(key.path).terms.map { "\($0) \(raw: direction)" }
  }

  /// Expressions that together sort, and tell apart, objects by the end of a path.
  mutating func keyColumns(_ path: PropertyPath) -> KeyColumns {
    do throws(Inexpressible) {
      // Links sort in the order in which their targets were inserted.
      if path.type == .link { throw Inexpressible() }
      let column = try column(path)
      let link = try lastLink(of: path)
      var terms: [SQLFragment] = []
      if let link { terms.append("\(link) IS NULL") }
      if column.isFloating {
        terms.append("CASE typeof(\(column.value)) WHEN 'null' THEN 0 WHEN 'blob' THEN 1 ELSE 2 END")
      }
      terms.append(column.number)
      if let nanoseconds = column.nanoseconds { terms.append(nanoseconds) }
      return KeyColumns(terms: terms, isReached: link.map { "\($0) IS NOT NULL" })
    } catch {
      let key = call(.key, on: .path(path, of: root.className))
      return KeyColumns(terms: [key], isReached: path.links.isEmpty ? nil : "\(key) < x'FF'")
    }
  }

  /// An expression for the last link on a path, null if any of them is; nil if there is none.
  private mutating func lastLink(of path: PropertyPath) throws(Inexpressible) -> SQLFragment? {
    guard let link = path.links.last else { return nil }
    let links = Array(path.links.dropLast())
    return try column(PropertyPath(link.property, of: link.owner, links: links)).value
  }
}

/// The end of a path for ORDER BY and PARTITION BY.
struct KeyColumns {
  let terms: [SQLFragment]
  /// The condition that no link on the way is null; nil if there is none on the way.
  let isReached: SQLFragment?
}
