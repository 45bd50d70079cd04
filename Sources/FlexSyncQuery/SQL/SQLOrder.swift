// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// The ORDER BY terms of one sort key (rql §7): null sorts lowest, then not-a-number; rows whose link on the way is
  /// null come last when ascending.
  mutating func orderTerms(_ key: SortKey) throws(QueryError) -> [String] {
    let direction = key.isAscending ? "ASC" : "DESC"
    let column = try column(key.path)
    var terms: [String] = []
    if !key.path.links.isEmpty {
      var link = PropertyPath(
        key.path.links[key.path.links.count - 1].property,
        of: key.path.links[key.path.links.count - 1].owner
      )
      link.links = Array(key.path.links.dropLast())
      terms.append("\(try self.column(link).value.text) IS NULL \(direction)")
    }
    if column.isFloating {
      let value = column.value.text
      terms.append("CASE typeof(\(value)) WHEN 'null' THEN 0 WHEN 'blob' THEN 1 ELSE 2 END \(direction)")
    }
    terms.append("\(column.value.text) \(direction)")
    if let nanoseconds = column.nanoseconds { terms.append("\(nanoseconds.text) \(direction)") }
    return terms
  }
}
