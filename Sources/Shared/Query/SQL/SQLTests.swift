// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// Returns the relation between two single values.
  func test(
    _ comparison: Comparison,
    _ left: SQLScalar,
    _ right: SQLScalar,
    isExact: Bool
  ) throws(Inexpressible) -> SQLFragment {
    if comparison.operator.isTextual { return textTest(comparison, left, right, isExact: isExact) }
    switch (left, right) {
    case (.column(let left), .constant(let right)):
      return try test(comparison.operator, comparison, left, right, isExact: isExact)
    case (.constant(let left), .column(let right)):
      return try test(comparison.operator.mirrored, comparison, right, left, isExact: isExact)
    case (.column(let left), .column(let right)): return try test(comparison, left, right, isExact: isExact)
    case (.constant(let left), .constant(let right)):
      return ValueComparison(comparison).holds(left, right) ? .isTrue : .isFalse
    }
  }

  private func test(
    _ symbol: Comparison.Operator,
    _ comparison: Comparison,
    _ column: SQLColumn,
    _ constant: Value,
    isExact: Bool
  ) throws(Inexpressible) -> SQLFragment {
    if constant == .null {
      switch symbol {
      case .greaterOrEqual where comparison.nullSortsFirst: return .isTrue
      case .greater where comparison.nullSortsFirst: return "(\(column.value) IS NOT NULL)"
      case .equal, .lessOrEqual, .greaterOrEqual: return "(\(column.value) IS NULL)"
      case .notEqual: return "(\(column.value) IS NOT NULL)"
      default: return .isFalse
      }
    }
    if column.type == .decimal { return try decimalTest(symbol, column, constant, isExact: isExact) }
    guard let constant = constant.comparable(with: column.type) else { throw Inexpressible() }
    if constant.isNaN {
      if comparison.sortsNotANumber { return notANumberTest(symbol, column, isExact: isExact) }
      return symbol == .notEqual ? .isTrue : .isFalse
    }
    if comparison.ignoresCase {
      let equal = exactly(
        call(.equalIgnoringCase, column.value, bind(constant)),
        isExact || symbol == .notEqual
      )
      return symbol == .notEqual ? "NOT \(equal)" : equal
    }
    if let nanoseconds = column.nanoseconds, case .timestamp(let timestamp) = constant {
      return timeTest(symbol, column.value, nanoseconds, timestamp, isExact: isExact)
    }
    let value = bind(constant.boundForm)
    // Where it matters, the target of a link constant exists (see `condition`), so a link with an equal key leads to
    // it.
    let stored = column.storedKey ?? column.value
    switch symbol {
    case .equal: return isExact ? "(\(stored) IS \(value))" : "(\(stored) = \(value))"
    case .notEqual: return "(\(stored) IS NOT \(value))"
    default: return orderTest(symbol, comparison, column, value, isExact: isExact)
    }
  }

  private func orderTest(
    _ symbol: Comparison.Operator,
    _ comparison: Comparison,
    _ column: SQLColumn,
    _ value: SQLFragment,
    isExact: Bool
  ) -> SQLFragment {
    let relation: SQLFragment = "\(column.value) \(raw: symbol.sql) \(value)"
    let isBelow = symbol == .less || symbol == .lessOrEqual
    if comparison.nullSortsFirst && isBelow { return "(\(relation) OR \(column.value) IS NULL)" }
    // Not-a-number is stored as bytes, which SQLite sorts above every number.
    if column.isFloating && isBelow && comparison.sortsNotANumber {
      return exactly("\(relation) OR \(column.value) >= x''", isExact)
    }
    if column.isFloating && !isBelow { return exactly("\(relation) AND \(column.value) < x''", isExact) }
    return exactly(relation, isExact)
  }

  /// Returns the order between a column and not-a-number, which sorts below all numbers.
  private func notANumberTest(_ symbol: Comparison.Operator, _ column: SQLColumn, isExact: Bool)
    -> SQLFragment
  {
    switch symbol {
    case .lessOrEqual: exactly("\(column.value) >= x''", isExact)
    case .greater: exactly("\(column.value) < x''", isExact)
    case .greaterOrEqual: "(\(column.value) IS NOT NULL)"
    default: .isFalse
    }
  }

  private func timeTest(
    _ symbol: Comparison.Operator,
    _ seconds: SQLFragment,
    _ nanoseconds: SQLFragment,
    _ time: Timestamp,
    isExact: Bool
  ) -> SQLFragment {
    let (boundSeconds, boundNanoseconds) = (bind(.int(time.seconds)), bind(.int(Int64(time.nanoseconds))))
    switch symbol {
    case .equal where !isExact:
      return "(\(seconds) = \(boundSeconds) AND \(nanoseconds) = \(boundNanoseconds))"
    case .equal, .notEqual:
      let equal: SQLFragment = "(\(seconds) IS \(boundSeconds) AND \(nanoseconds) IS \(boundNanoseconds))"
      return symbol == .equal ? equal : "NOT \(equal)"
    default:
      return exactly(
        "(\(seconds), \(nanoseconds)) \(raw: symbol.sql) (\(boundSeconds), \(boundNanoseconds))",
        isExact
      )
    }
  }

  private func test(
    _ comparison: Comparison,
    _ left: SQLColumn,
    _ right: SQLColumn,
    isExact: Bool
  ) throws(Inexpressible) -> SQLFragment {
    let symbol = comparison.operator
    if (left.type == .decimal) != (right.type == .decimal) { throw Inexpressible() }
    // Dictionary values may be compared with values of any type.
    guard left.type.isComparable(with: right.type) else { throw Inexpressible() }
    switch symbol {
    case .equal: return equality(comparison, left, right, isExact: isExact)
    case .notEqual: return "NOT \(equality(comparison, left, right, isExact: true))"
    default:
      var relation: SQLFragment
      if comparison.sortsNotANumber {
        relation = "\(left.rank) \(raw: symbol.sql) \(right.rank)"
      } else {
        relation = "\(left.tuple) \(raw: symbol.sql) \(right.tuple)"
        for column in [left, right] where column.isFloating {
          relation = "\(relation) AND typeof(\(column.value)) <> 'blob'"
        }
      }
      guard symbol == .lessOrEqual || symbol == .greaterOrEqual else { return exactly(relation, isExact) }
      return "(\(exactly(relation, isExact)) OR \(bothNull(left, right)))"
    }
  }

  private func equality(_ comparison: Comparison, _ left: SQLColumn, _ right: SQLColumn, isExact: Bool)
    -> SQLFragment
  {
    if comparison.ignoresCase {
      let equal = exactly(call(.equalIgnoringCase, left.value, right.value), isExact)
      return "(\(bothNull(left, right)) OR \(equal))"
    }
    if let leftTime = left.nanoseconds, let rightTime = right.nanoseconds {
      return "(\(left.value) IS \(right.value) AND \(leftTime) IS \(rightTime))"
    }
    let equal: SQLFragment = "\(left.number) IS \(right.number)"
    return left.isFloating && right.isFloating
      ? "(\(equal) AND typeof(\(left.value)) <> 'blob')" : "(\(equal))"
  }

  private func bothNull(_ left: SQLColumn, _ right: SQLColumn) -> SQLFragment {
    "(\(left.value) IS NULL AND \(right.value) IS NULL)"
  }

  func call(_ function: SQLFunction, _ text: SQLFragment, _ other: SQLFragment) -> SQLFragment {
    "\(raw: function.name)(\(text), \(other))"
  }
}

extension SQLColumn {
  /// A number as a row value in which not-a-number sorts first and equals itself.
  fileprivate var rank: SQLFragment {
    let group: SQLFragment = "CASE typeof(\(value)) WHEN 'blob' THEN 0 WHEN 'null' THEN NULL ELSE 1 END"
    return "(\(group), CASE typeof(\(value)) WHEN 'blob' THEN 0 ELSE \(value) END)"
  }

  /// A timestamp as a row value; any other value unchanged.
  fileprivate var tuple: SQLFragment {
    guard let nanoseconds else { return number }
    return "(\(value), \(nanoseconds))"
  }
}

extension Comparison.Operator {
  /// The operator with its operands exchanged.
  fileprivate var mirrored: Comparison.Operator {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: self
    }
  }

  var sql: String { self == .equal ? "=" : text }
}

extension Value {
  /// The form in which the value is bound. A link is stored as its target's key, or as empty bytes if that key is
  /// null. No key is a zero byte.
  var boundForm: Value {
    guard case .link(let link) = self else { return self }
    if link.leadsNowhere { return .binary([0]) }
    return link.key == .null ? .binary([]) : link.key.value ?? .null
  }
}
