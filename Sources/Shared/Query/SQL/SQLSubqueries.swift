// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// Returns the number of objects at the end of a path that meet a condition.
  mutating func column(_ subquery: Subquery) throws(Inexpressible) -> SQLColumn {
    // A nested statement uses more of the parser's stack than a pair of parentheses.
    depth += 4
    defer { depth -= 4 }
    guard depth <= Self.maximumDepth else { throw Inexpressible() }
    let rows = try objects(subquery.path)
    let outer = root
    root = SQLRoot(alias: rows.alias, className: subquery.className)
    defer { root = outer }
    let condition = condition(subquery.predicate, isExact: false)
    return SQLColumn(type: .int, value: rows.select("count(*)", where: condition))
  }

  /// Joins the tables along a path that ends in a collection of links, including the objects that they lead to.
  private mutating func objects(_ path: PropertyPath) throws(Inexpressible) -> SQLRows {
    try requireSupport(path)
    guard path.isCollectionOfValues, path.selectors.isEmpty, path.type == .link else { throw Inexpressible() }
    var rows = self.rows(along: path.links)
    if path.endsInBacklinks {
      joinOwners(of: path.property, className: path.owner, in: &rows)
    } else {
      _ = element(of: path.property, owner: path.owner, isEnd: false, in: &rows)
    }
    return rows
  }

  /// Returns an aggregate over one collection. Sums of anything but integers depend on the SQLite version and are not
  /// compiled.
  mutating func column(_ aggregate: Aggregate) throws(Inexpressible) -> SQLColumn {
    guard !aggregate.isMultiple else { throw Inexpressible() }
    let rows: SQLRows
    let value: SQLFragment
    if let property = aggregate.property, let owner = aggregate.path.target, property.collection == .single {
      rows = try objects(aggregate.path)
      value = "\(raw: rows.alias).\(raw: layout.column(property.name, of: owner))"
    } else {
      let (elements, column) = try elements(aggregate.path)
      (rows, value) = (elements, column.value)
    }
    let type = aggregate.elementType
    guard let numbers = numbers(value, type) else { throw Inexpressible() }
    switch aggregate.function {
    case .minimum: return SQLColumn(type: type, value: rows.select("min(\(numbers))"))
    case .maximum: return SQLColumn(type: type, value: rows.select("max(\(numbers))"))
    case .sum where type == .int: return SQLColumn(type: .int, value: rows.select(sum(value)))
    case .average where type == .int:
      return SQLColumn(
        type: .double,
        value: rows.select("CAST(\(sum(value)) AS REAL) / nullif(count(\(value)), 0)")
      )
    case .sum, .average: throw Inexpressible()
    }
  }

  /// Returns the value, or null for not-a-number, whose bytes SQLite would treat as the greatest number.
  private func numbers(_ value: SQLFragment, _ type: ValueType) -> SQLFragment? {
    switch type {
    case .int: value
    case .float, .double: "CASE WHEN typeof(\(value)) <> 'blob' THEN \(value) END"
    case .decimal: "CASE WHEN \(value) >= x'\(raw: Hex.encode([DecimalKey.firstNumber]))' THEN \(value) END"
    default: nil
    }
  }

  /// Returns the sum of integers, which wraps around where SQLite's would fail. The 32-bit halves are summed
  /// separately.
  private func sum(_ value: SQLFragment) -> SQLFragment {
    let low: SQLFragment = "sum(\(value) & 4294967295)"
    return "coalesce((sum(\(value) >> 32) + (\(low) >> 32)) << 32 | (\(low) & 4294967295), 0)"
  }
}

extension SQLRows {
  fileprivate func select(_ expression: SQLFragment, where condition: SQLFragment) -> SQLFragment {
    var rows = self
    rows.conditions.append("(\(condition))")
    return rows.select(expression)
  }
}
