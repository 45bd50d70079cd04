// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Binder {
  /// Whether the reference compares a property of the object itself without regard to `[c]`: with a constant of the
  /// same type that is no text, and with a list of constants, texts included.
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

  /// An integer is no double for the reference, though it compares with one.
  private func isIntegerBesideFraction(_ syntax: SyntaxExpression, _ type: ValueType) -> Bool {
    guard type == .double || type == .float, case .constant(let constant) = syntax,
      case .int? = try? ConstantReader(self).value(constant)
    else { return false }
    return true
  }
}
