// SPDX-License-Identifier: Apache-2.0

/// The meaning of tokens in the syntax tree.
extension Token.Kind {
  /// An operator between any two expressions.
  var expressionOperator: SyntaxComparison.Operator? {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .membership: .membership
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    default: nil
    }
  }

  /// An operator between two values.
  var stringOperator: SyntaxComparison.Operator? {
    switch self {
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .contains: .contains
    case .like: .like
    case .text: .text
    default: nil
    }
  }

  var arithmeticOperator: ArithmeticOperator? {
    switch self {
    case .plus: .add
    case .minus: .subtract
    case .star: .multiply
    case .slash: .divide
    default: nil
    }
  }

  var aggregateFunction: AggregateFunction? {
    switch self {
    case .minimum: .minimum
    case .maximum: .maximum
    case .sum: .sum
    case .average: .average
    default: nil
    }
  }

  /// Whether the token is a measure of the value at the end of a path.
  var isMeasure: Bool { self == .size || self == .type || aggregateFunction != nil }
}
