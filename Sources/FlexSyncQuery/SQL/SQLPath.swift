// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// One value inside a statement: a constant, or columns of a table.
enum SQLScalar {
  case constant(Value)
  case column(SQLColumn)
}

/// An expression that yields a stored value. Timestamps are two expressions.
struct SQLColumn {
  let type: ValueType
  let value: SQLFragment
  var nanoseconds: SQLFragment?

  var isFloating: Bool { type == .float || type == .double }
}

/// Tables to join, so that a path with lists yields one row per value.
struct SQLRows {
  var tables: [SQLFragment] = []
  var conditions: [SQLFragment] = []
  var alias = SQLCompiler.rootAlias
  /// The lists that were joined, in order.
  var lists: [String] = []

  func select(_ expression: SQLFragment) -> SQLFragment {
    guard !tables.isEmpty else { return expression }
    return "(\(statement(expression)))"
  }

  func exists(where condition: SQLFragment) -> SQLFragment {
    "EXISTS (\(statement("1")) AND \(condition))"
  }

  /// The value at a position, counted over all lists in order.
  func select(_ expression: SQLFragment, at position: Int) -> SQLFragment {
    "(\(statement(expression)) ORDER BY \(raw: order) LIMIT 1 OFFSET \(raw: String(position)))"
  }

  /// The columns of each row and its position `n`, as a table.
  func numbered(_ columns: SQLFragment) -> SQLFragment {
    "(\(statement("\(columns), row_number() OVER (ORDER BY \(raw: order)) AS n")))"
  }

  private var order: String { lists.map { "\($0).ordinal" }.joined(separator: ", ") }

  private func statement(_ expression: SQLFragment) -> SQLFragment {
    "SELECT \(expression) FROM \(tables.separated(by: ", ")) WHERE \(conditions.separated(by: " AND "))"
  }
}

extension SQLCompiler {
  /// A path that yields exactly one value.
  mutating func column(_ path: PropertyPath) throws(Inexpressible) -> SQLColumn {
    try requireSupport(path)
    let rows = rows(along: path.links)
    let end = terminal(path, at: rows.alias)
    guard !path.links.isEmpty else { return end }
    let value = rows.select(end.value)
    return SQLColumn(
      type: end.type,
      value: path.measure == .count ? "coalesce(\(value), 0)" : value,
      nanoseconds: end.nanoseconds.map(rows.select)
    )
  }

  /// A path that yields any number of values. `rows` says where a grouped path has got to.
  mutating func elements(
    _ path: PropertyPath,
    from rows: SQLRows? = nil
  ) throws(Inexpressible) -> (rows: SQLRows, column: SQLColumn) {
    try requireSupport(path)
    var rows = rows ?? self.rows(along: path.links)
    if path.isCollectionOfValues {
      let column = element(of: path.property, owner: path.owner, in: &rows)
      guard path.measure == .length else { return (rows, column) }
      return (rows, length(of: column.value))
    }
    return (rows, terminal(path, at: rows.alias))
  }

  func requireSupport(_ path: PropertyPath) throws(Inexpressible) {
    if path.measure == .incomingCount || path.endsInBacklinks || path.links.contains(where: \.isBackward) {
      throw Inexpressible()
    }
    if path.measure == .type || !path.selectors.isEmpty || path.links.contains(where: { $0.selector != nil }) {
      throw Inexpressible()
    }
    if path.measure != .count, path.property.type == .decimal || path.property.type == .mixed {
      throw Inexpressible()
    }
    // SQLite joins at most 64 tables.
    if path.links.count > Self.maximumLinkCount { throw Inexpressible() }
    for step in path.links where layout.isKeyNullable(of: step.target) { throw Inexpressible() }
    if let target = path.property.linkTarget, layout.isKeyNullable(of: target) { throw Inexpressible() }
  }

  mutating func rows(along links: [LinkStep]) -> SQLRows {
    var rows = SQLRows()
    for link in links {
      guard link.property.collection == .single else {
        _ = element(of: link.property, owner: link.owner, in: &rows)
        continue
      }
      let reference = "\(rows.alias).\(layout.column(link.property.name, of: link.owner))"
      join(link.target, on: reference, in: &rows)
    }
    return rows
  }

  /// Joins the rows of a list; for links those of their targets, so that dangling ones fall away.
  private mutating func element(of property: PropertySchema, owner: String, in rows: inout SQLRows)
    -> SQLColumn
  {
    let list = alias()
    rows.lists.append(list)
    rows.tables.append("\(raw: layout.collectionTable(property.name, of: owner)) AS \(raw: list)")
    rows.conditions.append("\(raw: list).owner = \(raw: rows.alias).flx_row")
    if property.type == .link, let target = property.linkTarget {
      join(target, on: "\(list).value", in: &rows)
      let key = "\(rows.alias).\(layout.primaryKeyColumn(of: target))"
      return SQLColumn(type: .link, value: SQLFragment(key))
    }
    rows.alias = list
    let nanoseconds: SQLFragment? = property.type == .timestamp ? "\(raw: list).value_ns" : nil
    return SQLColumn(type: property.type, value: "\(raw: list).value", nanoseconds: nanoseconds)
  }

  private mutating func join(_ target: String, on reference: String, in rows: inout SQLRows) {
    let table = alias()
    rows.tables.append("\(raw: layout.table(of: target)) AS \(raw: table)")
    rows.conditions.append("\(raw: table).\(raw: layout.primaryKeyColumn(of: target)) = \(raw: reference)")
    rows.alias = table
  }

  /// The single value, or the count, at the end of a path.
  private mutating func terminal(_ path: PropertyPath, at alias: String) -> SQLColumn {
    let property = path.property
    if path.measure == .count {
      var rows = SQLRows(alias: alias)
      _ = element(of: property, owner: path.owner, in: &rows)
      return SQLColumn(type: .int, value: rows.select("count(*)"))
    }
    let column: SQLFragment = "\(raw: alias).\(raw: layout.column(property.name, of: path.owner))"
    if path.measure == .length { return length(of: column) }
    if property.type == .link, let target = property.linkTarget {
      return SQLColumn(type: .link, value: existingKey(column, of: target))
    }
    guard property.type == .timestamp else { return SQLColumn(type: property.type, value: column) }
    let nanoseconds = "\(alias).\(layout.nanosecondsColumn(property.name, of: path.owner))"
    return SQLColumn(type: .timestamp, value: column, nanoseconds: SQLFragment(nanoseconds))
  }

  private func length(of text: SQLFragment) -> SQLColumn {
    SQLColumn(type: .int, value: "length(CAST(\(text) AS BLOB))")
  }

  /// The key that a link holds, or null if no object has it.
  private mutating func existingKey(_ column: SQLFragment, of target: String) -> SQLFragment {
    var rows = SQLRows()
    join(target, on: column.text, in: &rows)
    return rows.select("\(raw: rows.alias).\(raw: layout.primaryKeyColumn(of: target))")
  }
}
