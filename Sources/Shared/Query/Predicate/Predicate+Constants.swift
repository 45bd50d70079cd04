// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Predicate {
  /// Returns the predicate with each constant replaced.
  public func replacingConstants(_ transform: (Value) -> Value) -> Predicate {
    switch self {
    case .always, .never, .geoWithin: self
    case .and(let conditions): .and(conditions.map { $0.replacingConstants(transform) })
    case .or(let conditions): .or(conditions.map { $0.replacingConstants(transform) })
    case .not(let condition): .not(condition.replacingConstants(transform))
    case .comparison(var comparison):
      {
        comparison.left = comparison.left.replacingConstants(transform)
        comparison.right = comparison.right.replacingConstants(transform)
        return .comparison(comparison)
      }()
    }
  }

  /// Calls `body` for every constant, including those inside subqueries.
  public func forEachConstant(_ body: (Value) -> Void) {
    _ = replacingConstants {
      body($0)
      return $0
    }
  }
}

extension Operand {
  fileprivate func replacingConstants(_ transform: (Value) -> Value) -> Operand {
    switch self {
    case .constant(let value): return .constant(transform(value))
    case .list(let values, let quantifier): return .list(values.map(transform), quantifier)
    case .path, .aggregate: return self
    case .subquery(var subquery):
      subquery.predicate = subquery.predicate.replacingConstants(transform)
      return .subquery(subquery)
    case .arithmetic(let symbol, let left, let right):
      return .arithmetic(symbol, left.replacingConstants(transform), right.replacingConstants(transform))
    }
  }
}
