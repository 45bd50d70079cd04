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
    case .geoWithin: false
    }
  }
}

extension Comparison {
  func matches(_ row: some PredicateRow) -> Bool {
    if let (path, constant) = plainParts { return ValueComparison(self).holds(path.value(of: row), constant) }
    let test = ValueComparison(self)
    let rightGroups = right.groups(in: row)
    return left.groups(in: row).contains { left in
      rightGroups.contains { right in matches(left, right, test) }
    }
  }

  /// The common case: a property of the object itself against a constant.
  private var plainParts: (PropertyPath, Value)? {
    guard case .path(let path) = left, case .constant(let constant) = right, path.isPlain else { return nil }
    return (path, constant)
  }

  private func matches(_ left: [Value], _ right: [Value], _ test: ValueComparison) -> Bool {
    if comparesWholeLists {
      return left.count == right.count ? zip(left, right).allSatisfy(test.holds) : test.symbol == .notEqual
    }
    return self.left.quantifier.isSatisfied(by: left) { leftValue in
      self.right.quantifier.isSatisfied(by: right) { test.holds(leftValue, $0) }
    }
  }

  /// Whether two lists are compared element by element, in order: nothing says ANY, ALL or NONE (rql §6).
  var comparesWholeLists: Bool { left.isBareList && right.isBareList }
}

extension Quantifier {
  func isSatisfied(by values: [Value], _ condition: (Value) -> Bool) -> Bool {
    switch self {
    case .any: values.contains(where: condition)
    case .all: values.allSatisfy(condition)
    case .none: !values.contains(where: condition)
    }
  }
}

extension Operand {
  /// Whether the operand yields many values and has no quantifier.
  fileprivate var isBareList: Bool {
    switch self {
    case .constant: false
    case .list(_, let quantifier): quantifier == nil
    case .path(let path): path.isMultiple && path.quantifier == nil
    case .aggregate, .subquery, .arithmetic: false
    }
  }

  /// The quantifier in front, ANY if there is none.
  var quantifier: Quantifier {
    switch self {
    case .constant: .any
    case .list(_, let quantifier): quantifier ?? .any
    case .path(let path): path.quantifier ?? .any
    case .aggregate, .subquery, .arithmetic: .any
    }
  }

  /// The values for one object. Lists of primitives behind a list of links are one group each: a comparison holds if
  /// it holds for one of them.
  func groups(in row: some PredicateRow) -> [[Value]] {
    switch self {
    case .constant(let value): [[value]]
    case .list(let values, _): [values]
    case .path(let path): path.groups(in: row)
    case .aggregate, .subquery, .arithmetic: [[]]
    }
  }
}

extension PropertyPath {
  /// A property that needs no joins: no links, no collection.
  fileprivate var isPlain: Bool { links.isEmpty && property.collection == .single }

  /// The groups of values at the end of the path. A path without lists gives one value: null if a link on the way is
  /// null.
  func groups<Row: PredicateRow>(in row: Row) -> [[Value]] {
    var rows = [row]
    for link in links { rows = rows.flatMap { link.targets(from: $0) } }
    if isGrouped { return rows.isEmpty ? [[]] : rows.map(elements) }
    if rows.isEmpty, !isMultiple { return [[measure == .count ? .int(0) : .null]] }
    return [rows.flatMap { values(at: $0) }]
  }

  private func values<Row: PredicateRow>(at row: Row) -> [Value] {
    if measure == .count { return [.int(Int64(elements(of: row).count))] }
    return property.collection == .single ? [value(of: row)] : elements(of: row)
  }

  fileprivate func value<Row: PredicateRow>(of row: Row) -> Value {
    let value = row.value(of: property.name)
    return measure == .length ? value.byteCount : value.orNull(in: row)
  }

  /// A list of links shows only the objects that are there.
  private func elements<Row: PredicateRow>(of row: Row) -> [Value] {
    let elements = row.elements(of: property.name)
    if measure == .length { return elements.map(\.byteCount) }
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
  /// The number of bytes of a string or binary value; null for anything else.
  fileprivate var byteCount: Value { textBytes.map { .int(Int64($0.bytes.count)) } ?? .null }

  /// A dangling link counts as null.
  fileprivate func orNull(in row: some PredicateRow) -> Value {
    guard case .link(let link) = self, !row.hasTarget(link) else { return self }
    return .null
  }
}
