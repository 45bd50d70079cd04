// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A comparison of one text with many parts, split into the parts that can be searched for at once and the others.
package struct PartSearch {
  /// The path to the text.
  package let path: PropertyPath
  package let parts: TextParts
  /// The comparison with the remaining parts, if there are any.
  package let rest: Comparison?
  /// Whether the text must not contain any of the parts.
  package let isNegated: Bool

  /// Returns nil for any other comparison.
  package init?(_ comparison: Comparison) {
    guard !comparison.ignoresDiacritics, let place = comparison.place, case .path(let path) = comparison.left,
      path.isScalar,
      path.measure == .value, case .list(let values, let quantifier) = comparison.right, quantifier != .all,
      values.count >= Predicate.leastPartCount
    else { return nil }
    let parts = values.filter { $0.isShortPart(of: path.type) }
    guard parts.count >= Predicate.leastPartCount else { return nil }
    self.path = path
    self.parts = TextParts(
      parts.compactMap { $0.textBytes?.bytes },
      place,
      ignoresCase: comparison.ignoresCase
    )
    isNegated = (quantifier ?? .any) == .none
    guard parts.count < values.count else {
      rest = nil
      return
    }
    var rest = comparison
    rest.right = .list(values.filter { !$0.isShortPart(of: path.type) }, .any)
    self.rest = rest
  }
}

extension Comparison {
  /// The position in the text where the right side must occur; nil for pattern operators, and for operators that an
  /// index serves.
  fileprivate var place: TextParts.Place? {
    switch (self.operator, ignoresCase) {
    case (.contains, _): .anywhere
    case (.beginsWith, true): .start
    case (.endsWith, _): .end
    default: nil
    }
  }
}

extension Value {
  /// Whether the value is a non-empty part of this type that is short enough to try many of them at each position of
  /// a text.
  fileprivate func isShortPart(of type: ValueType) -> Bool {
    guard let (bytes, isString) = textBytes, isString ? type == .string : type == .binary else {
      return false
    }
    return 1...TextMatching.longestShortPart ~= bytes.count
  }
}

extension TextParts {
  /// Whether a value of the parts' type contains one of the parts.
  package func isAny(in value: Value) -> Bool {
    switch value {
    case .string(var string): string.withUTF8(isAny)
    case .malformedString(let bytes), .binary(let bytes): bytes.withUnsafeBufferPointer(isAny)
    default: false
    }
  }
}
