// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

extension FieldTest {
  /// Returns the outcome of a condition on one and the same element. Only arrays have elements.
  ///
  /// Queries can only test for an element that is, or is not, one of several constants, so conditions on an element
  /// are reduced to that form. A single condition of another kind tests the elements as it would without
  /// `$elemMatch`.
  func element(_ condition: RuleExpression) -> RuleOutcome {
    guard isCollection else {
      return property.type == .mixed ? .unknown : scope.known(condition, RuleOutcome(false))
    }
    if case .test(let test) = condition, property.type == .mixed || test.condition.isOrder {
      return outcome(test.condition)
    }
    guard property.type != .mixed, !condition.hasOrder else { return .unknown }
    let elements = elements(condition)
    let outcome = RuleOutcome(
      holds: isThere(elements.holds),
      fails: isThere(elements.fails.complement).negated
    )
    return scope.known(condition, outcome)
  }

  /// The elements for which a condition is certainly true, and those for which it is certainly false.
  private typealias Elements = (holds: ElementSet, fails: ElementSet)

  private func elements(_ condition: RuleExpression) -> Elements {
    switch condition {
    case .constant(let value): return value ? (.all, .none) : (.none, .all)
    case .not(let part):
      let (holds, fails) = elements(part)
      return (fails, holds)
    case .all(let parts):
      var all: Elements = (.all, .none)
      for (holds, fails) in parts.map({ elements($0) }) {
        all = (all.holds.intersection(holds), all.fails.union(fails))
      }
      return all
    case .any(let parts):
      var any: Elements = (.none, .all)
      for (holds, fails) in parts.map({ elements($0) }) {
        any = (any.holds.union(holds), any.fails.intersection(fails))
      }
      return any
    case .test(let test): return elements(test.condition)
    }
  }

  /// Lists and documents do not occur as elements.
  private func elements(_ condition: RuleTest.Condition) -> Elements {
    switch condition {
    case .compare(.equal, let operand):
      guard let value = scope.value(operand) else { return (.none, .none) }
      let equal = ElementSet(constants([value]))
      return (equal, equal.complement)
    case .oneOf(let operand):
      guard let (values, isComplete) = scope.list(operand) else { return (.none, .none) }
      let equal = ElementSet(constants(values))
      return (equal, isComplete ? equal.complement : .none)
    case .compare, .exists, .allOf, .count, .element: return (.none, .none)
    }
  }

  /// Returns whether the collection has an element in a set.
  private func isThere(_ elements: ElementSet) -> Predicate {
    guard elements.isExclusion else { return isOne(of: elements.values) }
    if elements.values.isEmpty { return outcome(.count(.literal(.int(0)))).fails }
    var path = path
    path.quantifier = .all
    return .not(.comparison(Comparison(.path(path), .equal, .list(elements.values, .any))))
  }
}

extension RuleTest.Condition {
  /// Whether the condition compares by order.
  var isOrder: Bool {
    if case .compare(let symbol, _) = self { symbol != .equal } else { false }
  }
}

extension RuleExpression {
  /// Whether any condition in the expression compares by order.
  package var hasOrder: Bool {
    var found = false
    forEachTest { if $0.condition.isOrder { found = true } }
    return found
  }
}

/// A set of values, or the complement of one.
private struct ElementSet {
  /// The distinct values, in the order of the rule.
  var values: [Value]
  var isExclusion = false

  static let none = ElementSet([])
  static let all = none.complement

  init(_ values: [Value]) { self.values = values }

  var complement: ElementSet {
    var complement = self
    complement.isExclusion.toggle()
    return complement
  }

  func intersection(_ other: ElementSet) -> ElementSet { complement.union(other.complement).complement }

  func union(_ other: ElementSet) -> ElementSet {
    switch (isExclusion, other.isExclusion) {
    case (false, false): ElementSet(values + other.values(without: values))
    case (true, false): ElementSet(values(without: other.values)).complement
    case (false, true): ElementSet(other.values(without: values)).complement
    case (true, true):
      ElementSet(values(without: values(without: other.values))).complement
    }
  }

  private func values(without others: [Value]) -> [Value] {
    let others = Set(others)
    return values.filter { !others.contains($0) }
  }
}
