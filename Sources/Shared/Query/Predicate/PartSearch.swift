// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A comparison of one text with many parts, taken apart into those that are looked for at once and the others.
package struct PartSearch {
  /// Where the text is.
  package let path: PropertyPath
  package let parts: TextParts
  /// What holds for the other parts, if there are any.
  package let rest: Comparison?
  /// Whether none of the parts may stand in the text.
  package let isNegated: Bool

  /// Nil for any other comparison.
  package init?(_ comparison: Comparison) {
    guard let place = comparison.place, case .path(let path) = comparison.left, path.isScalar,
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
  /// Where in a text the right side has to stand; nil for operators with patterns, and for those that an index serves.
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
  /// Whether it is short, so that many of them can be tried at each place of a text, and not empty.
  fileprivate func isShortPart(of type: ValueType) -> Bool {
    guard let (bytes, isString) = textBytes, isString ? type == .string : type == .binary else {
      return false
    }
    return 1...TextMatching.longestShortPart ~= bytes.count
  }
}

extension TextParts {
  /// Whether one of the parts stands in a value of their type.
  package func isAny(in value: Value) -> Bool {
    switch value {
    case .string(var string): string.withUTF8(isAny)
    case .malformedString(let bytes), .binary(let bytes): bytes.withUnsafeBufferPointer(isAny)
    default: false
    }
  }
}
