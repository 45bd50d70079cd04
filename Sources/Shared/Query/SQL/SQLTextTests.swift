// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// BEGINSWITH, ENDSWITH, CONTAINS and LIKE between two single values.
  func textTest(
    _ comparison: Comparison,
    _ left: SQLScalar,
    _ right: SQLScalar,
    isExact: Bool
  ) -> SQLFragment {
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

  /// The right side is null (QueryLanguage §5).
  private func nullTest(_ comparison: Comparison, _ left: SQLScalar) -> SQLFragment {
    switch comparison.operator {
    case .like: isNull(left)
    case _ where comparison.isPlainText: .isTrue
    case .contains: "NOT \(isNull(left))"
    default: .isFalse
    }
  }

  /// What holds because the right side turns out to be null; nil if nothing does.
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

  private func test(
    _ comparison: Comparison,
    _ text: SQLFragment,
    _ part: SQLFragment
  ) -> SQLFragment {
    switch (comparison.operator, comparison.ignoresCase) {
    case (.like, let ignoresCase): return call(ignoresCase ? .likeIgnoringCase : .like, text, part)
    case (.contains, false): return call(.contains, text, part)
    case (.contains, true): return call(.containsIgnoringCase, text, part)
    case (.beginsWith, true): return call(.beginsIgnoringCase, text, part)
    case (_, true): return call(.endsIgnoringCase, text, part)
    case (_, false):
      // No bytes of no bytes are null for SQLite.
      let isEmpty: SQLFragment = "(length(\(bytes(part))) = 0 AND \(text) IS NOT NULL)"
      let size: SQLFragment = "length(\(bytes(part)))"
      let range: SQLFragment = comparison.operator == .beginsWith ? "1, \(size)" : "-\(size)"
      return "\(isEmpty) OR substr(\(bytes(text)), \(range)) = \(bytes(part))"
    }
  }

  /// Forms for a constant part: the beginning becomes a range, which an index serves.
  private func test(_ symbol: Comparison.Operator, _ text: SQLFragment, _ part: Value) -> SQLFragment {
    let partBytes = part.textBytes?.bytes ?? []
    switch symbol {
    case .beginsWith:
      let start: SQLFragment = "\(text) >= \(bind(part))"
      return part.successorOfPrefix.map { "\(start) AND \(text) < \(bind($0))" } ?? start
    case .endsWith where partBytes.isEmpty: return "\(text) IS NOT NULL"
    case .endsWith:
      return "substr(\(bytes(text)), \(raw: String(-partBytes.count))) = \(bind(.binary(partBytes)))"
    // SQLite's own function tries the part at every place of the text.
    case .contains where partBytes.count > TextMatching.longestShortPart:
      return call(.contains, text, bind(part))
    case .contains: return "instr(\(text), \(bind(part))) > 0"
    default: return call(.like, text, bind(part))
    }
  }

  private func bytes(_ fragment: SQLFragment) -> SQLFragment { "CAST(\(fragment) AS BLOB)" }
}

extension SQLScalar {
  /// Whether the value is text or bytes: string, binary, or nil for anything else and for null.
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
  /// The smallest value of the same type that is greater than everything that begins with this one; nil if there is
  /// none.
  var successorOfPrefix: Value? {
    switch self {
    case .string(let string): Self.successor(string).map { .string($0) }
    case .binary(let bytes): Self.successor(bytes).map { .binary($0) }
    default: nil
    }
  }

  /// UTF-8 sorts like the scalars do, so the last one that has a successor is replaced by it.
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
