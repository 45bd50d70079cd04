// SPDX-License-Identifier: Apache-2.0

import FlexSyncQuery

/// The conditions under which an expression is true and those under which it is false. If it depends on something
/// unknown it is neither, so that its negation does not grant access either.
struct RuleOutcome {
  var holds: Predicate
  var fails: Predicate

  static let unknown = RuleOutcome(holds: .never, fails: .never)

  init(holds: Predicate, fails: Predicate) {
    self.holds = holds
    self.fails = fails
  }

  /// Creates the outcome of a condition that is either true or false for every object.
  init(_ predicate: Predicate) {
    holds = predicate
    fails = predicate.negated
  }

  init(_ value: Bool) { self.init(value ? .always : .never) }

  var negated: RuleOutcome { RuleOutcome(holds: fails, fails: holds) }

  static func all(_ outcomes: [RuleOutcome]) -> RuleOutcome {
    RuleOutcome(
      holds: .conjunction(outcomes.map(\.holds)),
      fails: .disjunction(outcomes.map(\.fails))
    )
  }

  static func any(_ outcomes: [RuleOutcome]) -> RuleOutcome { all(outcomes.map(\.negated)).negated }
}

extension Predicate {
  var negated: Predicate {
    switch self {
    case .always: .never
    case .never: .always
    case .not(let condition): condition
    default: .not(self)
    }
  }

  /// Returns the conjunction of conditions, omitting constant and duplicate ones.
  static func conjunction(_ conditions: [Predicate]) -> Predicate {
    if conditions.contains(.never) { return .never }
    return .all(distinct(conditions.filter { $0 != .always }))
  }

  /// Returns the disjunction of conditions, omitting constant and duplicate ones.
  static func disjunction(_ conditions: [Predicate]) -> Predicate {
    if conditions.contains(.always) { return .always }
    return .any(distinct(conditions.filter { $0 != .never }))
  }

  private static func distinct(_ conditions: [Predicate]) -> [Predicate] {
    var seen: Set<Predicate> = []
    return conditions.filter { seen.insert($0).inserted }
  }
}
