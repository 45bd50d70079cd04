// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Compares two values by the reference's rules for types and nulls (QueryLanguage §4 and §5).
package struct ValueComparison: Hashable {
  package let symbol: Comparison.Operator
  package let ignoresCase: Bool
  let ignoresDiacritics: Bool
  /// Whether a text property of the object itself is compared with a constant. Only then null sorts below every
  /// string, and every value contains, begins and ends with null (QueryLanguage §5).
  let isPlainText: Bool
  let nullSortsFirst: Bool
  /// Whether floating-point not-a-number sorts below all numbers. Otherwise it does not compare.
  let sortsNotANumber: Bool
  /// Whether the values are type names.
  let comparesTypeNames: Bool

  package init(_ comparison: Comparison) {
    symbol = comparison.operator
    ignoresCase = comparison.ignoresCase
    ignoresDiacritics = comparison.ignoresDiacritics
    isPlainText = comparison.isPlainText
    nullSortsFirst = comparison.nullSortsFirst
    sortsNotANumber = comparison.sortsNotANumber
    comparesTypeNames = comparison.left.isTypeName || comparison.right.isTypeName
  }

  package func holds(_ left: Value, _ right: Value) -> Bool {
    guard ignoresDiacritics else { return areRelated(left, right) }
    return areRelated(left.withoutDiacritics, right.withoutDiacritics)
  }

  private func areRelated(_ left: Value, _ right: Value) -> Bool {
    switch symbol {
    case .equal: return areEqual(left, right)
    case .notEqual: return !areEqual(left, right)
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return isOrdered(left, right)
    case .beginsWith, .endsWith, .contains: return isPart(left, right)
    case .like: return isLike(left, right)
    }
  }

  private func areEqual(_ left: Value, _ right: Value) -> Bool {
    if comparesTypeNames { return Self.haveSameType(left, right) }
    switch (left, right) {
    case (.null, .null): return true
    case (.null, _), (_, .null): return false
    default: break
    }
    if ignoresCase, let isEqual = TextMatching.compare(left, right, TextMatching.equalsIgnoringCase) {
      return isEqual
    }
    return ValueOrder.compare(left, right) == 0
  }

  private static func haveSameType(_ left: Value, _ right: Value) -> Bool {
    guard case .string(let left) = left, case .string(let right) = right, let left = TypeName(rawValue: left),
      let right = TypeName(rawValue: right)
    else { return false }
    return left.matches(right)
  }

  private func isOrdered(_ left: Value, _ right: Value) -> Bool {
    if left.isNull || right.isNull { return isOrderedWithNull(left, right) }
    guard let order = order(left, right) else { return false }
    switch symbol {
    case .less: return order < 0
    case .lessOrEqual: return order <= 0
    case .greater: return order > 0
    default: return order >= 0
    }
  }

  private func order(_ left: Value, _ right: Value) -> Int? {
    if let order = ValueOrder.compare(left, right) { return order }
    guard sortsNotANumber, left.number != nil, right.number != nil else { return nil }
    return (left.isNaN ? 0 : 1) - (right.isNaN ? 0 : 1)
  }

  private func isOrderedWithNull(_ left: Value, _ right: Value) -> Bool {
    if left.isNull && right.isNull { return symbol == .lessOrEqual || symbol == .greaterOrEqual }
    guard nullSortsFirst else { return false }
    return left.isNull == (symbol == .less || symbol == .lessOrEqual)
  }

  private func isPart(_ left: Value, _ right: Value) -> Bool {
    if right.isNull { return isPlainText || symbol == .contains && !left.isNull }
    switch (symbol, ignoresCase) {
    case (.beginsWith, false): return TextMatching.compare(left, right, TextMatching.begins) ?? false
    case (.endsWith, false): return TextMatching.compare(left, right, TextMatching.ends) ?? false
    case (.contains, false): return TextMatching.compare(left, right, TextMatching.contains) ?? false
    case (.beginsWith, true):
      return TextMatching.compare(left, right, TextMatching.beginsIgnoringCase) ?? false
    case (.endsWith, true): return TextMatching.compare(left, right, TextMatching.endsIgnoringCase) ?? false
    default: return TextMatching.compare(left, right, TextMatching.containsIgnoringCase) ?? false
    }
  }

  private func isLike(_ left: Value, _ right: Value) -> Bool {
    if left.isNull || right.isNull { return left.isNull && right.isNull }
    return TextMatching.compare(left, right) { TextMatching.isLike($0, $1, ignoresCase: ignoresCase) }
      ?? false
  }
}

extension Comparison {
  var isPlainText: Bool {
    guard case .path(let path) = left, case .constant = right else { return false }
    return path.isOwnValue && (path.type == .string || path.type == .binary)
  }

  /// Whether not-a-number sorts below all numbers. The reference does this for elements of collections, but not for
  /// single-valued properties.
  var sortsNotANumber: Bool {
    `operator`.isOrdering
      && [left, right].contains { operand in
        guard case .path(let path) = operand, path.measure == .value, !path.endsInBacklinks else {
          return false
        }
        return path.property.collection != .single && (path.type == .float || path.type == .double)
      }
  }

  /// Whether null sorts below all strings, on either side. Bytes do not compare with null.
  var nullSortsFirst: Bool {
    guard case .path(let path) = left, path.type == .string else { return false }
    return isPlainText
  }
}
