// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Binder {
  func bind(_ syntax: SyntaxComparison) throws(QueryError) -> Comparison {
    guard let symbol = Self.operators[syntax.operator] else {
      throw QueryError(.operation, "Column has no fulltext index")
    }
    let (left, right) = try operands(of: syntax, isTextual: symbol.isTextual)
    if syntax.operator == .membership { try requireCollection(right) }
    try check(left, symbol, right, ignoresCase: syntax.ignoresCase)
    return Comparison(left, symbol, right, ignoresCase: syntax.ignoresCase).normalized
  }

  /// Binds the path first: its type says how to read the constant on the other side.
  private func operands(
    of syntax: SyntaxComparison,
    isTextual: Bool
  ) throws(QueryError) -> (Operand, Operand) {
    if syntax.left.isConstant && syntax.right.isConstant { throw .query("Cannot compare two constants") }
    if syntax.right.isConstant {
      let left = try operand(syntax.left)
      return (left, try constantOperand(syntax.right, against: left, isTextual: isTextual))
    }
    let right = try operand(syntax.right)
    if syntax.left.isConstant {
      return (try constantOperand(syntax.left, against: right, isTextual: isTextual), right)
    }
    return (try operand(syntax.left), right)
  }

  private func constantOperand(
    _ expression: SyntaxExpression,
    against other: Operand,
    isTextual: Bool
  ) throws(QueryError) -> Operand {
    let reader = ConstantReader(binder: self, other: other, isLenient: isTextual)
    switch expression {
    case .constant(let constant): return try reader.operand(constant)
    case .list(let list): return .list(try reader.values(list.elements), list.quantifier)
    default: throw .unsupported("Arithmetic between constants")
    }
  }

  private func requireCollection(_ right: Operand) throws(QueryError) {
    switch right {
    case .list: return
    case .path(let path) where path.isMultiple: return
    default:
      throw .argument(
        "The keypath following 'IN' must contain a list. Found '\(CanonicalText.of(right, type: nil))'"
      )
    }
  }

  private func check(
    _ left: Operand,
    _ symbol: Comparison.Operator,
    _ right: Operand,
    ignoresCase: Bool
  ) throws(QueryError) {
    if case .path(let left) = left, case .path(let right) = right {
      try checkPaths(left, right, isTextual: symbol.isTextual)
    }
    if symbol.isTextual || ignoresCase { try requireText(right, symbol, ignoresCase: ignoresCase) }
    if symbol.isOrdering { try refuseLinks(left, symbol) }
    try refuseNullLinkLists(left, right)
    try refuseNullLinkLists(right, left)
  }

  private func requireText(
    _ right: Operand,
    _ symbol: Comparison.Operator,
    ignoresCase: Bool
  ) throws(QueryError) {
    let suffix = ignoresCase && !symbol.isTextual ? "[c]" : ""
    if case .list = right { return }
    for type in right.types where type != .string && type != .binary && type != .mixed {
      throw .query(
        "Unsupported comparison operator '\(Lexer.lowercasedASCII(symbol.text))\(suffix)' against type '\(type)', "
          + "right side must be a string or binary type"
      )
    }
  }

  private func refuseLinks(_ left: Operand, _ symbol: Comparison.Operator) throws(QueryError) {
    guard left.types.contains(.link) else { return }
    throw .query(
      "Unsupported operator \(symbol.text) in query. Only equal (==) and not equal (!=) are supported for this type."
    )
  }

  private func checkPaths(
    _ left: PropertyPath,
    _ right: PropertyPath,
    isTextual: Bool
  ) throws(QueryError) {
    guard isTextual || left.type.isComparable(with: right.type) else {
      throw .query("Unsupported comparison between type '\(left.type)' and type '\(right.type)'")
    }
    if left.isListOfPrimitives && right.isListOfPrimitives && left.quantifier == nil
      && right.quantifier == nil
    {
      throw .query(
        "Ordered comparison between two primitive lists is not implemented yet ('\(CanonicalText.of(left))' "
          + "and '\(CanonicalText.of(right))')"
      )
    }
  }

  /// A list of links holds no null, so comparing it with null is a mistake.
  private func refuseNullLinkLists(_ operand: Operand, _ other: Operand) throws(QueryError) {
    guard case .path(let path) = operand, path.type == .link, path.isMultiple, other == .constant(.null)
    else { return }
    throw .query("Cannot compare linklist ('\(CanonicalText.of(path))') with NULL")
  }

  private static let operators: [SyntaxComparison.Operator: Comparison.Operator] = [
    .equal: .equal, .membership: .equal, .notEqual: .notEqual, .less: .less, .lessOrEqual: .lessOrEqual,
    .greater: .greater, .greaterOrEqual: .greaterOrEqual, .beginsWith: .beginsWith, .endsWith: .endsWith,
    .contains: .contains, .like: .like,
  ]
}

extension Operand {
  /// The types of the values, null apart.
  var types: Set<ValueType> {
    switch self {
    case .constant(let value): Set([value.type].compactMap { $0 })
    case .list(let values, _): Set(values.compactMap(\.type))
    case .path(let path): [path.type]
    case .aggregate(let aggregate): [aggregate.type]
    case .subquery: [.int]
    case .arithmetic(_, let left, let right): left.types.union(right.types)
    }
  }
}

extension Comparison {
  /// Against a single value, ANY in front of a list says what no quantifier says.
  fileprivate var normalized: Comparison {
    var result = self
    result.left = left.withoutNeedlessAny(against: right)
    result.right = right.withoutNeedlessAny(against: left)
    return result
  }
}

extension Operand {
  fileprivate func withoutNeedlessAny(against other: Operand) -> Operand {
    guard case .list(let values, .any) = self, case .path(let path) = other, !path.isMultiple else {
      return self
    }
    return .list(values, nil)
  }
}

extension ValueType {
  var isNumeric: Bool {
    switch self {
    case .int, .float, .double, .decimal: true
    default: false
    }
  }

  /// Whether values of the two types can stand on the two sides of a comparison (rql §4).
  func isComparable(with other: ValueType) -> Bool {
    self == other || isNumeric && other.isNumeric || self == .mixed || other == .mixed
  }
}
