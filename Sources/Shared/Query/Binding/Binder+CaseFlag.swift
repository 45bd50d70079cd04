// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Binder {
  /// Whether the reference ignores `[c]` in a comparison of a property of the object itself. It does so for a
  /// non-text constant of the same type, and for a list of constants, including texts.
  func comparesAsWritten(
    _ left: Operand,
    _ symbol: Comparison.Operator,
    _ right: Operand,
    writtenAs syntax: SyntaxExpression
  ) -> Bool {
    guard case .path(let path) = left, path.isOwnValue else { return false }
    switch right {
    case .list(let values, let quantifier):
      return symbol == .equal && !values.isEmpty && quantifier ?? .any == .any && path.type != .mixed
    case .constant(.null): return path.type == .mixed
    case .constant(let value):
      guard let type = value.type, type != .string, type != .binary else { return false }
      return path.type == .mixed || path.type == type && !isIntegerBesideFraction(syntax, path.type)
    case .path, .aggregate, .subquery, .arithmetic: return false
    }
  }

  /// Whether an integer literal is compared with a fraction. The reference does not treat an integer as a double,
  /// although it compares the two.
  private func isIntegerBesideFraction(_ syntax: SyntaxExpression, _ type: ValueType) -> Bool {
    guard type == .double || type == .float, case .constant(let constant) = syntax,
      case .int? = try? ConstantReader(self).value(constant)
    else { return false }
    return true
  }
}
