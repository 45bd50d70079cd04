// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A join of tables in which a path with collections yields one row per value.
struct SQLRows {
  var tables: [SQLFragment] = []
  var conditions: [SQLFragment] = []
  /// The alias of the table that the path has reached.
  var alias: String
  /// The joined lists, in order.
  var lists: [String] = []

  init(from alias: String) { self.alias = alias }

  func select(_ expression: SQLFragment) -> SQLFragment {
    guard !tables.isEmpty else { return expression }
    return "(\(statement(expression)))"
  }

  func exists(where condition: SQLFragment) -> SQLFragment {
    "EXISTS (\(statement("1")) AND \(condition))"
  }

  /// Returns the value at a position, counted across all lists in order.
  func select(_ expression: SQLFragment, at position: Int) -> SQLFragment {
    "(\(statement(expression)) ORDER BY \(raw: order) LIMIT 1 OFFSET \(raw: String(position)))"
  }

  /// Returns a table with the columns of each row and its position `n`.
  func numbered(_ columns: SQLFragment) -> SQLFragment {
    "(\(statement("\(columns), row_number() OVER (ORDER BY \(raw: order)) AS n")))"
  }

  private var order: String { lists.map { "\($0).ordinal" }.joined(separator: ", ") }

  private func statement(_ expression: SQLFragment) -> SQLFragment {
    "SELECT \(expression) FROM \(tables.separated(by: ", ")) WHERE \(conditions.separated(by: " AND "))"
  }
}

extension SQLCompiler {
  /// Joins the tables along the links of a path, starting at the object that the condition applies to.
  mutating func rows(along links: [LinkStep]) -> SQLRows {
    var rows = SQLRows(from: root.alias)
    for link in links { follow(link, in: &rows) }
    return rows
  }

  private mutating func follow(_ link: LinkStep, in rows: inout SQLRows) {
    if link.isBackward { return joinOwners(of: link.property, className: link.owner, in: &rows) }
    guard link.property.collection == .single else {
      _ = element(of: link.property, owner: link.owner, key: link.selector, isEnd: false, in: &rows)
      return
    }
    join(
      link.target,
      on: "\(raw: rows.alias).\(raw: layout.column(link.property.name, of: link.owner))",
      in: &rows
    )
  }

  /// Joins the rows of a collection, or the row with a key. For links it joins the rows of their targets, which drops
  /// dangling links, unless the stored form is sufficient.
  mutating func element(
    of property: PropertySchema,
    owner: String,
    key: ElementSelector? = nil,
    isEnd: Bool = true,
    in rows: inout SQLRows
  ) -> SQLColumn {
    let list = alias()
    if property.collection == .list { rows.lists.append(list) }
    rows.tables.append("\(raw: layout.collectionTable(property.name, of: owner)) AS \(raw: list)")
    rows.conditions.append("\(raw: list).owner = \(raw: rows.alias).flx_row")
    if case .key(let key) = key { rows.conditions.append("\(raw: list).key = \(bind(.string(key)))") }
    let isStored = isEnd && danglingLinks == .asStored
    if property.type == .link, !isStored, let target = property.linkTarget {
      if isEnd, property.collection == .dictionary {
        // A dictionary contains dangling links as null.
        rows.alias = list
        return SQLColumn(type: .link, value: existingKey("\(raw: list).value", of: target))
      }
      join(target, on: "\(raw: list).value", in: &rows)
      return SQLColumn(
        type: .link,
        value: "\(raw: rows.alias).\(raw: layout.primaryKeyColumn(of: target))"
      )
    }
    rows.alias = list
    let nanoseconds: SQLFragment? = property.type == .timestamp ? "\(raw: list).value_ns" : nil
    return SQLColumn(type: property.type, value: "\(raw: list).value", nanoseconds: nanoseconds)
  }

  /// Joins the objects whose property links to the current one, once per link.
  mutating func joinOwners(of property: PropertySchema, className: String, in rows: inout SQLRows) {
    let target = property.linkTarget ?? className
    let key: SQLFragment = "\(raw: rows.alias).\(raw: layout.primaryKeyColumn(of: target))"
    if property.collection == .single {
      let owner = joinTable(of: className, in: &rows)
      rows.conditions.append("\(raw: owner).\(raw: layout.column(property.name, of: className)) = \(key)")
      return
    }
    let list = alias()
    rows.tables.append("\(raw: layout.collectionTable(property.name, of: className)) AS \(raw: list)")
    rows.conditions.append("\(raw: list).value = \(key)")
    let owner = joinTable(of: className, in: &rows)
    rows.conditions.append("\(raw: owner).flx_row = \(raw: list).owner")
  }

  mutating func join(_ target: String, on reference: SQLFragment, in rows: inout SQLRows) {
    let table = joinTable(of: target, in: &rows)
    rows.conditions.append("\(raw: table).\(raw: layout.primaryKeyColumn(of: target)) = \(reference)")
  }

  private mutating func joinTable(of className: String, in rows: inout SQLRows) -> String {
    let table = alias()
    rows.tables.append("\(raw: layout.table(of: className)) AS \(raw: table)")
    rows.alias = table
    return table
  }
}
