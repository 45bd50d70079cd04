// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// Compares two lists element by element, in order. Lists of different lengths are unequal and satisfy no other
  /// relation.
  mutating func compileWholeLists(
    _ comparison: Comparison,
    _ left: SQLOperand,
    _ right: SQLOperand
  ) throws(Inexpressible) -> SQLFragment {
    for path in comparison.paths where !path.isOrdered { throw Inexpressible() }
    let sizes: (SQLFragment, SQLFragment) = (try size(of: left), try size(of: right))
    let elements: SQLFragment
    switch (left, right) {
    case (.path(let path, let owner), .values(let values, _)):
      elements = try compileElements(path, owner, values) {
        (compiler, column, constant) throws(Inexpressible) in
        try compiler.test(comparison, column, constant, isExact: true)
      }
    case (.values(let values, _), .path(let path, let owner)):
      elements = try compileElements(path, owner, values) {
        (compiler, column, constant) throws(Inexpressible) in
        try compiler.test(comparison, constant, column, isExact: true)
      }
    case (.path(let left, let leftOwner), .path(let right, let rightOwner)):
      elements = try compileElements(comparison, left, leftOwner, right, rightOwner)
    case (.column, _), (_, .column): throw Inexpressible()
    case (.values, .values):
      // A path that reaches no list counts as an empty list.
      elements = .isTrue
    }
    let match: SQLFragment = "(\(sizes.0) = \(sizes.1) AND \(elements))"
    return comparison.operator == .notEqual ? "(\(sizes.0) <> \(sizes.1) OR \(match))" : match
  }

  private mutating func size(of operand: SQLOperand) throws(Inexpressible) -> SQLFragment {
    switch operand {
    case .values(let values, _): return SQLFragment(String(values.count))
    case .column: throw Inexpressible()
    case .path(let path, let owner):
      return try elements(path, from: owner.map { SQLRows(from: $0) }).rows.count
    }
  }

  private mutating func compileElements(
    _ path: PropertyPath,
    _ owner: String?,
    _ values: [Value],
    _ test: (SQLCompiler, SQLScalar, SQLScalar) throws(Inexpressible) -> SQLFragment
  ) throws(Inexpressible) -> SQLFragment {
    var tests: [SQLFragment] = []
    for (position, value) in values.enumerated() {
      let (rows, column) = try elements(path, from: owner.map { SQLRows(from: $0) })
      let element = SQLColumn(
        type: column.type,
        value: rows.select(column.value, at: position),
        nanoseconds: column.nanoseconds.map { rows.select($0, at: position) }
      )
      tests.append(try test(self, .column(element), .constant(value)))
    }
    return tests.isEmpty ? .isTrue : .joined(tests, by: "AND")
  }

  /// Compares two paths: no position may hold a pair that fails.
  private mutating func compileElements(
    _ comparison: Comparison,
    _ left: PropertyPath,
    _ leftOwner: String?,
    _ right: PropertyPath,
    _ rightOwner: String?
  ) throws(Inexpressible) -> SQLFragment {
    let leftTable = try numbered(left, leftOwner)
    let rightTable = try numbered(right, rightOwner)
    let fails = try test(comparison, .column(leftTable.column), .column(rightTable.column), isExact: true)
    let tables: SQLFragment = "\(leftTable.table) JOIN \(rightTable.table)"
    let samePosition = "\(leftTable.alias).n = \(rightTable.alias).n"
    return "NOT EXISTS (SELECT 1 FROM \(tables) ON \(raw: samePosition) WHERE NOT \(fails))"
  }

  private mutating func numbered(
    _ path: PropertyPath,
    _ owner: String?
  ) throws(Inexpressible) -> (table: SQLFragment, alias: String, column: SQLColumn) {
    let (rows, column) = try elements(path, from: owner.map { SQLRows(from: $0) })
    let alias = alias()
    let nanoseconds = column.nanoseconds ?? "NULL"
    let table = rows.numbered("\(column.value) AS v, \(nanoseconds) AS ns")
    let named = SQLColumn(
      type: column.type,
      value: "\(raw: alias).v",
      nanoseconds: column.nanoseconds == nil ? nil : "\(raw: alias).ns"
    )
    return ("\(table) AS \(raw: alias)", alias, named)
  }
}

extension PropertyPath {
  /// Whether all collections on the path are lists, whose elements have positions.
  fileprivate var isOrdered: Bool {
    !endsInBacklinks && !links.contains(where: \.isBackward)
      && (links.map(\.property) + [property]).allSatisfy {
        $0.collection == .single || $0.collection == .list
      }
  }
}

extension SQLRows {
  fileprivate var count: SQLFragment { select("count(*)") }
}
