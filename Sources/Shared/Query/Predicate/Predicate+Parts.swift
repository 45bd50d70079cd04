// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Predicate {
  /// The number of parts from which searching for all of them at once pays off.
  static let leastPartCount = 8

  /// The same condition, but with alternatives that search the same text for different parts merged into one
  /// comparison with a list. Subscriptions with thousands of such alternatives are thus read, compiled and evaluated
  /// as one.
  public var withGatheredParts: Predicate {
    switch self {
    case .always, .never, .comparison, .geoWithin: self
    case .and(let conditions): .all(conditions.map(\.withGatheredParts))
    case .or(let conditions): .any(Self.gathered(conditions.map(\.withGatheredParts)))
    case .not(let condition): .not(condition.withGatheredParts)
    }
  }

  private static func gathered(_ alternatives: [Predicate]) -> [Predicate] {
    guard alternatives.count >= leastPartCount else { return alternatives }
    var groups: [PartGroup] = []
    for (index, alternative) in alternatives.enumerated() {
      guard let part = alternative.part else { continue }
      if let group = groups.firstIndex(where: { $0.takes(part.comparison) }) {
        groups[group].add(part.value, of: index)
      } else if groups.count < PartGroup.greatestCount {
        groups.append(PartGroup(part.comparison, part.value, index))
      }
    }
    groups.removeAll { $0.parts.count < leastPartCount }
    guard !groups.isEmpty else { return alternatives }
    let members = Set(groups.flatMap(\.members))
    let others = alternatives.enumerated().filter { !members.contains($0.offset) }.map(\.element)
    return groups.map(\.predicate) + others
  }

  /// A comparison that searches a text for a part and cannot use an index; nil for other conditions. Null as a part
  /// has a meaning of its own.
  private var part: (comparison: Comparison, value: Value)? {
    guard case .comparison(let comparison) = self, comparison.looksForParts,
      case .path(let path) = comparison.left, case .constant(let part) = comparison.right, part.isText,
      path.isScalar, path.measure == .value, path.type == .string || path.type == .binary
    else { return nil }
    return (comparison, part)
  }
}

/// Parts that are searched for in the same text in the same way.
private struct PartGroup {
  /// The maximum number of groups. A text that is searched for only a few parts gains nothing.
  static let greatestCount = 16

  private var comparison: Comparison
  private(set) var parts: [Value]
  /// The positions of the comparisons among the alternatives.
  private(set) var members: [Int]

  init(_ comparison: Comparison, _ part: Value, _ index: Int) {
    self.comparison = comparison
    parts = [part]
    members = [index]
  }

  func takes(_ other: Comparison) -> Bool {
    comparison.operator == other.operator && comparison.ignoresCase == other.ignoresCase
      && comparison.ignoresDiacritics == other.ignoresDiacritics
      && comparison.left == other.left
  }

  mutating func add(_ part: Value, of index: Int) {
    parts.append(part)
    members.append(index)
  }

  var predicate: Predicate {
    var comparison = comparison
    comparison.right = .list(parts, .any)
    return .comparison(comparison)
  }
}

extension Comparison {
  fileprivate var looksForParts: Bool {
    switch self.operator {
    case .contains, .endsWith: true
    // An index serves the case-sensitive form.
    case .beginsWith: ignoresCase
    default: false
    }
  }
}

extension Value {
  fileprivate var isText: Bool {
    switch self {
    case .string, .malformedString, .binary: true
    default: false
    }
  }
}
