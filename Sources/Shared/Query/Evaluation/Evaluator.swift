// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Predicate {
  /// Whether an object meets the condition.
  ///
  /// Allocates nothing for conditions on single properties.
  public func matches(_ row: some PredicateRow) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .and(let conditions): conditions.allSatisfy { $0.matches(row) }
    case .or(let conditions): conditions.contains { $0.matches(row) }
    case .not(let condition): !condition.matches(row)
    case .comparison(let comparison): comparison.matches(row)
    case .geoWithin(let condition): condition.matches(row)
    }
  }
}

extension Comparison {
  func matches(_ row: some PredicateRow) -> Bool { matches(row, ValueComparison(self)) }

  func matches(_ row: some PredicateRow, _ test: ValueComparison) -> Bool {
    if left.isScalar && right.isScalar { return test.holds(left.scalar(in: row), right.scalar(in: row)) }
    if left.isScalar, case .list(let values, let quantifier) = right {
      let left = left.scalar(in: row)
      return (quantifier ?? .any).isSatisfied(by: values) { test.holds(left, $0.orNull(in: row)) }
    }
    return matchesSomeGroup(row, test)
  }

  private func matchesSomeGroup(_ row: some PredicateRow, _ test: ValueComparison) -> Bool {
    let rightGroups = right.groups(in: row)
    return left.groups(in: row).contains { left in
      rightGroups.contains { right in matches(left, right, test) }
    }
  }

  private func matches(_ left: [Value], _ right: [Value], _ test: ValueComparison) -> Bool {
    if comparesWholeLists {
      return left.count == right.count ? zip(left, right).allSatisfy(test.holds) : test.symbol == .notEqual
    }
    return self.left.quantifier.isSatisfied(by: left) { leftValue in
      self.right.quantifier.isSatisfied(by: right) { test.holds(leftValue, $0) }
    }
  }

  /// Whether two lists are compared element by element, in order, because no ANY, ALL or NONE is present
  /// (QueryLanguage §6).
  package var comparesWholeLists: Bool { left.isBareList && right.isBareList }
}

extension Quantifier {
  func isSatisfied<Element>(by elements: [Element], _ condition: (Element) -> Bool) -> Bool {
    switch self {
    case .any: elements.contains(where: condition)
    case .all: elements.allSatisfy(condition)
    case .none: !elements.contains(where: condition)
    }
  }
}

extension Operand {
  /// Whether the operand yields many values and has no quantifier.
  fileprivate var isBareList: Bool { isMultiple && ownQuantifier == nil }

  /// Whether the operand can yield any number of values.
  private var isMultiple: Bool {
    switch self {
    case .constant, .subquery: false
    case .list: true
    case .path(let path): path.isMultiple
    case .aggregate(let aggregate): aggregate.isMultiple
    case .arithmetic(_, let left, let right): left.isMultiple || right.isMultiple
    }
  }

  /// The quantifier that precedes the operand, or ANY if there is none.
  var quantifier: Quantifier { ownQuantifier ?? .any }

  /// The quantifier as written. Arithmetic takes that of its list.
  private var ownQuantifier: Quantifier? {
    switch self {
    case .constant, .aggregate, .subquery: nil
    case .list(_, let quantifier): quantifier
    case .path(let path): path.quantifier
    case .arithmetic(_, let left, let right): left.ownQuantifier ?? right.ownQuantifier
    }
  }
}
