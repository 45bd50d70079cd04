// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Binder {
  func bind(_ syntax: SyntaxComparison) throws(QueryError) -> Comparison {
    guard let symbol = syntax.operator.bound else {
      throw QueryError(.operation, "Column has no fulltext index")
    }
    if syntax.left.isConstant && syntax.right.isConstant { throw .query("Cannot compare two constants") }
    let (left, right) = try pair(syntax.left, syntax.right, isLenient: symbol.isTextual)
    let ignoresCase =
      syntax.ignoresCase
      && (symbol.isTextual || !comparesAsWritten(left, symbol, right, writtenAs: syntax.right))
    try check(left, symbol, right, ignoresCase: ignoresCase || syntax.ignoresDiacritics)
    if syntax.operator == .membership { try requireCollection(right) }
    return Comparison(
      searched(left, against: right, syntax.operator),
      symbol,
      searched(right, against: left, syntax.operator),
      ignoresCase: ignoresCase,
      ignoresDiacritics: syntax.ignoresDiacritics
    ).normalized
  }

  /// Turns a list of constants into an ANY list where the reference searches for its elements: a single constant
  /// compared with a primary key reached through a list of links, and with `==` any number of objects compared with a
  /// collection of links. In all other cases the reference compares the entire list.
  private func searched(_ list: Operand, against other: Operand, _ symbol: SyntaxComparison.Operator)
    -> Operand
  {
    guard symbol == .equal || symbol == .membership, case .list(let values, nil) = list,
      case .path(let path) = other, path.isMultiple, path.quantifier == nil, path.measure == .value,
      path.selectors.isEmpty
    else { return list }
    let isKey = values.count == 1 && schema[path.owner]?.primaryKey?.name == path.property.name
    let isLinks = symbol == .equal && path.type == .link && path.links.isEmpty && !values.isEmpty
    return isKey || isLinks ? .list(values, .any) : list
  }

  private func requireCollection(_ right: Operand) throws(QueryError) {
    guard !right.isSearchable else { return }
    throw .argument(
      "The keypath following 'IN' must contain a list. Found '\(CanonicalText.of(right))'"
    )
  }

  private func check(
    _ left: Operand,
    _ symbol: Comparison.Operator,
    _ right: Operand,
    ignoresCase: Bool
  ) throws(QueryError) {
    try checkConstants(left, right)
    try checkTypes(left, right, isTextual: symbol.isTextual)
    try checkCollections(left, right)
    if symbol.isTextual || ignoresCase {
      try requireText(right, symbol, beside: left, ignoresCase: ignoresCase)
    }
    if symbol.isOrdering {
      try requireOrder(left, symbol)
      if right.isTypeName { try requireOrder(right, symbol) }
    }
    try refuseNullLinkLists(left, right)
    try refuseNullLinkLists(right, left)
  }

  /// Rejects an operand that turned out to be constant only because of its type: `@type` of a typed property.
  private func checkConstants(_ left: Operand, _ right: Operand) throws(QueryError) {
    guard case .constant = left, case .constant = right else { return }
    throw .query(
      "Comparison between two constants is not supported ('\(CanonicalText.of(left))' and "
        + "'\(CanonicalText.of(right))')"
    )
  }

  /// Checks the types of non-constant operands. Constants were checked when they were read.
  private func checkTypes(_ left: Operand, _ right: Operand, isTextual: Bool) throws(QueryError) {
    if left.isTypeName != right.isTypeName, !(left.isTypeName ? right : left).isConstant {
      throw .argument(
        "Unsupported comparison between @type and raw value: '\(left.typeText)' and '\(right.typeText)'"
      )
    }
    guard !isTextual, !left.isConstant, !right.isConstant, let leftType = left.valueType,
      let rightType = right.valueType, !leftType.isComparable(with: rightType)
    else { return }
    throw .query("Unsupported comparison between type '\(leftType)' and type '\(rightType)'")
  }

  private func checkCollections(_ left: Operand, _ right: Operand) throws(QueryError) {
    guard case .path(let left) = left, case .path(let right) = right, left.isInPrimitiveCollection,
      right.isInPrimitiveCollection, left.quantifier == nil, right.quantifier == nil
    else { return }
    throw .query(
      "Ordered comparison between two primitive lists is not implemented yet ('\(CanonicalText.of(left))' "
        + "and '\(CanonicalText.of(right))')"
    )
  }

  private func requireText(
    _ right: Operand,
    _ symbol: Comparison.Operator,
    beside left: Operand,
    ignoresCase: Bool
  ) throws(QueryError) {
    let suffix = ignoresCase && !symbol.isTextual ? "[c]" : ""
    guard let type = right.nameOfOtherType(beside: left) else { return }
    throw .query(
      "Unsupported comparison operator '\(Lexer.lowercasedASCII(symbol.text))\(suffix)' against type '\(type)', "
        + "right side must be a string or binary type"
    )
  }

  private func requireOrder(_ left: Operand, _ symbol: Comparison.Operator) throws(QueryError) {
    guard left.valueType == .link || left.isTypeName else { return }
    throw .query(
      "Unsupported operator \(symbol.text) in query. Only equal (==) and not equal (!=) are supported for this type."
    )
  }

  /// Rejects a comparison of a list of links with null, which is a mistake because such a list contains no null.
  private func refuseNullLinkLists(_ operand: Operand, _ other: Operand) throws(QueryError) {
    guard case .path(let path) = operand, path.type == .link, path.isMultiple, other == .constant(.null)
    else { return }
    throw .query("Cannot compare linklist ('\(CanonicalText.of(path))') with NULL")
  }
}

