// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// Compiles arithmetic on integers and doubles of the object itself; returns nil for comparisons without
  /// arithmetic. The evaluator decides if a value is null or if SQLite's result would differ (integer overflow,
  /// division by zero, not-a-number).
  mutating func compileArithmetic(_ comparison: Comparison) throws(Inexpressible) -> SQLFragment? {
    guard comparison.left.isArithmetic || comparison.right.isArithmetic else { return nil }
    guard !comparison.operator.isTextual, !comparison.ignoresCase else { throw Inexpressible() }
    let (left, right) = (try term(comparison.left), try term(comparison.right))
    let test = try test(comparison, left.scalar, right.scalar, isExact: true)
    let guards = (left.guards + right.guards).separated(by: " AND ")
    return "CASE WHEN \(guards) THEN \(test) ELSE \(residual(.comparison(comparison))) END"
  }

  private func term(_ operand: Operand, depth: Int = 0) throws(Inexpressible) -> SQLTerm {
    guard self.depth + depth <= Self.maximumDepth else { throw Inexpressible() }
    switch operand {
    case .constant(.int(let int)): return SQLTerm(.constant(.int(int)), bind(.int(int)), .int)
    case .constant(.double(let double)) where !double.isNaN:
      return SQLTerm(.constant(.double(double)), bind(.double(double)), .double)
    case .path(let path) where path.isPlainNumber:
      let value: SQLFragment = "\(raw: root.alias).\(raw: layout.column(path.property.name, of: path.owner))"
      return SQLTerm(computed: value, path.type, guards: [])
    case .arithmetic(let symbol, let left, let right):
      let (left, right) = (try term(left, depth: depth + 1), try term(right, depth: depth + 1))
      return SQLTerm(
        computed: "(\(left.value) \(raw: symbol.rawValue) \(right.value))",
        left.type == .int && right.type == .int ? .int : .double,
        guards: left.guards + right.guards
      )
    default: throw Inexpressible()
    }
  }
}

/// An operand of arithmetic.
private struct SQLTerm {
  let scalar: SQLScalar
  let value: SQLFragment
  let type: ValueType
  /// The conditions under which the value equals the evaluator's.
  let guards: [SQLFragment]

  init(_ scalar: SQLScalar, _ value: SQLFragment, _ type: ValueType) {
    (self.scalar, self.value, self.type, guards) = (scalar, value, type, [])
  }

  /// Creates a term with a guard on its SQLite type: overflow turns an integer into a real, an undefined result is
  /// null, and not-a-number is stored as a blob.
  init(computed value: SQLFragment, _ type: ValueType, guards: [SQLFragment]) {
    scalar = .column(SQLColumn(type: type, value: value))
    (self.value, self.type) = (value, type)
    self.guards = guards + ["typeof(\(value)) = \(raw: type == .int ? "'integer'" : "'real'")"]
  }
}

extension Operand {
  fileprivate var isArithmetic: Bool {
    if case .arithmetic = self { true } else { false }
  }
}

extension PropertyPath {
  fileprivate var isPlainNumber: Bool {
    isOwnValue && (property.type == .int || property.type == .double)
  }
}
