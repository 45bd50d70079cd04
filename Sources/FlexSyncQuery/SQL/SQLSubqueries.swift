// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// The number of objects at the end of a path that meet a condition.
  mutating func column(_ subquery: Subquery) throws(Inexpressible) -> SQLColumn {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { throw Inexpressible() }
    let rows = try elements(subquery.path).rows
    let outer = root
    root = SQLRoot(alias: rows.alias, className: subquery.className)
    defer { root = outer }
    let condition = condition(subquery.predicate, isExact: false)
    return SQLColumn(type: .int, value: rows.select("count(*)", where: condition))
  }

  /// The least or greatest integer of a collection. What is added up follows rules that SQL does not have.
  mutating func column(_ aggregate: Aggregate) throws(Inexpressible) -> SQLColumn {
    guard aggregate.elementType == .int, !aggregate.isMultiple else { throw Inexpressible() }
    let function: String
    switch aggregate.function {
    case .minimum: function = "min"
    case .maximum: function = "max"
    case .sum, .average: throw Inexpressible()
    }
    let (rows, element) = try elements(aggregate.path)
    let value =
      aggregate.property.map { property in
        "\(raw: rows.alias).\(raw: layout.column(property.name, of: aggregate.path.target ?? ""))"
      } ?? element.value
    return SQLColumn(type: .int, value: rows.select("\(raw: function)(\(value))"))
  }
}

extension SQLRows {
  fileprivate func select(_ expression: SQLFragment, where condition: SQLFragment) -> SQLFragment {
    var rows = self
    rows.conditions.append("(\(condition))")
    return rows.select(expression)
  }
}
