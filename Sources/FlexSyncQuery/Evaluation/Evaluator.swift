// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Predicate {
  /// Whether an object meets the condition.
  public func matches(_ row: some PredicateRow) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .and(let conditions): conditions.allSatisfy { $0.matches(row) }
    case .or(let conditions): conditions.contains { $0.matches(row) }
    case .not(let condition): !condition.matches(row)
    case .comparison(let comparison): comparison.matches(row)
    }
  }
}

extension Comparison {
  func matches(_ row: some PredicateRow) -> Bool {
    let test = ValueComparison(self)
    let (left, right) = (left.values(in: row), right.values(in: row))
    if comparesWholeLists { return matchesWholeLists(left.values, right.values, test) }
    return left.satisfies { leftValue in right.satisfies { test.holds(leftValue, $0) } }
  }

  /// Whether two lists are compared element by element, in order (rql §6).
  var comparesWholeLists: Bool {
    switch (left, right) {
    case (.path(let path), .list(_, nil)), (.list(_, nil), .path(let path)):
      path.isWholeList && path.quantifier == nil
    default: false
    }
  }

  private func matchesWholeLists(_ left: [Value], _ right: [Value], _ test: ValueComparison) -> Bool {
    let isUnequal = test.symbol == .notEqual
    guard left.count == right.count else { return isUnequal }
    return isUnequal ? zip(left, right).contains(where: test.holds) : zip(left, right).allSatisfy(test.holds)
  }
}

/// What an operand yields for one object.
struct OperandValues {
  let values: [Value]
  let quantifier: Quantifier

  func satisfies(_ condition: (Value) -> Bool) -> Bool {
    switch quantifier {
    case .any: values.contains(where: condition)
    case .all: values.allSatisfy(condition)
    case .none: !values.contains(where: condition)
    }
  }
}

extension Operand {
  func values(in row: some PredicateRow) -> OperandValues {
    switch self {
    case .constant(let value): OperandValues(values: [value], quantifier: .any)
    case .list(let values, let quantifier): OperandValues(values: values, quantifier: quantifier ?? .any)
    case .path(let path): OperandValues(values: path.values(in: row), quantifier: path.quantifier ?? .any)
    }
  }
}

extension PropertyPath {
  /// The values at the end of the path. A path without lists gives exactly one: null if a link on the way is null.
  func values<Row: PredicateRow>(in row: Row) -> [Value] {
    if links.isEmpty { return values(at: row) }
    var rows = [row]
    for link in links { rows = rows.flatMap { link.targets(from: $0) } }
    if countsAllLinks { return [.int(rows.reduce(0) { $0 + Int64(count(at: $1)) })] }
    if rows.isEmpty, !isMultiple { return [measure == .count ? .int(0) : .null] }
    return rows.flatMap { values(at: $0) }
  }

  private func values<Row: PredicateRow>(at row: Row) -> [Value] {
    if measure == .count { return [.int(Int64(count(at: row)))] }
    guard property.collection == .single else { return existing(row.elements(of: property.name), in: row) }
    return [row.value(of: property.name).orNull(in: row)]
  }

  private func count<Row: PredicateRow>(at row: Row) -> Int {
    existing(row.elements(of: property.name), in: row).count
  }

  /// A list of links shows only the objects that are there.
  private func existing<Row: PredicateRow>(_ elements: [Value], in row: Row) -> [Value] {
    guard property.type == .link else { return elements }
    return elements.filter { $0.orNull(in: row) != .null }
  }
}

extension LinkStep {
  fileprivate func targets<Row: PredicateRow>(from row: Row) -> [Row] {
    let values =
      property.collection == .single ? [row.value(of: property.name)] : row.elements(of: property.name)
    return values.compactMap { value in
      if case .link(let link) = value { row.target(of: link) } else { nil }
    }
  }
}

extension Value {
  /// A dangling link counts as null.
  fileprivate func orNull(in row: some PredicateRow) -> Value {
    guard case .link(let link) = self, !row.hasTarget(link) else { return self }
    return .null
  }
}
