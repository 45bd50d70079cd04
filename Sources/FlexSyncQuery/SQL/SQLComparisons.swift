// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  mutating func compile(_ comparison: Comparison, isExact: Bool) throws(QueryError) -> SQLFragment {
    if comparison.comparesWholeLists { return try compileWholeLists(comparison) }
    if let membership = try compileMembership(comparison, isExact: isExact) { return membership }
    return try quantified(comparison.left, isExact: isExact) {
      (compiler, left, isExact) throws(QueryError) in
      try compiler.quantified(comparison.right, isExact: isExact) {
        (compiler, right, isExact) throws(QueryError) in
        compiler.test(comparison, left, right, isExact: isExact)
      }
    }
  }

  typealias ScalarTest = (inout SQLCompiler, SQLScalar, _ isExact: Bool) throws(QueryError) -> SQLFragment

  /// Writes `test` for the one value of an operand, or for some, all or none of its values.
  private mutating func quantified(
    _ operand: Operand,
    isExact: Bool,
    _ test: ScalarTest
  ) throws(QueryError) -> SQLFragment {
    switch operand {
    case .constant(let value): return try test(&self, .constant(value), isExact)
    case .list(let values, let quantifier):
      return try quantified(values, quantifier ?? .any, isExact: isExact, test)
    case .path(let path) where !path.isMultiple:
      return try test(&self, .column(try column(path)), isExact)
    case .path(let path):
      let (rows, column) = try elements(path)
      switch path.quantifier ?? .any {
      case .any: return rows.exists(where: try test(&self, .column(column), false))
      case .none: return "NOT \(rows.exists(where: try test(&self, .column(column), false)))"
      case .all: return "NOT \(rows.exists(where: "NOT \(try test(&self, .column(column), true))"))"
      }
    }
  }

  private mutating func quantified(
    _ values: [Value],
    _ quantifier: Quantifier,
    isExact: Bool,
    _ test: ScalarTest
  ) throws(QueryError) -> SQLFragment {
    var tests: [SQLFragment] = []
    for value in values { tests.append(try test(&self, .constant(value), isExact || quantifier == .none)) }
    switch quantifier {
    case .any: return tests.isEmpty ? .isFalse : .joined(tests, by: "OR")
    case .all: return tests.isEmpty ? .isTrue : .joined(tests, by: "AND")
    case .none: return tests.isEmpty ? .isTrue : "NOT \(SQLFragment.joined(tests, by: "OR"))"
    }
  }

  /// `x IN (?, ?)` for a single property and a list of plain constants, which an index serves.
  private mutating func compileMembership(
    _ comparison: Comparison,
    isExact: Bool
  ) throws(QueryError) -> SQLFragment? {
    guard comparison.operator == .equal, !comparison.ignoresCase, case .path(let path) = comparison.left,
      !path.isMultiple, case .list(let values, let quantifier) = comparison.right, quantifier ?? .any == .any,
      values.count > 1, values.allSatisfy(\.isPlainKey)
    else { return nil }
    let column = try column(path)
    let list = values.dropFirst().reduce(bind(values[0])) { "\($0), \(bind($1))" }
    return exactly("\(column.value) IN (\(list))", isExact)
  }

  /// Element by element in order; unequal lengths are unequal lists.
  private mutating func compileWholeLists(_ comparison: Comparison) throws(QueryError) -> SQLFragment {
    let (path, values, isReversed) = comparison.wholeListParts
    let isUnequal = comparison.operator == .notEqual
    var tests: [SQLFragment] = []
    for (ordinal, value) in values.enumerated() {
      let (rows, column) = try elements(path)
      let (left, right): (SQLScalar, SQLScalar) =
        isReversed ? (.constant(value), .column(column)) : (.column(column), .constant(value))
      let test = test(comparison, left, right, isExact: false)
      tests.append(rows.exists(where: "\(raw: rows.alias).ordinal = \(raw: String(ordinal)) AND \(test)"))
    }
    let (rows, _) = try elements(path)
    let hasCount: SQLFragment =
      "\(rows.select("count(*)")) \(raw: isUnequal ? "<>" : "=") \(raw: String(values.count))"
    return .joined([hasCount] + tests, by: isUnequal ? "OR" : "AND")
  }

  /// Null becomes 0 where a condition must be exact.
  func exactly(_ fragment: SQLFragment, _ isExact: Bool) -> SQLFragment {
    isExact ? "coalesce(\(fragment), 0)" : "(\(fragment))"
  }
}

extension Comparison {
  /// The path, the constants, and whether the constants stand on the left.
  fileprivate var wholeListParts: (PropertyPath, [Value], isReversed: Bool) {
    switch (left, right) {
    case (.path(let path), .list(let values, _)): (path, values, false)
    case (.list(let values, _), .path(let path)): (path, values, true)
    default: fatalError("compares no whole lists")
    }
  }
}

extension Value {
  /// Whether SQL's IN finds the value as `==` does.
  fileprivate var isPlainKey: Bool {
    switch self {
    case .int, .bool, .string, .binary, .objectId, .uuid: true
    default: false
    }
  }
}
