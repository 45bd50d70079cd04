// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// Compiles BEGINSWITH, ENDSWITH, CONTAINS and LIKE between two single values.
  func textTest(_ comparison: Comparison, _ left: SQLScalar, _ right: SQLScalar, isExact: Bool)
    -> SQLFragment
  {
    if case .constant(.null) = right { return nullTest(comparison, left) }
    guard left.isText, left.textType == right.textType else {
      return ifNull(comparison, left, right) ?? .isFalse
    }
    var relation: SQLFragment
    if case .constant(let constant) = right, case .column(let column) = left, !comparison.ignoresCase {
      relation = test(comparison.operator, column.value, constant)
    } else {
      relation = test(comparison, bind(left), bind(right))
    }
    relation = exactly(relation, isExact)
    return ifNull(comparison, left, right).map { "(\(relation) OR \($0))" } ?? relation
  }

  /// Returns the test for a right side that is null (QueryLanguage §5).
  private func nullTest(_ comparison: Comparison, _ left: SQLScalar) -> SQLFragment {
    switch comparison.operator {
    case .like: isNull(left)
    case _ where comparison.isPlainText: .isTrue
    case .contains: "NOT \(isNull(left))"
    default: .isFalse
    }
  }

  /// Returns the condition that holds if the right side turns out to be null, or nil if none does.
  private func ifNull(_ comparison: Comparison, _ left: SQLScalar, _ right: SQLScalar) -> SQLFragment? {
    guard case .column(let column) = right else { return nil }
    switch comparison.operator {
    case .like: return "(\(column.value) IS NULL AND \(isNull(left)))"
    case .contains: return "(\(column.value) IS NULL AND NOT \(isNull(left)))"
    default: return nil
    }
  }

  private func isNull(_ scalar: SQLScalar) -> SQLFragment {
    switch scalar {
    case .constant(let value): value == .null ? .isTrue : .isFalse
    case .column(let column): "(\(column.value) IS NULL)"
    }
  }

  private func bind(_ scalar: SQLScalar) -> SQLFragment {
    switch scalar {
    case .constant(let value): bind(value)
    case .column(let column): column.value
    }
  }

  private func test(_ comparison: Comparison, _ text: SQLFragment, _ part: SQLFragment) -> SQLFragment {
    switch (comparison.operator, comparison.ignoresCase) {
    case (.like, let ignoresCase): return call(ignoresCase ? .likeIgnoringCase : .like, text, part)
    case (.contains, false): return call(.contains, text, part)
    case (.contains, true): return call(.containsIgnoringCase, text, part)
    case (.beginsWith, true): return call(.beginsIgnoringCase, text, part)
    case (_, true): return call(.endsIgnoringCase, text, part)
    case (_, false):
      // SQLite returns null for an empty part of empty bytes.
      let isEmpty: SQLFragment = "(length(\(bytes(part))) = 0 AND \(text) IS NOT NULL)"
      let size: SQLFragment = "length(\(bytes(part)))"
      let range: SQLFragment = comparison.operator == .beginsWith ? "1, \(size)" : "-\(size)"
      return "\(isEmpty) OR substr(\(bytes(text)), \(range)) = \(bytes(part))"
    }
  }

  /// Returns the test for a constant part. A prefix becomes a range, which an index can serve.
  private func test(_ symbol: Comparison.Operator, _ text: SQLFragment, _ part: Value) -> SQLFragment {
    let partBytes = part.textBytes?.bytes ?? []
    switch symbol {
    case .beginsWith:
      let start: SQLFragment = "\(text) >= \(bind(part))"
      return part.successorOfPrefix.map { "\(start) AND \(text) < \(bind($0))" } ?? start
    case .endsWith where partBytes.isEmpty: return "\(text) IS NOT NULL"
    case .endsWith:
      return "substr(\(bytes(text)), \(raw: String(-partBytes.count))) = \(bind(.binary(partBytes)))"
    // SQLite's own function tries the part at every position of the text.
    case .contains where partBytes.count > TextMatching.longestShortPart:
      return call(.contains, text, bind(part))
    case .contains: return "instr(\(text), \(bind(part))) > 0"
    default: return call(.like, text, bind(part))
    }
  }

  private func bytes(_ fragment: SQLFragment) -> SQLFragment { "CAST(\(fragment) AS BLOB)" }
}

extension SQLScalar {
  /// The type of the value if it is string or binary; nil for anything else and for null.
  fileprivate var textType: ValueType? {
    let type: ValueType? =
      switch self {
      case .constant(let value): value.type
      case .column(let column): column.type
      }
    return type == .string || type == .binary ? type : nil
  }

  fileprivate var isText: Bool { textType != nil }
}

extension Value {
  /// The smallest value of the same type that is greater than every value with this prefix; nil if there is none.
  var successorOfPrefix: Value? {
    switch self {
    case .string(let string): Self.successor(string).map { .string($0) }
    case .binary(let bytes): Self.successor(bytes).map { .binary($0) }
    default: nil
    }
  }

  /// Replaces the last scalar that has a successor. UTF-8 bytes sort like the scalars.
  private static func successor(_ string: String) -> String? {
    var scalars = Array(string.unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      scalars.append(scalar)
      var result = ""
      result.unicodeScalars.append(contentsOf: scalars)
      return result
    }
    return nil
  }

  private static func successor(_ bytes: [UInt8]) -> [UInt8]? {
    guard let index = bytes.lastIndex(where: { $0 < 0xFF }) else { return nil }
    return Array(bytes[..<index]) + [bytes[index] + 1]
  }
}