extension SyntaxComparison.Operator {
  /// The relation; nil for full-text search, which no property supports.
  fileprivate var bound: Comparison.Operator? {
    switch self {
    case .equal, .membership: .equal
    case .notEqual: .notEqual
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .contains: .contains
    case .like: .like
    case .text: nil
    }
  }
}

extension Operand {
  /// The type that checks assume for the values; nil for null and for lists of constants. Values of a dictionary
  /// count as mixed, regardless of the type of its property. Arithmetic has the type of its left side.
  var valueType: ValueType? {
    switch self {
    case .constant(let value): value.type
    case .list: nil
    case .path(let path): path.isInDictionary ? .mixed : path.type
    case .aggregate(let aggregate): aggregate.type
    case .subquery: .int
    case .arithmetic(_, let left, _): left.valueType ?? .mixed
    }
  }

  /// Whether the values are type names.
  var isTypeName: Bool {
    guard case .path(let path) = self else { return false }
    return path.measure == .type
  }

  var isConstant: Bool {
    switch self {
    case .constant, .list: true
    default: false
    }
  }

  /// Returns the type name if the type is neither text, bytes nor mixed. Null takes the type of the text on the other
  /// side.
  fileprivate func nameOfOtherType(beside other: Operand) -> String? {
    if isTypeName || other.isTypeName && isConstant { return "@type" }
    switch self {
    case .list: return nil
    case .constant(.null): return other.valueType?.isText == true ? nil : "null"
    default: return valueType.flatMap { $0.isText || $0 == .mixed ? nil : $0.description }
    }
  }

  fileprivate var typeText: String { isTypeName ? "@type" : valueType?.description ?? "null" }

  fileprivate var isSearchable: Bool {
    switch self {
    case .constant, .aggregate, .subquery: false
    case .list: true
    case .path(let path): path.isSearchable
    case .arithmetic(_, let left, let right): left.isSearchable || right.isSearchable
    }
  }
}

extension Comparison {
  /// The comparison in a form that is the same for all equal conditions.
  fileprivate var normalized: Comparison {
    var result = self
    result.left = left.normalized(against: right, self.operator)
    result.right = right.normalized(against: left, self.operator)
    return result
  }
}

extension Operand {
  /// Removes ANY from a list that is compared with a single value, where it means the same as no quantifier.
  fileprivate func normalized(against other: Operand, _ symbol: Comparison.Operator) -> Operand {
    guard case .list(let values, .any) = self, case .path(let path) = other, !path.isMultiple else {
      return self
    }
    return .list(values, nil)
  }
}

extension ValueType {
  fileprivate var isText: Bool { self == .string || self == .binary }

  var isNumeric: Bool {
    switch self {
    case .int, .float, .double, .decimal: true
    default: false
    }
  }

  /// Whether values of the two types may be compared with each other (QueryLanguage §4).
  func isComparable(with other: ValueType) -> Bool {
    self == other || isNumeric && other.isNumeric || self == .mixed || other == .mixed
  }
}
