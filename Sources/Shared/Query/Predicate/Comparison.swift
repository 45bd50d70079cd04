// SPDX-License-Identifier: Apache-2.0

/// Two operands and the relation that must hold between them. At least one operand is a path.
public struct Comparison: Hashable, Sendable {
  /// The relations (QueryLanguage §2). IN is `equal` with a list or a collection on the right (QueryLanguage §9).
  public enum Operator: Hashable, Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case beginsWith, endsWith, contains, like
  }

  public var left: Operand
  public var `operator`: Operator
  /// Whether `[c]` makes upper and lower case equal. Only with `equal`, `notEqual` and the string operators.
  public var ignoresCase: Bool
  /// Whether `[d]` makes letters equal that differ in accents. Only in queries on a device, with the same operators.
  public var ignoresDiacritics: Bool
  public var right: Operand

  public init(
    _ left: Operand,
    _ operator: Operator,
    _ right: Operand,
    ignoresCase: Bool = false,
    ignoresDiacritics: Bool = false
  ) {
    self.left = left
    self.operator = `operator`
    self.right = right
    self.ignoresCase = ignoresCase
    self.ignoresDiacritics = ignoresDiacritics
  }

  /// The paths in the operands that start at the queried class.
  public var paths: [PropertyPath] {
    var paths: [PropertyPath] = []
    left.forEachPath { paths.append($0) }
    right.forEachPath { paths.append($0) }
    return paths
  }
}

extension Comparison.Operator {
  /// Whether the operator is less, greater or one of their variants.
  var isOrdering: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }

  /// Whether the operator is BEGINSWITH, ENDSWITH, CONTAINS or LIKE.
  var isTextual: Bool {
    switch self {
    case .beginsWith, .endsWith, .contains, .like: true
    default: false
    }
  }

  /// The symbol or keyword in the query language.
  var text: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .beginsWith: "BEGINSWITH"
    case .endsWith: "ENDSWITH"
    case .contains: "CONTAINS"
    case .like: "LIKE"
    }
  }
}
