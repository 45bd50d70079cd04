// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// Compiles a comparison of a mixed property of the object itself with one or several constants; returns nil for
  /// other comparisons. Integers, doubles and strings are compared in SQL, where an index can serve them. Values
  /// stored as bytes go through the evaluator.
  mutating func compileMixed(_ comparison: Comparison, isExact: Bool) throws(Inexpressible) -> SQLFragment? {
    guard case .path(let path) = comparison.left, path.isOwnValue, path.type == .mixed else { return nil }
    let column: SQLFragment = "\(raw: root.alias).\(raw: layout.column(path.property.name, of: path.owner))"
    var constants: [Value]
    switch comparison.right {
    case .constant(let value): constants = [value]
    case .list(let values, nil), .list(let values, .any): constants = values
    default: throw Inexpressible()
    }
    var equalComparison = comparison
    if comparison.operator == .notEqual {
      // This means that some element of the list differs, which is not the negation of equality.
      guard constants.count == 1 else { throw Inexpressible() }
      equalComparison.operator = .equal
    }
    let tests = try constants.map { constant throws(Inexpressible) in
      try plainTest(equalComparison, column, constant, isExact: isExact)
    }
    let bytes: SQLFragment = "(\(column) >= x'' AND \(residual(.comparison(equalComparison))))"
    let holds = SQLFragment.joined(tests + [bytes], by: "OR")
    if comparison.operator == .notEqual { return "NOT coalesce(\(holds), 0)" }
    return isExact ? "coalesce(\(holds), 0)" : holds
  }

  /// Returns the test for values that are not stored as bytes.
  private func plainTest(
    _ comparison: Comparison,
    _ column: SQLFragment,
    _ constant: Value,
    isExact: Bool
  ) throws(Inexpressible) -> SQLFragment {
    if comparison.operator.isTextual { return try textTest(comparison, column, constant) }
    if constant == .null {
      return comparison.operator.isOrdering && !comparison.operator.allowsEqual
        ? .isFalse : "\(column) IS NULL"
    }
    let range: SQLFragment
    switch constant {
    case .string where comparison.ignoresCase: return try textTest(comparison, column, constant)
    case .string: range = "\(column) >= '' AND \(column) < x''"
    case .int: range = "\(column) < ''"
    case .double(let double) where !double.isNaN: range = "\(column) < ''"
    case .float(let float) where !float.isNaN: range = "\(column) < ''"
    // Whether a string sorts before or after bytes depends on both values.
    case .binary where comparison.operator.isOrdering: throw Inexpressible()
    case .bool, .binary, .timestamp, .objectId, .uuid, .link: return .isFalse
    default: throw Inexpressible()
    }
    let relation: SQLFragment = "\(column) \(raw: comparison.operator.sql) \(bind(constant))"
    return comparison.operator.isOrdering ? "(\(relation) AND \(range))" : relation
  }

  private func textTest(_ comparison: Comparison, _ column: SQLFragment, _ constant: Value)
    throws(Inexpressible) -> SQLFragment
  {
    switch constant {
    case .string:
      let text = SQLColumn(type: .string, value: column)
      let test =
        comparison.operator.isTextual
        ? textTest(comparison, .column(text), .constant(constant), isExact: true)
        : "flx_equal_ci(\(column), \(bind(constant)))"
      return "(typeof(\(column)) = 'text' AND \(test))"
    case .binary: return .isFalse
    default: throw Inexpressible()
    }
  }
}

extension Comparison.Operator {
  fileprivate var allowsEqual: Bool { self == .lessOrEqual || self == .greaterOrEqual }
}
