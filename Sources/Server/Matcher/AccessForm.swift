// SPDX-License-Identifier: Apache-2.0

/// An access path: a way to find a predicate from the value of one slot.
enum AccessForm: Hashable {
  /// The value equals one of several constants: `==`, IN, or a collection that contains one of them.
  case points(SlotTest)
  /// The text begins with one of several constants.
  case prefixes(SlotTest)
  /// The value lies between two constants; either bound may be missing.
  case range(lower: SlotTest?, upper: SlotTest?)

  /// Returns nil for a test that most values pass or that only the evaluator understands.
  init?(_ test: SlotTest) {
    guard !test.comparison.ignoresCase else { return nil }
    switch test.comparison.symbol {
    case .equal: self = .points(test)
    case .beginsWith where !test.isReversed: self = .prefixes(test)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard test.constantCount == 1 else { return nil }
      self = test.isLowerBound ? .range(lower: test, upper: nil) : .range(lower: nil, upper: test)
    default: return nil
    }
  }

  var slot: Int {
    switch self {
    case .points(let test), .prefixes(let test): Int(test.slot)
    case .range(let lower, let upper): Int((lower ?? upper)?.slot ?? 0)
    }
  }
}

extension SlotTest {
  fileprivate var isLowerBound: Bool {
    let isGreater = comparison.symbol == .greater || comparison.symbol == .greaterOrEqual
    return isGreater != isReversed
  }
}

/// The disjunctive normal form of a condition, reduced to the tests that provide an access path.
///
/// A test without an access path is dropped from its conjunction, which then holds for more objects than the
/// condition itself. That is safe: the index may find too many candidates, but must not miss one. For the same
/// reason, a product of disjunctions that would become too large keeps only one factor.
enum Alternatives {
  /// The maximum number of alternatives when expanding a conjunction of disjunctions.
  static let maximumProduct = 64
  /// The maximum number of tests considered per conjunction.
  static let maximumTestCount = 32

  /// Returns the access paths of each alternative; nil if an alternative has none.
  static func of(_ condition: PredicateProgram.Condition) -> [[AccessForm]]? {
    let conjunctions = tests(condition, isNegated: false)
    var alternatives: [[AccessForm]] = []
    alternatives.reserveCapacity(conjunctions.count)
    for tests in conjunctions {
      let forms = forms(tests)
      guard !forms.isEmpty else { return nil }
      alternatives.append(forms)
    }
    return alternatives
  }

  /// Returns the usable tests of each conjunction.
  private static func tests(_ condition: PredicateProgram.Condition, isNegated: Bool) -> [[SlotTest]] {
    switch condition {
    case .always: return isNegated ? [] : [[]]
    case .never: return isNegated ? [[]] : []
    case .parts, .other: return [[]]
    case .test(let test): return isNegated || AccessForm(test) == nil ? [[]] : [[test]]
    case .not(let condition): return tests(condition, isNegated: !isNegated)
    case .and(let conditions): return combine(conditions, isNegated: isNegated, isConjunction: !isNegated)
    case .or(let conditions): return combine(conditions, isNegated: isNegated, isConjunction: isNegated)
    }
  }

  private static func combine(
    _ conditions: [PredicateProgram.Condition],
    isNegated: Bool,
    isConjunction: Bool
  ) -> [[SlotTest]] {
    guard isConjunction else { return conditions.flatMap { tests($0, isNegated: isNegated) } }
    return conditions.reduce([[]]) { product($0, tests($1, isNegated: isNegated)) }
  }

  private static func product(_ left: [[SlotTest]], _ right: [[SlotTest]]) -> [[SlotTest]] {
    if left.count > 1, right.count > 1, left.count * right.count > maximumProduct {
      return left.contains { $0.isEmpty } ? right : left
    }
    return left.flatMap { left in right.map { Array((left + $0).prefix(maximumTestCount)) } }
  }

  /// Returns the access paths of a conjunction. A lower and an upper bound on one value form a single path.
  private static func forms(_ tests: [SlotTest]) -> [AccessForm] {
    var forms: [AccessForm] = []
    for form in tests.compactMap(AccessForm.init) {
      if let index = forms.firstIndex(where: { $0.completes(form) }) {
        forms[index] = forms[index].joined(with: form)
      } else if !forms.contains(form) {
        forms.append(form)
      }
    }
    return forms
  }
}

extension AccessForm {
  /// Whether the two are the bounds of one range. In a collection, different elements may satisfy the two bounds.
  fileprivate func completes(_ other: AccessForm) -> Bool {
    switch (self, other) {
    case (.range(let lower?, nil), .range(nil, let upper?)): lower.slot == upper.slot && !lower.isCollection
    case (.range(nil, let upper?), .range(let lower?, nil)): lower.slot == upper.slot && !lower.isCollection
    default: false
    }
  }

  fileprivate func joined(with other: AccessForm) -> AccessForm {
    guard case .range(let lower, let upper) = self, case .range(let otherLower, let otherUpper) = other else {
      return self
    }
    return .range(lower: lower ?? otherLower, upper: upper ?? otherUpper)
  }
}
