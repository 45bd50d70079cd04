// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// The ORDER BY terms of one sort key (rql §7): null sorts lowest, then not-a-number; rows whose link on the way is
  /// null come last when ascending.
  mutating func orderTerms(_ key: SortKey) throws(QueryError) -> [String] {
    let direction = key.isAscending ? "ASC" : "DESC"
    let column = try column(key.path)
    var terms: [String] = []
    if let link = try lastLink(of: key.path) { terms.append("\(link) IS NULL \(direction)") }
    if column.isFloating {
      let value = column.value.text
      terms.append("CASE typeof(\(value)) WHEN 'null' THEN 0 WHEN 'blob' THEN 1 ELSE 2 END \(direction)")
    }
    terms.append("\(column.value.text) \(direction)")
    if let nanoseconds = column.nanoseconds { terms.append("\(nanoseconds.text) \(direction)") }
    return terms
  }

  /// An expression for the last link on a path, null if any of them is; nil if there is none.
  mutating func lastLink(of path: PropertyPath) throws(QueryError) -> String? {
    guard let link = path.links.last else { return nil }
    let links = Array(path.links.dropLast())
    return try column(PropertyPath(link.property, of: link.owner, links: links)).value.text
  }
}
