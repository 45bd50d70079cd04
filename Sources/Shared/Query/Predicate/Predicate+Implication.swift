// SPDX-License-Identifier: Apache-2.0

extension Predicate {
  /// Whether every object that meets this condition is certain to meet another one.
  ///
  /// Conditions are taken apart at AND and OR only. That `n > 5` implies `n > 3` is not noticed, so false just means that
  /// nothing is known.
  public func implies(_ other: Predicate) -> Bool {
    if self == other || other == .always || self == .never { return true }
    if case .or(let alternatives) = self { return alternatives.allSatisfy { $0.implies(other) } }
    switch other {
    case .and(let conditions): return conditions.allSatisfy { implies($0) }
    case .or(let alternatives): return alternatives.contains { states($0) }
    default: return states(other)
    }
  }

  /// Whether the conditions of `other` are among those that this conjunction consists of.
  private func states(_ other: Predicate) -> Bool {
    let stated = conditions
    return other.conditions.allSatisfy(stated.contains)
  }

  private var conditions: [Predicate] {
    if case .and(let conditions) = self { conditions } else { [self] }
  }
}
