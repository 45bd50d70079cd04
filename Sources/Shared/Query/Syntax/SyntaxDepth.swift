// SPDX-License-Identifier: Apache-2.0

/// Limits the nesting depth of queries, because everything that walks the tree recursively needs stack for each
/// level.
enum SyntaxDepth {
  /// The largest depth of a tree.
  static let maximum = 45

  static func error(position: Int?) -> QueryError {
    QueryError(
      .limit,
      "The query is nested more than \(maximum) levels deep; use fewer parentheses, negations and operations",
      position: position
    )
  }
}

extension SyntaxPredicate {
  /// The number of nested conditions and operations. Parentheses do not count.
  var depth: Int {
    switch self {
    case .always, .never, .geoWithin: 1
    case .and(let conditions), .or(let conditions): 1 + (conditions.lazy.map(\.depth).max() ?? 0)
    case .not(let condition): 1 + condition.depth
    case .comparison(let comparison): 1 + max(comparison.left.depth, comparison.right.depth)
    case .between(let expression, _): 1 + expression.depth
    }
  }
}

extension SyntaxExpression {
  fileprivate var depth: Int {
    switch self {
    case .constant, .list, .path, .aggregate: 0
    case .subquery(_, _, let condition): 1 + condition.depth
    case .arithmetic(_, let left, let right): 1 + max(left.depth, right.depth)
    }
  }
}
