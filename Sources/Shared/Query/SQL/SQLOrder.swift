// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// Returns the ORDER BY terms and the limit of a query with plain options.
  ///
  /// - Returns: The terms without the keywords ORDER BY, ending in `flx_row`, the order of insertion; and the limit,
  ///   if any.
  public static func order(_ options: QueryOptions, on className: String, layout: some SQLLayout)
    -> (terms: SQLFragment, limit: Int?)
  {
    precondition(options.isPlain)
    var keys: [SortKey] = []
    var limit: Int?
    for step in options.steps {
      switch step {
      // A later clause takes precedence; earlier clauses break its ties.
      case .sort(let next): keys = next + keys
      case .limit(let count): limit = min(limit ?? count, count)
      case .distinct: break
      }
    }
    var compiler = SQLCompiler(className, layout: layout)
    let terms = keys.flatMap { compiler.orderTerms($0) } + ["\(raw: rootAlias).flx_row"]
    return (terms.separated(by: ", "), limit)
  }

  /// Returns the ORDER BY terms of one sort key (QueryLanguage §7). Null sorts lowest, followed by not-a-number. Rows
  /// with a null link on the path come last in ascending order.
  mutating func orderTerms(_ key: SortKey) -> [SQLFragment] {
    let direction = key.isAscending ? "ASC" : "DESC"
    return keyColumns(key.path).terms.map { "\($0) \(raw: direction)" }
  }

  /// Returns expressions that together sort objects by the end of a path, and distinguish them.
  mutating func keyColumns(_ path: PropertyPath) -> KeyColumns {
    do throws(Inexpressible) {
      // Links sort by the order in which their targets were inserted.
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

  /// Returns an expression for the last link of a path, which is null if any link is. Returns nil if there is no
  /// link.
  private mutating func lastLink(of path: PropertyPath) throws(Inexpressible) -> SQLFragment? {
    guard let link = path.links.last else { return nil }
    let links = Array(path.links.dropLast())
    return try column(PropertyPath(link.property, of: link.owner, links: links)).value
  }
}

/// The columns for the end of a path in ORDER BY and PARTITION BY.
struct KeyColumns {
  let terms: [SQLFragment]
  /// The condition that no link on the path is null; nil if the path has no links.
  let isReached: SQLFragment?
}
