// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  mutating func compile(_ comparison: Comparison, isExact: Bool) throws(Inexpressible) -> SQLFragment {
    // SQLite knows no accents.
    guard !comparison.ignoresDiacritics else { throw Inexpressible() }
    if let mixed = try compileMixed(comparison, isExact: isExact) { return mixed }
    if let arithmetic = try compileArithmetic(comparison) { return arithmetic }
    if let membership = try compileMembership(comparison, isExact: isExact) { return membership }
    if let parts = try compileParts(comparison, isExact: isExact) { return parts }
    for case .path(let path) in [comparison.left, comparison.right] { try requireSupport(path) }
    return try grouped(comparison.left) { (compiler, left) throws(Inexpressible) in
      try compiler.grouped(comparison.right) { (compiler, right) throws(Inexpressible) in
        try compiler.compile(comparison, left, right, isExact: isExact)
      }
    }
  }

  private mutating func compile(
    _ comparison: Comparison,
    _ left: SQLOperand,
    _ right: SQLOperand,
    isExact: Bool
  ) throws(Inexpressible) -> SQLFragment {
    if comparison.comparesWholeLists { return try compileWholeLists(comparison, left, right) }
    return try quantified(left, isExact: isExact) { (compiler, left, isExact) throws(Inexpressible) in
      try compiler.quantified(right, isExact: isExact) { (compiler, right, isExact) throws(Inexpressible) in
        try compiler.test(comparison, left, right, isExact: isExact)
      }
    }
  }

  /// Compiles `test` for any of several lists that a path ends in, or for an empty list if there is none.
  private mutating func grouped(
    _ operand: Operand,
    _ test: (inout SQLCompiler, SQLOperand) throws(Inexpressible) -> SQLFragment
  ) throws(Inexpressible) -> SQLFragment {
    guard case .path(let path) = operand, path.isGrouped else {
      return try test(&self, try self.operand(operand, owner: nil))
    }
    let owners = rows(along: path.links)
    let holds = try test(&self, try self.operand(operand, owner: owners.alias))
    let holdsForNothing = try test(&self, .values([], path.quantifier ?? .any))
    return "(\(owners.exists(where: holds)) OR NOT \(owners.exists(where: .isTrue)) AND \(holdsForNothing))"
  }

  typealias ScalarTest = (inout SQLCompiler, SQLScalar, _ isExact: Bool) throws(Inexpressible) -> SQLFragment

  /// Compiles `test` for the single value of an operand, or for any, all or none of its values.
  private mutating func quantified(
    _ operand: SQLOperand,
    isExact: Bool,
    _ test: ScalarTest
  ) throws(Inexpressible) -> SQLFragment {
    switch operand {
    case .column(let column): return try test(&self, .column(column), isExact)
    case .values(let values, let quantifier):
      return try quantified(values, quantifier, isExact: isExact, test)
    case .path(let path, let owner):
      if let selector = path.selector {
        return try quantified(path, selector, owner, isExact: isExact, test)
      }
      return try quantified(path, owner, isExact: isExact, test)
    }
  }

  /// Compiles `test` for a path without a selector.
  private mutating func quantified(
    _ path: PropertyPath,
    _ owner: String?,
    isExact: Bool,
    _ test: ScalarTest
  ) throws(Inexpressible) -> SQLFragment {
    guard path.isMultiple || path.isSelective else {
      return try test(&self, .column(try column(path)), isExact)
    }
    let (rows, column) = try elements(path, from: owner.map { SQLRows(from: $0) })
    switch path.quantifier ?? .any {
    case .any: return rows.exists(where: try test(&self, .column(column), false))
    case .none: return "NOT \(rows.exists(where: try test(&self, .column(column), false)))"
    case .all: return "NOT \(rows.exists(where: "NOT \(try test(&self, .column(column), true))"))"
    }
  }

  private mutating func quantified(
    _ values: [Value],
    _ quantifier: Quantifier,
    isExact: Bool,
    _ test: ScalarTest
  ) throws(Inexpressible) -> SQLFragment {
    var tests: [SQLFragment] = []
    for value in values { tests.append(try test(&self, .constant(value), isExact || quantifier == .none)) }
    switch quantifier {
    case .any: return tests.isEmpty ? .isFalse : .joined(tests, by: "OR")
    case .all: return tests.isEmpty ? .isTrue : .joined(tests, by: "AND")
    case .none: return tests.isEmpty ? .isTrue : "NOT \(SQLFragment.joined(tests, by: "OR"))"
    }
  }

  /// Compiles a single-valued property and a list of plain constants to `x IN (?, ?)`, which an index serves.
  private mutating func compileMembership(
    _ comparison: Comparison,
    isExact: Bool
  ) throws(Inexpressible) -> SQLFragment? {
    guard comparison.operator == .equal, !comparison.ignoresCase, case .path(let path) = comparison.left,
      !path.isMultiple, case .list(let values, let quantifier) = comparison.right, quantifier ?? .any == .any,
      values.count > 1, path.type != .decimal, values.allSatisfy(isPlainKey)
    else { return nil }
    let column = try column(path)
    let list = values.map { bind($0.boundForm) }.separated(by: ", ")
    return exactly("\(column.value) IN (\(list))", isExact)
  }

  /// Whether SQL's IN compares the value as `==` does.
  private func isPlainKey(_ value: Value) -> Bool {
    switch value {
    case .int, .bool, .string, .binary, .objectId, .uuid: true
    case .link: danglingLinks == .asStored
    default: false
    }
  }

  /// Turns null into 0 if the condition must be exact.
  func exactly(_ fragment: SQLFragment, _ isExact: Bool) -> SQLFragment {
    isExact ? "coalesce(\(fragment), 0)" : "(\(fragment))"
  }
}

/// An operand, with one list of a grouped path already selected.
enum SQLOperand {
  case values([Value], Quantifier)
  /// For grouped paths, `owner` is the alias of the row whose list is compared.
  case path(PropertyPath, owner: String?)
  /// One computed value.
  case column(SQLColumn)
}

extension SQLCompiler {
  private mutating func operand(_ operand: Operand, owner: String?) throws(Inexpressible) -> SQLOperand {
    switch operand {
    case .constant(let value): .values([value], .any)
    case .list(let values, let quantifier): .values(values, quantifier ?? .any)
    case .path(let path): .path(path, owner: owner)
    case .aggregate(let aggregate): .column(try column(aggregate))
    case .subquery(let subquery): .column(try column(subquery))
    case .arithmetic: throw Inexpressible()
    }
  }
}
