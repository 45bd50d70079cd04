// SPDX-License-Identifier: Apache-2.0

extension SyncQueryValidator {
  /// Checks that every subscription compares the indexed queryable field with constants by == or IN, joined to the
  /// rest by AND at the top level.
  ///
  /// The query of a class is the OR of its subscriptions (protocol §4.1), so each alternative of an OR must satisfy
  /// the rule. An OR within one subscription is held to the same rule.
  func checkIndexedField(_ predicate: Predicate, _ className: String) throws(SyncQueryError) {
    guard let field = policy.indexedFields[className] else { return }
    guard !predicate.pins(field) else { return }
    throw unsupported(
      className,
      "the indexed queryable field \"\(field)\" must be compared with == or IN to a constant, "
        + "and joined to the rest of the query by AND"
    )
  }
}

extension Predicate {
  /// Whether the field of every object that can match has one of a set of constant values.
  fileprivate func pins(_ field: String) -> Bool {
    switch self {
    case .and(let conditions): conditions.contains { $0.pins(field) }
    case .or(let conditions): conditions.allSatisfy { $0.pins(field) }
    case .comparison(let comparison): comparison.pins(field)
    case .always, .never, .not, .geoWithin: false
    }
  }
}

extension Comparison {
  fileprivate func pins(_ field: String) -> Bool {
    guard `operator` == .equal, !ignoresCase else { return false }
    return left.isPlainField(field) && right.isFixed || right.isPlainField(field) && left.isFixed
  }
}

extension Operand {
  fileprivate func isPlainField(_ field: String) -> Bool {
    guard case .path(let path) = self else { return false }
    return path.links.isEmpty && !path.isMultiple && path.measure == .value && path.property.name == field
  }

  fileprivate var isFixed: Bool {
    switch self {
    case .constant: true
    case .list(_, let quantifier): quantifier == nil || quantifier == .any
    case .path, .aggregate, .subquery, .arithmetic: false
    }
  }
}
